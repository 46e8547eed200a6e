/*
 * A header of HTTP carries Latin-1 alone. A reason with other letters is written as RFC 8187 does:
 * `UTF-8''` and its bytes in percent signs.
 */
const MARK = "UTF-8''";

export const toReasonHeader = (reason: string): string =>
  /^[\x20-\x7e]*$/.test(reason) ? reason : MARK + encodeURIComponent(reason);

/** What somebody wrote; as it came where it is no text in percent signs. */
export function fromReasonHeader(given: string): string {
  if (!given.startsWith(MARK)) return given;
  try {
    return decodeURIComponent(given.slice(MARK.length));
  } catch {
    return given;
  }
}
