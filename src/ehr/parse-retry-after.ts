/** What a server may ask for at most. */
export const RETRY_AFTER_MAX_MS = 6 * 3_600_000;

// RFC 9110, 5.6.7: the one form that is sent, and the two that must still be read.
const HTTP_DATE =
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d\d-\w{3}-\d\d \d\d:\d\d:\d\d GMT|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})$/;

/** How long the server wants to be left alone: seconds or a date. Null where it says nothing that can be read. */
export function parseRetryAfter(text: string | undefined, now: Date): number | null {
  const trimmed = text?.trim() ?? '';
  const isDate = HTTP_DATE.test(trimmed);
  const ms = /^\d+$/.test(trimmed)
    ? Number(trimmed) * 1000
    : isDate
      ? // The asctime form names no zone and means GMT.
        Date.parse(trimmed.endsWith('GMT') ? trimmed : `${trimmed} GMT`) - now.getTime()
      : Number.NaN;
  return Number.isNaN(ms) ? null : Math.min(RETRY_AFTER_MAX_MS, Math.max(0, ms));
}
