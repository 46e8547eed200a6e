const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset', year: 'numeric' });
  formats.set(zone, made);
  return made;
}

/** Remembers what was asked; forgets all when there is too much of it. */
function remember<K, T>(entriesMax: number, work: (zone: string, key: K) => T): (zone: string, key: K) => T {
  const byZone = new Map<string, Map<K, T>>();
  return (zone, key) => {
    let known = byZone.get(zone);
    if (known === undefined) byZone.set(zone, (known = new Map<K, T>()));
    const before = known.get(key);
    if (before !== undefined) return before;
    if (known.size >= entriesMax) known.clear();
    const made = work(zone, key);
    known.set(key, made);
    return made;
  };
}

const QUARTER_MS = 900_000;

/** Zones change at a quarter of an hour, so one question answers for all of it. */
const offsetInQuarter = remember(20_000, (zone: string, quarter: number): number => {
  const [, sign, hours = '0', minutes = '0'] =
    /GMT([+-])(\d{2}):(\d{2})/.exec(formatOf(zone).format(quarter * QUARTER_MS)) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
});

/** How far local time is ahead of UTC at an instant. */
export const offsetMs = (zone: string, at: number): number =>
  zone === 'UTC' ? 0 : offsetInQuarter(zone, Math.floor(at / QUARTER_MS));

/** Days since 1970-01-01 of a date, which has no zone. */
export const dayNumber = (date: string): number => Math.round(Date.parse(`${date}T00:00:00Z`) / DAY_MS);
export const dateOfNumber = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
export const addDays = (date: string, days: number): string => dateOfNumber(dayNumber(date) + days);

export const localDateOf = (zone: string, at: number): string =>
  new Date(at + offsetMs(zone, at)).toISOString().slice(0, 10);

/**
 * The first instant of a local day. Where clocks are put forward at midnight, midnight is not there and the day begins
 * an hour late; where they are put back over midnight, it is there twice and the first counts.
 */
const startOfDay = remember(20_000, (zone: string, day: number): number => {
  const midnight = day * DAY_MS;
  const near = midnight - offsetMs(zone, midnight);
  const before = offsetMs(zone, near - 3 * HOUR_MS);
  const after = offsetMs(zone, near + 3 * HOUR_MS);
  const candidates = [midnight - before, midnight - after].filter(
    (at, i) => offsetMs(zone, at) === (i === 0 ? before : after),
  );
  return candidates.length === 0 ? midnight - before : Math.min(...candidates);
});

export interface DayBounds {
  readonly startsAt: number;
  readonly endsAt: number;
}

export function dayBounds(zone: string, date: string): DayBounds {
  const day = dayNumber(date);
  return { startsAt: startOfDay(zone, day), endsAt: startOfDay(zone, day + 1) };
}

const two = (value: number): string => String(value).padStart(2, '0');

/** ISO 8601 with the offset that holds there and then, to the second. */
export function localTime(zone: string, at: number): string {
  const offset = offsetMs(zone, at);
  const minutes = Math.abs(offset) / 60_000;
  const text = new Date(at + offset).toISOString().slice(0, 19);
  return `${text}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
