const DAY_TIME =
  /^(?<day>\d{4}-(?<month>\d\d)-(?<date>\d\d))(?:T(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.\d+)?)?(?:Z|[+-](?<zoneHour>\d\d):?(?<zoneMinute>\d\d))?)?$/;

/**
 * `Date` takes 30 February for 2 March; a day that no calendar has (nor is there a year 0) is a mistake of whoever
 * wrote it.
 */
const isDay = (day: string, month: number, date: number): boolean => {
  const ms = day.startsWith('0000') ? NaN : Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).getUTCMonth() + 1 === month && new Date(ms).getUTCDate() === date;
};

/**
 * Whether a day, or a time on one with or without a zone, is one that exists. Hour 24, second 60 and zones beyond 14:00
 * are none.
 */
export function isDayOrTime(text: string): boolean {
  const found = DAY_TIME.exec(text)?.groups;
  if (found === undefined) return false;
  const { day = '', month, date, hour = '0', minute = '0', second = '0', zoneHour = '0', zoneMinute = '0' } = found;
  return (
    isDay(day, Number(month), Number(date)) &&
    Number(hour) <= 23 &&
    Number(minute) <= 59 &&
    Number(second) <= 59 &&
    Number(zoneMinute) <= 59 &&
    Number(zoneHour) * 60 + Number(zoneMinute) <= 14 * 60
  );
}

/** An instant: a time that exists, with its zone. In milliseconds; null for all else. */
export const readInstant = (text: string): number | null =>
  /T.*(Z|[+-]\d\d:\d\d)$/.test(text) && isDayOrTime(text) ? Date.parse(text) : null;
