/**
 * Parts as one text, put together now. `+` leaves a tree of its parts behind, which is walked each time that the text is
 * copied: what is remembered and used again should not be one.
 */
export const flatText = (...parts: readonly string[]): string => parts.join('');
