import {
  addDays,
  dayBounds,
  daysOf,
  localDateOf,
  permit,
  zoneOn,
  type BodyReadings,
  type Person,
  type SourceDay,
} from '../population/index.ts';
import { preExistingDates, preExistingOf } from '../summaries/index.ts';

/** One time during which a source was connected, and what of it the service may have. */
export interface Span {
  /** The first date of which there is data: days before the connection where there is pre-existing data. */
  readonly firstDate: string;
  readonly connectedDate: string;
  readonly from: number;
  /** Null while it is connected; what syncs later is not had. */
  readonly until: number | null;
  /** Null: everything. */
  readonly granted: readonly string[] | null;
  /** StrapWearable says the same of the body for every day before the connection. */
  readonly repeatedBody: BodyReadings | null;
}

/** A source of one user, as long as it was ever connected. */
export interface Followed {
  readonly dataSource: string;
  readonly spans: readonly Span[];
}

export interface World {
  readonly seed: number;
  readonly person: Person;
}

/** The date on the wall of the person, wherever they are. */
export function dateOf({ seed, person }: World, at: number): string {
  const atHome = localDateOf(person.zone, at);
  return localDateOf(zoneOn(seed, person, atHome), at);
}

export const startOf = ({ seed, person }: World, date: string): number =>
  dayBounds(zoneOn(seed, person, date), date).startsAt;

export function beginSpan(
  world: World,
  dataSource: string,
  given: {
    readonly at: number;
    readonly granted: readonly string[] | null;
    readonly preExisting: 'none' | 'due';
    readonly isAccountLinkedBefore: boolean;
  },
): Span {
  const connectedDate = dateOf(world, given.at);
  const bare: Span = {
    firstDate: connectedDate,
    connectedDate,
    from: given.at,
    until: null,
    granted: given.granted,
    repeatedBody: null,
  };
  if (given.preExisting === 'none') return bare;
  const { isAccountLinkedBefore, granted, at: connectedAt } = given;
  const days = preExistingOf({ ...world, dataSource, connectedAt, isAccountLinkedBefore, granted });
  const [firstDate = connectedDate] =
    days.length === 0 ? [] : preExistingDates(world.seed, world.person, dataSource, connectedAt);
  const repeatedBody = dataSource === 'StrapWearable' ? (days.at(-1)?.body ?? null) : null;
  return { ...bare, firstDate, repeatedBody };
}

/** The habits of two providers with the time before a connection (section 1). */
function withHabits(day: SourceDay, { connectedDate, repeatedBody }: Span): SourceDay {
  if (day.date >= connectedDate) return day;
  if (day.dataSource === 'SportsWatch') return { ...day, body: null, physical: null };
  return day.dataSource === 'StrapWearable' ? { ...day, body: repeatedBody } : day;
}

const isHad = (day: SourceDay, { firstDate, until }: Span): boolean =>
  day.date >= firstDate && (until === null || day.syncedAt <= until);

/** What the service has of a source's day at a time: the newest revision that came while it was connected. */
export function revisionAt(world: World, { dataSource, spans }: Followed, date: string, at: number): SourceDay | null {
  if (!spans.some(({ firstDate, from }) => date >= firstDate && at >= from)) return null;
  const revisions = daysOf(world.seed, world.person, dataSource, date);
  for (const day of revisions.toReversed()) {
    if (day.syncedAt > at) continue;
    const span = spans.findLast((one) => one.from <= at && isHad(day, one));
    if (span !== undefined) return withHabits(span.granted === null ? day : permit(day, span.granted), span);
  }
  return null;
}

/**
 * What a source says by the hour and by the minute of a day, whether or not its summary has come: only while it is
 * connected.
 */
export function momentsOf(world: World, { dataSource, spans }: Followed, date: string): SourceDay | null {
  const [day] = daysOf(world.seed, world.person, dataSource, date);
  if (day === undefined) return null;
  const isDuring = (at: number): boolean =>
    spans.some(({ from, until }) => at > from && (until === null || at <= until));
  const granted = spans.at(-1)?.granted ?? null;
  const seen = granted === null ? day : permit(day, granted);
  return {
    ...seen,
    samples: seen.samples.filter(({ at }) => isDuring(at)),
    hourlySteps: seen.hourlySteps.filter(({ at }) => isDuring(at)),
  };
}

/** The dates before a connection of which the source had something by then. */
export function extractedDates(
  world: World,
  followed: Followed,
  { firstDate, connectedDate, from }: Span,
): readonly string[] {
  const dates: string[] = [];
  for (let date = firstDate; date < connectedDate; date = nextDate(date))
    if (revisionAt(world, followed, date, from) !== null) dates.push(date);
  return dates;
}

/** Longer than any revision is late, in days. */
export const LATE_DAYS = 14;

export interface DayDue {
  readonly at: number;
  readonly kind: 'synced' | 'sampled' | 'polled';
}

/** Everything of one day of a source that is due after a time. */
export function duesOf(world: World, followed: Followed, date: string, after: number): readonly DayDue[] {
  const span = followed.spans.findLast(({ firstDate }) => date >= firstDate);
  if (span === undefined) return [];
  const synced = daysOf(world.seed, world.person, followed.dataSource, date)
    .filter((day) => isHad(day, span))
    .map(({ syncedAt }): DayDue => ({ at: Math.max(syncedAt, span.from), kind: 'synced' }));
  const moments = momentsOf(world, followed, date);
  const sampled = (moments?.samples ?? [])
    .filter(({ kind }) => kind === 'spo2')
    .map(({ at }): DayDue => ({ at, kind: 'sampled' }));
  const polled = (moments?.hourlySteps ?? []).map(({ at }): DayDue => ({ at, kind: 'polled' }));
  return [...synced, ...sampled, ...polled].filter(({ at }) => at > after);
}

export const nextDate = (date: string): string => addDays(date, 1);
