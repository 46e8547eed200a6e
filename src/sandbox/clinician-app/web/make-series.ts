import { GROUPS, type Bounds, type Group, type Measurement } from './read-measurement.ts';

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
  /** Oldest first; only what holds, has a time and is a number. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  /** The range that all drawn measurements agree on; null where they differ or have none. */
  readonly bounds: Bounds | null;
  /** All of them, the newest first. */
  readonly rows: readonly Measurement[];
  readonly withdrawn: number;
}

const byTime = (a: Measurement, b: Measurement): number => (a.at ?? -Infinity) - (b.at ?? -Infinity) || (a.id < b.id ? -1 : 1);

/** Never a withdrawn value: a chart cannot say of a point that it does not hold. */
export const isDrawn = ({ state, at, readings }: Measurement): boolean =>
  state !== 'withdrawn' && at !== null && readings.length > 0;

function sharedBounds(drawn: readonly Measurement[]): Bounds | null {
  const [first] = drawn;
  const bounds = first?.bounds.length === 1 ? first.bounds[0] : undefined;
  if (bounds === undefined || (bounds.low === null && bounds.high === null)) return null;
  const isShared = drawn.every(
    (one) => one.bounds.length === 1 && one.bounds[0]?.low === bounds.low && one.bounds[0].high === bounds.high,
  );
  return isShared ? bounds : null;
}

function makeOne(key: string, all: readonly Measurement[]): Series | null {
  const rows = all.toSorted(byTime);
  const newest = rows.at(-1);
  if (newest === undefined) return null;
  const drawn = rows.filter(isDrawn);
  const names = [...new Set(drawn.flatMap(({ readings }) => readings.map(({ name }) => name)))];
  const valueAt = (measurement: Measurement, name: string): number | null =>
    measurement.readings.find((reading) => reading.name === name)?.value ?? null;
  return {
    key,
    title: newest.title,
    about: newest.about,
    group: newest.group,
    unit: newest.unit,
    times: drawn.map(({ at }) => at ?? 0),
    lines: names.map((name) => ({
      name,
      values: drawn.map((one) => valueAt(one, name)),
      amended: drawn.map((one) => (one.state === 'amended' ? valueAt(one, name) : null)),
    })),
    bounds: sharedBounds(drawn),
    rows: rows.toReversed(),
    withdrawn: rows.filter(({ state }) => state === 'withdrawn').length,
  };
}

/** All charts of all groups, in the order of the groups and then of the titles. */
export function makeSeries(measurements: readonly Measurement[]): Series[] {
  const byKey = Map.groupBy(measurements, ({ key }) => key);
  return [...byKey]
    .map(([key, all]) => makeOne(key, all))
    .filter((series) => series !== null)
    .sort((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group) || (a.title + a.key < b.title + b.key ? -1 : 1));
}

/** The newest time that any measurement has; a span of days is counted back from there. */
export const newestOf = (measurements: readonly Measurement[]): number | null =>
  measurements.reduce<number | null>((newest, { at }) => (at !== null && (newest === null || at > newest) ? at : newest), null);

const DAY_SECONDS = 86_400;

/** The measurements of the last so many days that have data; those without a time always stay. Null for all. */
export function lastDays(measurements: readonly Measurement[], days: number | null): readonly Measurement[] {
  const newest = newestOf(measurements);
  if (days === null || newest === null) return measurements;
  const lastDay = Math.floor(newest / DAY_SECONDS) * DAY_SECONDS;
  return measurements.filter(({ at }) => at === null || at >= lastDay - (days - 1) * DAY_SECONDS);
}

/** What a chart shows, in a sentence, for whoever cannot see it. */
export function summaryOf({ title, unit, times, lines, rows, withdrawn }: Series): string {
  if (times.length === 0) return `${title}: nothing to draw.`;
  const dates = rows.filter(isDrawn).map(({ when }) => when);
  const parts = lines.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    return `${name === '' ? '' : `${name} `}lowest ${Math.min(...known)}, highest ${Math.max(...known)}, latest ${known.at(-1) ?? ''} ${unit}`.trim();
  });
  const gone = withdrawn === 0 ? '' : ` ${withdrawn} withdrawn and not drawn.`;
  return `${title}, ${times.length} values from ${dates.at(-1) ?? ''} to ${dates[0] ?? ''}: ${parts.join('; ')}.${gone}`;
}
