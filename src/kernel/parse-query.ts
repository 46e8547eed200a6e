/**
 * The pairs of a query string or of a form's body. Null where they are not the UTF-8 that they must be: what would be
 * decoded to U+FFFD could be any of several values.
 */
export function parseQuery(text: string): readonly (readonly [string, string])[] | null {
  const decode = (part: string): string => (/[%+]/.test(part) ? decodeURIComponent(part.replaceAll('+', ' ')) : part);
  try {
    return text
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const mark = pair.indexOf('=');
        return mark < 0 ? [decode(pair), ''] : [decode(pair.slice(0, mark)), decode(pair.slice(mark + 1))];
      });
  } catch {
    return null;
  }
}
