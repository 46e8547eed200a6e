import { localTime, type DaySummary } from '../population/index.ts';
import type { About } from './clinical-ready.ts';

const clamp = (value: number): number => Math.min(100, Math.max(0, value));
/** 100 at `best` and beyond, 0 at `worst`. */
const between = (value: number, worst: number, best: number): number => clamp(((value - worst) / (best - worst)) * 100);

/** From 0 to 100: the mean of what is known of the day; null where none of it is. */
export function healthScoreOf({ body, physical, sleep }: DaySummary): number | null {
  const parts: number[] = [];
  const add = (value: number | null | undefined, score: (value: number) => number): void => {
    if (typeof value === 'number') parts.push(score(value));
  };
  add(physical?.steps, (steps) => between(steps, 1_000, 9_000));
  add(sleep?.durationS, (s) => Math.min(between(s, 4 * 3_600, 7.25 * 3_600), between(s, 11.5 * 3_600, 9 * 3_600)));
  add(body?.restingHeartRate, (rate) => between(rate, 95, 58));
  add(body?.spo2 ?? sleep?.spo2, (percent) => between(percent, 88, 96));
  add(body?.hrvMs, (ms) => between(ms, 12, 55));
  return parts.length === 0 ? null : Math.round(parts.reduce((sum, one) => sum + one, 0) / parts.length);
}

/** Its payload is not published. */
export interface HealthScorePayload {
  readonly version: 1;
  readonly document_version: number;
  readonly data_structure: 'health_score';
  readonly user_id: string;
  readonly client_uuid: string;
  readonly health_score: {
    readonly metadata: {
      readonly datetime_string: string;
      readonly user_id_string: string;
      readonly sources_of_data_array: readonly string[];
    };
    readonly health_score_int: number;
  };
}

export function buildHealthScore({ clientUuid, userId }: About, summary: DaySummary): HealthScorePayload | null {
  const score = healthScoreOf(summary);
  if (score === null) return null;
  return {
    version: 1,
    document_version: 1,
    data_structure: 'health_score',
    user_id: userId,
    client_uuid: clientUuid,
    health_score: {
      metadata: {
        datetime_string: localTime(summary.zone, summary.endsAt - 1_000),
        user_id_string: userId,
        sources_of_data_array: summary.sources,
      },
      health_score_int: score,
    },
  };
}
