import type { HourlySteps, SourceDay } from '../population/index.ts';

/** Section 1: the six kinds of provider that are polled. */
export const STEPS_SOURCES: readonly string[] = [
  'StrapWearable',
  'RingWearable',
  'GpsWatch',
  'FitnessBand',
  'ConnectedScale',
  'SportsWatch',
];

export interface StepsAnswer {
  readonly dataSource: string;
  readonly accumulated: number | null;
  readonly failure: HourlySteps['failure'];
}

/** What the providers of one user answered in one hour, about one local day. */
export interface StepsPoll {
  readonly at: number;
  readonly date: string;
  readonly zone: string;
  readonly endsAt: number;
  readonly answers: readonly StepsAnswer[];
}

/** The highest revision of each source and date. */
export function newestRevisions(days: readonly SourceDay[]): SourceDay[] {
  const newest = new Map<string, SourceDay>();
  for (const day of days) {
    const key = JSON.stringify([day.dataSource, day.date]);
    const known = newest.get(key);
    if (known === undefined || day.revision > known.revision) newest.set(key, day);
  }
  return [...newest.values()];
}

/**
 * The polls after `after` and up to `until`, in their order. What is asked in one hour about one day is one poll,
 * whichever minute each source was asked in; other sources than the six are not polled.
 */
export function stepsPolls(days: readonly SourceDay[], after: number, until: number): StepsPoll[] {
  const polls = new Map<string, StepsPoll & { readonly answers: StepsAnswer[] }>();
  for (const { dataSource, date, zone, endsAt, hourlySteps } of newestRevisions(days)) {
    if (!STEPS_SOURCES.includes(dataSource)) continue;
    for (const { at, accumulated, failure } of hourlySteps) {
      if (at <= after || at > until) continue;
      const key = JSON.stringify([date, zone, Math.floor(at / 3_600_000)]);
      const known = polls.get(key);
      const answers = known?.answers ?? [];
      answers.push({ dataSource, accumulated, failure });
      polls.set(key, { at: Math.max(at, known?.at ?? at), date, zone, endsAt, answers });
    }
  }
  return [...polls.values()].sort((a, b) => a.at - b.at || (a.date < b.date ? -1 : 1));
}
