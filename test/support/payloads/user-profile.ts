import { USER, envelopeOf, type EnvelopeOverrides } from './envelope.ts';
import type { Json } from './json.ts';

export interface UserProfileOverrides extends EnvelopeOverrides {
  readonly day?: string;
  readonly activityScore?: number;
}

/** Four domains with scores and levels that agree, and one (body) that could not be computed. */
export function aUserProfile(overrides: UserProfileOverrides = {}): Json {
  const { userId = USER, day = '2026-11-14', activityScore = 80 } = overrides;
  return {
    ...envelopeOf('user_profile', 1, overrides),
    user_profile_data: {
      metadata: {
        datetime_string: `${day}T00:00:00+01:00`,
        user_id_string: userId,
        request_id_string: '7d0c1a52-0000-4000-8000-00000000000a',
      },
      demographics: { sex_string: 'female', birth_year_int: 1980, country_string: null, utc_offset_seconds_int: 3600 },
      profiles: {
        activity: {
          score_int: activityScore,
          level_string: 'Optimal',
          trend_string: 'improving',
          metrics: {
            confidence_score_int: 90,
            daily_steps_avg_int: 9120,
            active_avg_minutes_int: 48,
            activity_calories_avg_kcal_float: 412.5,
            activity_frequency_int: 5,
          },
        },
        sleep: {
          score_int: 65,
          level_string: 'Good',
          trend_string: 'stable',
          metrics: {
            confidence_score_int: 70,
            sleep_duration_avg_hours_float: 7.25,
            sleep_efficiency_1_100_avg_int: 88,
            time_in_bed_avg_hours_float: 8.1,
            sleep_consistency_dict: {
              score_int: 60,
              start: { variability_int: 25, typical_interval_array: ['22:30', '23:15'] },
              end: { variability_int: 20, typical_interval_array: ['06:30', '07:10'] },
            },
          },
        },
        cardio: {
          score_int: 64,
          level_string: 'Moderate',
          trend_string: null,
          metrics: {
            confidence_score_int: 55,
            hr_resting_avg_int: 58,
            hrv_avg_float: 44.5,
            hrv_type_string: 'rmssd',
            active_duration_avg_seconds_float: 2880.5,
            hr_max_avg_int: 151,
            hr_min_avg_int: 49,
          },
        },
        recovery: {
          score_int: 29,
          level_string: 'Critical',
          trend_string: 'stable',
          metrics: {
            confidence_score_int: 40,
            hr_resting_avg_int: 58,
            hrv_avg_float: 44.5,
            hrv_type_string: 'rmssd',
            hrv_baseline_delta_float: -3.25,
            sleep_debt_hours_float: 1.5,
          },
        },
        body: { score_int: null, level_string: null, trend_string: null, metrics: null },
      },
      overall: { health_score_int: 79, category_string: 'Good', trend_string: 'improving', confidence_score_int: 64 },
      observations: [{ text_string: 'Synthetic observation.', confidence_int: 75 }],
    },
    ...overrides.fields,
  };
}
