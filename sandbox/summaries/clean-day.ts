import {
  dayBounds,
  type BodyReadings,
  type DaySummary,
  type SleepReadings,
  type SourceDay,
} from '../population/index.ts';
import {
  BODY_RULES,
  isPlausible,
  NIGHT_RULE,
  PHYSICAL_RULES,
  rankOf,
  SLEEP_RULES,
  type MetricRule,
} from './priority.ts';

export interface CleanOptions {
  /** Data Cleaning: by priority and plausibility. Without it: whoever synced last. */
  readonly isCleaning: boolean;
  /** Time Zone: the local day. Without it: the UTC day of the same date. */
  readonly isTimeZone: boolean;
}

const byName = (a: SourceDay, b: SourceDay): number =>
  a.dataSource < b.dataSource ? -1 : a.dataSource > b.dataSource ? 1 : 0;

/** Of each source what it says now. */
function latestOf(sourceDays: readonly SourceDay[]): SourceDay[] {
  const latest = new Map<string, SourceDay>();
  for (const day of sourceDays)
    if ((latest.get(day.dataSource)?.revision ?? 0) < day.revision) latest.set(day.dataSource, day);
  return [...latest.values()].sort(byName);
}

interface Chooser {
  readonly days: readonly SourceDay[];
  readonly options: CleanOptions;
  /** Written down for each metric that was found. */
  readonly sourceOf: Record<string, string>;
}

/** The source whose answer counts, among those that have one. */
function choose(
  { days, options }: Chooser,
  rule: MetricRule,
  valueOf: (day: SourceDay) => number | null | undefined,
  isBetter: (day: SourceDay) => boolean = () => true,
): SourceDay | null {
  const having = days.filter((day) => {
    const value = valueOf(day);
    return typeof value === 'number' && (!options.isCleaning || isPlausible(value, rule));
  });
  const order = options.isCleaning
    ? (a: SourceDay, b: SourceDay) => rankOf(a.dataSource, rule) - rankOf(b.dataSource, rule)
    : (a: SourceDay, b: SourceDay) => b.syncedAt - a.syncedAt;
  const sorted = having.sort((a, b) => order(a, b) || byName(a, b));
  return (options.isCleaning ? sorted.find(isBetter) : undefined) ?? sorted[0] ?? null;
}

function chooseAll<M extends string>(
  chooser: Chooser,
  group: 'body' | 'physical' | 'sleep',
  rules: Readonly<Record<M, MetricRule>>,
): Record<M, number | null> {
  const chosen: Partial<Record<M, number | null>> = {};
  for (const [metric, rule] of Object.entries(rules) as [M, MetricRule][]) {
    const valueOf = (day: SourceDay): number | null | undefined =>
      (day[group] as Readonly<Record<string, number | null>> | null)?.[metric];
    const day = choose(chooser, rule, valueOf);
    chosen[metric] = day === null ? null : (valueOf(day) ?? null);
    if (day !== null) chooser.sourceOf[`${group}.${metric}`] = day.dataSource;
  }
  return chosen as Record<M, number | null>;
}

const orNull = <T extends object>(readings: T): T | null =>
  Object.values(readings).some((value) => value !== null) ? readings : null;

/** Both pressures are of one cuff. */
function bodyOf(chooser: Chooser): BodyReadings | null {
  const found = chooseAll(chooser, 'body', BODY_RULES);
  const cuff = choose(chooser, BODY_RULES.systolic, ({ body }) => {
    const { systolic = null, diastolic = null } = body ?? {};
    if (systolic === null || diastolic === null) return null;
    return chooser.options.isCleaning && (!isPlausible(diastolic, BODY_RULES.diastolic) || diastolic >= systolic)
      ? null
      : systolic;
  });
  for (const side of ['systolic', 'diastolic']) {
    if (cuff === null) Reflect.deleteProperty(chooser.sourceOf, `body.${side}`);
    else chooser.sourceOf[`body.${side}`] = cuff.dataSource;
  }
  return orNull({ ...found, systolic: cuff?.body?.systolic ?? null, diastolic: cuff?.body?.diastolic ?? null });
}

const NIGHT = ['durationS', 'inBedS', 'remS', 'deepS', 'lightS', 'awakeS'] as const;

/** A whole night of a lesser source is better than a part of one of the best. */
function sleepOf(chooser: Chooser): SleepReadings | null {
  const chosen = choose(
    chooser,
    NIGHT_RULE,
    ({ sleep }) => sleep?.durationS,
    ({ sleep }) => sleep?.isComplete === true,
  );
  const night = chosen?.sleep ?? null;
  if (chosen === null || night === null) return null;
  for (const metric of NIGHT) if (night[metric] !== null) chooser.sourceOf[`sleep.${metric}`] = chosen.dataSource;
  return { ...night, ...chooseAll(chooser, 'sleep', SLEEP_RULES) };
}

/**
 * One value for each metric, of everything that the sources have said of one date; null where they have said nothing.
 */
export function cleanDay(sourceDays: readonly SourceDay[], options: CleanOptions): DaySummary | null {
  const days = latestOf(sourceDays);
  const [first] = days;
  if (first === undefined) return null;
  const sourceOf: Record<string, string> = {};
  const chooser = { days, options, sourceOf };
  const zone = options.isTimeZone ? first.zone : 'UTC';
  const bounds = options.isTimeZone ? { startsAt: first.startsAt, endsAt: first.endsAt } : dayBounds('UTC', first.date);
  const body = bodyOf(chooser);
  const physical = orNull(chooseAll(chooser, 'physical', PHYSICAL_RULES));
  const sleep = sleepOf(chooser);
  if (body === null && physical === null && sleep === null) return null;
  return {
    date: first.date,
    zone,
    ...bounds,
    body,
    physical,
    sleep,
    sources: [...new Set(Object.values(sourceOf))].sort(),
    sourceOf,
  };
}
