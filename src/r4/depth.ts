/**
 * How deep a resource may be nested. R4 names no limit; the deepest of HL7's example instances has 21 levels of JSON.
 */
export const DEPTH_MAX = 100;
