import {
  addDays,
  daysOf,
  localDateOf,
  permit,
  traitsOfSource,
  zoneOn,
  type Person,
  type SourceDay,
} from '../population/index.ts';

/** Section 8: how many days back. */
export const PRE_EXISTING_DAYS = { api: 7, mobile: 29 } as const;

export interface PreExistingQuestion {
  readonly seed: number;
  readonly person: Person;
  readonly dataSource: string;
  readonly connectedAt: number;
  /** This account is, or was, linked under another user_id of the same client. */
  readonly isAccountLinkedBefore: boolean;
  /** What the user granted on the phone; null for sources that are not asked so. */
  readonly granted: readonly string[] | null;
}

/** Of a date, what the provider had by then. */
function knownAt(revisions: readonly SourceDay[], at: number): SourceDay | null {
  return revisions.filter(({ syncedAt }) => syncedAt <= at).at(-1) ?? null;
}

/** Section 1: the provider's most recent body summary is repeated for all of the days. */
function withLastBody(days: readonly SourceDay[]): readonly SourceDay[] {
  const body = days.findLast((day) => day.body !== null)?.body ?? null;
  return days.map((day) => ({ ...day, body }));
}

/** The dates before the day of the connection that are looked at, oldest first. */
export function preExistingDates(
  seed: number,
  person: Person,
  dataSource: string,
  connectedAt: number,
): readonly string[] {
  const traits = traitsOfSource(dataSource);
  if (traits === null) return [];
  // The date of where the person is: found from home, which is never further than a day off.
  const atHome = localDateOf(person.zone, connectedAt);
  const today = localDateOf(zoneOn(seed, person, atHome), connectedAt);
  const count = PRE_EXISTING_DAYS[traits.kind];
  return Array.from({ length: count }, (_, i) => addDays(today, i - count));
}

/**
 * What a first connection brings of the time before it, with the habits of three providers (section 1): a day for each
 * date of which the source had something, oldest first.
 */
export function preExistingOf(question: PreExistingQuestion): readonly SourceDay[] {
  const { seed, person, dataSource, connectedAt, isAccountLinkedBefore, granted } = question;
  if (dataSource === 'GpsWatch' && isAccountLinkedBefore) return [];
  const known = preExistingDates(seed, person, dataSource, connectedAt).flatMap((date): SourceDay[] => {
    const day = knownAt(daysOf(seed, person, dataSource, date), connectedAt);
    return day === null ? [] : [granted === null ? day : permit(day, granted)];
  });
  if (dataSource === 'SportsWatch') return known.map((day) => ({ ...day, body: null, physical: null }));
  return dataSource === 'StrapWearable' ? withLastBody(known) : known;
}
