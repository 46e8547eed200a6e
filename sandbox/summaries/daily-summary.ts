import { hash } from 'node:crypto';
import { canonicalJson } from '../../src/kernel/index.ts';
import {
  localTime,
  type BodyReadings,
  type DaySummary,
  type PhysicalReadings,
  type SleepReadings,
} from '../population/index.ts';
import type { SummaryGroup } from './clinical-metrics.ts';
import type { About, SentDocument } from './clinical-ready.ts';

/*
 * The payloads of daily summaries are not published: these are ours. They say everything that is known, with a service
 * code or without.
 */

const BODY: Readonly<Record<keyof BodyReadings, string>> = {
  weightKg: 'weight_kg_float',
  heightCm: 'height_cm_float',
  bmi: 'bmi_float',
  systolic: 'systolic_mmhg_int',
  diastolic: 'diastolic_mmhg_int',
  restingHeartRate: 'hr_resting_bpm_int',
  hrvMs: 'hrv_avg_ms_float',
  spo2: 'saturation_avg_percentage_float',
  caloricIntakeKcal: 'calories_intake_kcal_int',
};

const PHYSICAL: Readonly<Record<keyof PhysicalReadings, string>> = {
  steps: 'steps_int',
  distanceM: 'distance_meters_float',
  averageHeartRate: 'hr_avg_bpm_int',
  maxHeartRate: 'hr_max_bpm_int',
  minHeartRate: 'hr_min_bpm_int',
  vo2max: 'vo2max_ml_per_kg_per_min_float',
  spo2: 'saturation_avg_percentage_float',
  activeSeconds: 'active_seconds_int',
  activeKcal: 'calories_active_kcal_int',
};

type Night = Exclude<keyof SleepReadings, 'startedAt' | 'endedAt' | 'isComplete'>;
const SLEEP: Readonly<Record<Night, string>> = {
  durationS: 'sleep_duration_seconds_int',
  inBedS: 'time_in_bed_seconds_int',
  remS: 'rem_sleep_seconds_int',
  deepS: 'deep_sleep_seconds_int',
  lightS: 'light_sleep_seconds_int',
  awakeS: 'awake_seconds_int',
  breathingRate: 'breathing_rate_avg_float',
  spo2: 'saturation_avg_percentage_float',
  latencyS: 'time_to_fall_asleep_seconds_int',
};

const renamed = (readings: object, names: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(names).map(([metric, name]) => [
      name,
      (readings as Readonly<Record<string, unknown>>)[metric] ?? null,
    ]),
  );

function contentOf(
  { zone, body, physical, sleep }: DaySummary,
  group: SummaryGroup,
): Readonly<Record<string, unknown>> | null {
  switch (group) {
    case 'body':
      return body && renamed(body, BODY);
    case 'physical':
      return physical && renamed(physical, PHYSICAL);
    case 'sleep':
      return (
        sleep && {
          sleep_start_datetime_string: localTime(zone, sleep.startedAt),
          sleep_end_datetime_string: localTime(zone, sleep.endedAt),
          ...renamed(sleep, SLEEP),
        }
      );
  }
}

export interface DailySummaryPayload {
  readonly version: 1;
  readonly document_version: number;
  readonly data_structure: `${SummaryGroup}_summary`;
  readonly user_id: string;
  readonly client_uuid: string;
  readonly metadata: {
    readonly datetime_string: string;
    readonly user_id_string: string;
    readonly sources_of_data_array: readonly string[];
    readonly summary_date_string: string;
  };
  readonly summary: Readonly<Record<string, unknown>>;
}

const digestOf = ({ metadata, summary }: DailySummaryPayload): string =>
  hash('sha256', canonicalJson({ metadata, summary })).slice(0, 32);

export const asSentSummary = (payload: DailySummaryPayload): SentDocument => ({
  documentVersion: payload.document_version,
  digest: digestOf(payload),
});

/** A summary that is new or has changed; null where it says what was sent before, or has nothing to say. */
export function nextDailySummary(
  previous: SentDocument | null,
  { about, summary, group }: { readonly about: About; readonly summary: DaySummary; readonly group: SummaryGroup },
): DailySummaryPayload | null {
  const content = contentOf(summary, group);
  if (content === null) return null;
  const prefix = `${group}.`;
  const sources = Object.entries(summary.sourceOf).flatMap(([metric, source]) =>
    metric.startsWith(prefix) ? [source] : [],
  );
  const next: DailySummaryPayload = {
    version: 1,
    document_version: (previous?.documentVersion ?? 0) + 1,
    data_structure: `${group}_summary`,
    user_id: about.userId,
    client_uuid: about.clientUuid,
    metadata: {
      datetime_string: localTime(summary.zone, summary.endsAt - 1_000),
      user_id_string: about.userId,
      sources_of_data_array: [...new Set(sources)].sort(),
      summary_date_string: summary.date,
    },
    summary: content,
  };
  return digestOf(next) === previous?.digest ? null : next;
}
