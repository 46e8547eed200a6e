/** How deep a resource may be nested. R4 names no limit; its own examples stay below 30. */
export const DEPTH_MAX = 100;
