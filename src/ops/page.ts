/** How many rows a list shows. */
export const PAGE = { standard: 50, most: 500 } as const;
