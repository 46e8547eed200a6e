import type { Remark } from './profile-payload.ts';
import type { Scored, ScoredDomains } from './score-domains.ts';
import { rounded } from './signals.ts';

/** Something that could be said. Two of one topic are about the same thing; of two stances only one can be right. */
export interface Candidate {
  readonly topic: string;
  readonly stance: 'well' | 'watch';
  readonly text: string;
  /** Of the data behind it, 0 to 100. */
  readonly confidence: number;
}

type Said = readonly [Candidate['stance'], string] | null;
type Rule = (domains: ScoredDomains) => Candidate | null;

/** A sentence about one metric of one domain, where it was measured and there is something to say. */
function about<D extends keyof ScoredDomains, K extends keyof Metrics<D> & string>(
  topic: string,
  domain: D,
  field: K,
  say: (value: NonNullable<Metrics<D>[K]>, metrics: Metrics<D>) => Said,
): Rule {
  return (domains) => {
    const scored = domains[domain] as Scored<Metrics<D>>;
    const value = scored?.metrics[field] ?? null;
    const said = scored === null || value === null ? null : say(value, scored.metrics);
    if (scored === null || said === null) return null;
    return { topic, stance: said[0], text: said[1], confidence: Math.round(100 * (scored.coverage[field] ?? 0)) };
  };
}
type Metrics<D extends keyof ScoredDomains> = NonNullable<ScoredDomains[D]>['metrics'];

const thousands = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

/** Each a condition and a sentence: of habits and measurements, never of a diagnosis. */
const RULES: readonly Rule[] = [
  about('movement', 'activity', 'daily_steps_avg_int', (steps) => {
    if (steps >= 8_000) return ['well', `Daily steps average ${thousands(steps)}: an active week.`];
    return steps < 5_000
      ? ['watch', `Daily steps average ${thousands(steps)}: more movement in the day would help.`]
      : null;
  }),
  about('movement', 'activity', 'activity_frequency_int', (days) => {
    if (days >= 5) return ['well', `Active on ${days} of 7 days.`];
    return days <= 1 ? ['watch', 'Hardly a day of the week had half an hour of activity.'] : null;
  }),
  about('sleep amount', 'sleep', 'sleep_duration_avg_hours_float', (hours) => {
    const text = `Nights average ${rounded(hours, 1)} hours of sleep`;
    if (hours >= 7 && hours <= 9) return ['well', `${text}, which is in the recommended range.`];
    return ['watch', `${text}, ${hours < 7 ? 'less' : 'more'} than recommended.`];
  }),
  about('sleep amount', 'recovery', 'sleep_debt_hours_float', (debt) =>
    debt >= 5 ? ['watch', `The sleep debt of the week is ${rounded(debt, 1)} hours.`] : null,
  ),
  about('sleep quality', 'sleep', 'sleep_efficiency_1_100_avg_int', (efficiency) =>
    efficiency < 80 ? ['watch', `Only ${efficiency} percent of the time in bed is sleep.`] : null,
  ),
  about('sleep times', 'sleep', 'sleep_consistency_dict', ({ score_int: score }) => {
    if (score >= 80) return ['well', 'Times of falling asleep and waking are regular.'];
    return score < 50 ? ['watch', 'Times of falling asleep and waking change a lot from day to day.'] : null;
  }),
  about('resting heart rate', 'cardio', 'hr_resting_avg_int', (rate) => {
    if (rate <= 60) return ['well', `Resting heart rate is low at ${rate} bpm.`];
    return rate >= 80 ? ['watch', `Resting heart rate is high at ${rate} bpm.`] : null;
  }),
  about('recovery', 'recovery', 'hrv_baseline_delta_float', (delta, { hrv_avg_float: average }) => {
    const usual = (average ?? 0) - delta;
    if (delta <= -0.1 * usual) return ['watch', 'Heart rate variability is below what is usual.'];
    return delta >= 0.1 * usual ? ['well', 'Heart rate variability is above what is usual.'] : null;
  }),
  about('recovery', 'recovery', 'sleep_debt_hours_float', (debt) =>
    debt <= 1 ? ['well', 'There is next to no sleep debt to recover from.'] : null,
  ),
  about('weight', 'body', 'bmi', (bmi) => {
    if (bmi >= 18.5 && bmi < 25) return ['well', 'Weight is in the usual range for the height.'];
    return ['watch', `Weight is ${bmi < 18.5 ? 'low' : 'high'} for the height.`];
  }),
  about('blood pressure', 'body', 'systolic', (systolic) =>
    systolic >= 130 ? ['watch', 'Blood pressure readings of the week are above the usual range.'] : null,
  ),
  about('blood pressure', 'body', 'diastolic', (diastolic) =>
    diastolic >= 85 ? ['watch', 'Blood pressure readings of the week are above the usual range.'] : null,
  ),
  about('oxygenation', 'body', 'spo2', (spo2) =>
    spo2 < 94 ? ['watch', `Oxygen saturation averages ${spo2} percent, below the usual range.`] : null,
  ),
];

/**
 * One for each topic, in the order in which the topics came up. Where both stances are taken, caution is right and the
 * praise goes; among those that are left, the first that rests on most data speaks for them.
 */
export function resolve(candidates: readonly Candidate[]): Candidate[] {
  const byTopic = new Map<string, Candidate>();
  for (const one of candidates) {
    const known = byTopic.get(one.topic);
    const wins = known?.stance === one.stance ? one.confidence > known.confidence : one.stance === 'watch';
    if (known === undefined || wins) byTopic.set(one.topic, one);
  }
  return [...byTopic.values()];
}

export const remarksOf = (domains: ScoredDomains): Remark[] =>
  resolve(RULES.flatMap((rule) => rule(domains) ?? [])).map(({ text, confidence }) => ({
    text_string: text,
    confidence_int: confidence,
  }));
