import { USER, envelopeOf, type EnvelopeOverrides } from './envelope.ts';
import type { Json } from './json.ts';

export interface AlertEventOverrides extends EnvelopeOverrides {
  readonly measured?: number;
  readonly measuredAt?: string;
  readonly triggeredAt?: string;
}

/** An oxygenation measurement out of its range; never has deviations. */
export function anAlertEvent(overrides: AlertEventOverrides = {}): Json {
  const { userId = USER, measured = 90.5, measuredAt = '2026-11-14T03:12:00+01:00' } = overrides;
  const { triggeredAt = '2026-11-14T03:13:05+01:00' } = overrides;
  return {
    ...envelopeOf('alert_event', 2, overrides),
    metadata: { datetime_string: measuredAt, sources_of_data_array: ['ring_wearable'], user_id_string: userId },
    alerts: {
      triggered_at_string: triggeredAt,
      alert_signals_array: [
        {
          signal_type_string: 'oxygenation',
          measured_value_float: measured,
          baseline_value_float: null,
          threshold_type_string: 'fixed_range',
          threshold_min_float: 92,
          threshold_max_float: null,
          breach_direction_string: 'below',
          unit_string: 'percentage',
          is_default_config_bool: true,
          source_of_data_string: 'ring_wearable',
          measured_at_string: measuredAt,
        },
      ],
    },
    ...overrides.fields,
  };
}

const quiet = (type: string): Json => ({
  signal_type_string: type,
  measured_value_float: null,
  baseline_value_float: null,
  threshold_type_string: null,
  deviation_below_percent_float: null,
  deviation_above_percent_float: null,
  threshold_min_float: null,
  threshold_max_float: null,
  breach_direction_string: null,
  unit_string: null,
  is_default_config_bool: false,
  source_of_data_string: null,
  measured_at_string: null,
});

const tooLow = ({ measured, measuredAt }: NonNullable<AlertSummaryOverrides['oxygenation']>): Json => ({
  ...quiet('oxygenation'),
  measured_value_float: measured,
  threshold_type_string: 'fixed_range',
  threshold_min_float: 92,
  breach_direction_string: 'below',
  unit_string: 'percentage',
  is_default_config_bool: true,
  source_of_data_string: 'ring_wearable',
  measured_at_string: measuredAt,
});

export interface AlertSummaryOverrides extends EnvelopeOverrides {
  readonly day?: string;
  /** What the resting heart rate was when it breached; null for a day with nothing out of range. */
  readonly restingHeartRate?: number | null;
  /** The reading that breached as well; none unless it is given. */
  readonly oxygenation?: { readonly measured: number; readonly measuredAt: string };
}

/** A day on which the resting heart rate breached, or none of the five. */
export function anAlertSummary(overrides: AlertSummaryOverrides = {}): Json {
  const { userId = USER, day = '2026-11-14', restingHeartRate = 71, oxygenation } = overrides;
  return {
    ...envelopeOf('alert_summary', 2, overrides),
    metadata: {
      datetime_string: `${day}T23:59:59+01:00`,
      sources_of_data_array: ['ring_wearable'],
      user_id_string: userId,
      summary_date_string: day,
      user_timezone_string: 'Europe/Madrid',
    },
    alerts: {
      total_alerts_int: (restingHeartRate === null ? 0 : 1) + (oxygenation === undefined ? 0 : 1),
      summary_period_start_string: `${day}T00:00:00+01:00`,
      summary_period_end_string: `${day}T23:59:59+01:00`,
      alert_signals_array: [
        restingHeartRate === null
          ? quiet('resting_heart_rate')
          : {
              signal_type_string: 'resting_heart_rate',
              measured_value_float: restingHeartRate,
              baseline_value_float: 60,
              threshold_type_string: 'baseline_deviation',
              deviation_below_percent_float: 15,
              deviation_above_percent_float: 10,
              threshold_min_float: 51,
              threshold_max_float: 66,
              breach_direction_string: 'above',
              unit_string: 'bpm',
              is_default_config_bool: true,
              source_of_data_string: 'ring_wearable',
              measured_at_string: `${day}T06:30:00+01:00`,
            },
        quiet('hrv'),
        quiet('resting_breathing_rate'),
        oxygenation === undefined ? quiet('oxygenation') : tooLow(oxygenation),
        quiet('sleep_duration'),
      ],
    },
    ...overrides.fields,
  };
}
