import { contextName } from './context-of.ts';
import { GROUPS, type Bounds, type Group, type Measurement } from './read-measurement.ts';
import { daysAgo, isAhead, windowOf } from './time-of.ts';

/** What is looked at: the days that end with today, or everything; and when today is. */
export interface Look {
  readonly days: number | null;
  readonly now: Date;
}

/** One line of a chart. `values` has null where the measurement at that time has no such number. */
export interface Line {
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** The same places, filled only where the measurement was amended after it was first written. */
  readonly amended: readonly (number | null)[];
}

/** Measurements that belong into one chart and one table. */
export interface Series {
  readonly key: string;
  readonly title: string;
  readonly about: string;
  readonly group: Group;
  readonly unit: string;
  /** The newest value that holds, however old it is; null where none does. */
  readonly latest: Measurement | null;
  readonly latestDaysAgo: number | null;
  /**
   * The first and the last second that the chart shows: its right end is the end of today, whenever the newest value
   * was.
   */
  readonly shownTime: readonly [from: number, to: number];
  /** Oldest first; only what holds, has a time and is a number. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  /** The range that all drawn measurements agree on; null where they differ or have none. */
  readonly bounds: Bounds | null;
  /** All of the days that are looked at, the newest first; where there is none, the latest. */
  readonly rows: readonly Measurement[];
  readonly withdrawn: number;
  /** How many have a time that has not come yet. */
  readonly ahead: number;
}

const byTime = (a: Measurement, b: Measurement): number =>
  (a.at ?? -Infinity) - (b.at ?? -Infinity) || (a.id < b.id ? -1 : 1);

/** Whether it says something about the patient: it was not withdrawn, and its time has come. */
const holds = (measurement: Measurement, now: Date): boolean =>
  measurement.state !== 'withdrawn' && !isAhead(measurement, now);

/** Never a withdrawn value: a chart cannot say of a point that it does not hold. */
export const isDrawn = (measurement: Measurement, now: Date): boolean =>
  holds(measurement, now) && measurement.at !== null && measurement.readings.length > 0;

/** Whether it is of the days that are looked at. What has no time always is. */
export function isLookedAt(measurement: Measurement, { days, now }: Look): boolean {
  const age = daysAgo(measurement, now);
  return days === null || age === null || age < days;
}

/** The newest measurement that holds. */
export const latestOf = (measurements: readonly Measurement[], now: Date): Measurement | null =>
  measurements
    .filter((one) => holds(one, now))
    .toSorted(byTime)
    .at(-1) ?? null;

function sharedBounds(drawn: readonly Measurement[]): Bounds | null {
  const [first] = drawn;
  const bounds = first?.bounds.length === 1 ? first.bounds[0] : undefined;
  if (bounds === undefined || (bounds.low === null && bounds.high === null)) return null;
  const isShared = drawn.every(
    (one) => one.bounds.length === 1 && one.bounds[0]?.low === bounds.low && one.bounds[0].high === bounds.high,
  );
  return isShared ? bounds : null;
}

function makeOne(key: string, all: readonly Measurement[], look: Look): Series | null {
  const { now } = look;
  const latest = latestOf(all, now);
  const lookedAt = all.filter((one) => isLookedAt(one, look)).toSorted(byTime);
  const rows = lookedAt.length === 0 && latest !== null ? [latest] : lookedAt;
  const newest = rows.at(-1);
  if (newest === undefined) return null;
  const drawn = lookedAt.filter((one) => isDrawn(one, now));
  const names = [...new Set(drawn.flatMap(({ readings }) => readings.map(({ name }) => name)))];
  const valueAt = (measurement: Measurement, name: string): number | null =>
    measurement.readings.find((reading) => reading.name === name)?.value ?? null;
  const times = drawn.map(({ at }) => at ?? 0);
  const { from, to } = windowOf(look.days, now);
  return {
    key,
    title: newest.title,
    about: newest.about,
    group: newest.group,
    unit: newest.unit,
    latest,
    latestDaysAgo: latest === null ? null : daysAgo(latest, now),
    shownTime: [Math.min(from ?? to, ...times), Math.max(to, ...times)],
    times,
    lines: names.map((name) => ({
      name,
      values: drawn.map((one) => valueAt(one, name)),
      amended: drawn.map((one) => (one.state === 'amended' ? valueAt(one, name) : null)),
    })),
    bounds: sharedBounds(drawn),
    rows: rows.toReversed(),
    withdrawn: rows.filter(({ state }) => state === 'withdrawn').length,
    ahead: rows.filter((one) => one.state !== 'withdrawn' && isAhead(one, now)).length,
  };
}

const contextIn = ({ rows: [newest] }: Series): string =>
  newest === undefined ? '' : contextName(newest.context, newest);
/** What was measured in sleep says so even where it is alone: it is no value of the day. */
const isOfSleep = ({ group, rows: [newest] }: Series): boolean => newest?.context.isSleep === true && group !== 'Sleep';

/** Series of one title get names that tell them apart: by the circumstances, then by the code, then by the unit. */
function tellApart(series: readonly Series[]): Series[] {
  const further: readonly { nameOf: (one: Series) => string; isAlways: (one: Series) => boolean }[] = [
    { nameOf: contextIn, isAlways: isOfSleep },
    { nameOf: ({ about }) => about, isAlways: () => false },
    { nameOf: ({ unit }) => unit, isAlways: () => false },
  ];
  let all = [...series];
  for (const { nameOf, isAlways } of further) {
    const names = new Map<string, Set<string>>();
    for (const one of all) names.set(one.title, (names.get(one.title) ?? new Set()).add(nameOf(one)));
    all = all.map((one) => {
      const isNeeded = (names.get(one.title)?.size ?? 0) > 1 || isAlways(one);
      return isNeeded && nameOf(one) !== '' ? { ...one, title: `${one.title}, ${nameOf(one)}` } : one;
    });
  }
  return all;
}

/** All charts of all groups, in the order of the groups and then of the titles. */
export function makeSeries(measurements: readonly Measurement[], look: Look): Series[] {
  const byKey = Map.groupBy(measurements, ({ key }) => key);
  const series = [...byKey].map(([key, all]) => makeOne(key, all, look)).filter((one) => one !== null);
  return tellApart(series).sort(
    (a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group) || (a.title + a.key < b.title + b.key ? -1 : 1),
  );
}

/** What a chart shows, in a sentence, for whoever cannot see it. */
export function summaryOf({ title, unit, times, lines, rows, withdrawn, ahead }: Series, now: Date): string {
  if (times.length === 0) return `${title}: nothing to draw.`;
  const dates = rows.filter((one) => isDrawn(one, now)).map(({ when }) => when);
  const parts = lines.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    return `${name === '' ? '' : `${name} `}lowest ${Math.min(...known)}, highest ${Math.max(...known)}, latest ${known.at(-1) ?? ''} ${unit}`.trim();
  });
  const gone = withdrawn === 0 ? '' : ` ${withdrawn} withdrawn and not drawn.`;
  const early = ahead === 0 ? '' : ` ${ahead} dated in the future and not drawn.`;
  return `${title}, ${times.length} values from ${dates.at(-1) ?? ''} to ${dates[0] ?? ''}: ${parts.join('; ')}.${gone}${early}`;
}
