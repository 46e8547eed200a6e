import { z } from 'zod';
import { canonicalJson } from '../kernel/index.ts';
import { dateTime, decimal, integer, sources, word, type JsonNumber } from './envelope.ts';
import { mapParsed, type Finding, type Read } from './finding.ts';

/** Specification, section 2.8: a summary always has all five, in this order. */
export const SIGNALS = [
  'resting_heart_rate',
  'hrv',
  'resting_breathing_rate',
  'oxygenation',
  'sleep_duration',
] as const;

export interface AlertSignal {
  readonly type: string;
  readonly measured: JsonNumber | null;
  readonly baseline: JsonNumber | null;
  readonly thresholdType: string | null;
  readonly deviationBelowPercent: JsonNumber | null;
  readonly deviationAbovePercent: JsonNumber | null;
  readonly thresholdMin: JsonNumber | null;
  readonly thresholdMax: JsonNumber | null;
  readonly breach: string | null;
  readonly unit: string | null;
  readonly isDefaultRule: boolean;
  readonly source: string | null;
  readonly measuredAt: string | null;
}
export interface AlertEvent {
  readonly kind: 'alert_event';
  readonly at: string;
  readonly triggeredAt: string;
  readonly sources: readonly string[];
  readonly signal: AlertSignal;
}
export interface AlertSummary {
  readonly kind: 'alert_summary';
  readonly at: string;
  readonly day: string;
  readonly timeZone: string | null;
  readonly from: string;
  readonly to: string;
  readonly sources: readonly string[];
  /** How many alerts the source counts. */
  readonly total: number;
  /** Those that breached; none means that the day was evaluated and earlier alerts of it no longer hold. */
  readonly alerts: readonly AlertSignal[];
  readonly signals: readonly AlertSignal[];
}

const value = decimal.nullish();
const signal = z
  .looseObject({
    signal_type_string: z.string(),
    measured_value_float: value,
    baseline_value_float: value,
    threshold_type_string: word,
    deviation_below_percent_float: value,
    deviation_above_percent_float: value,
    threshold_min_float: value,
    threshold_max_float: value,
    breach_direction_string: word,
    unit_string: word,
    is_default_config_bool: z.boolean(),
    source_of_data_string: word,
    measured_at_string: dateTime.nullish(),
  })
  .transform((s): AlertSignal => ({
    type: s.signal_type_string,
    measured: s.measured_value_float ?? null,
    baseline: s.baseline_value_float ?? null,
    thresholdType: s.threshold_type_string,
    deviationBelowPercent: s.deviation_below_percent_float ?? null,
    deviationAbovePercent: s.deviation_above_percent_float ?? null,
    thresholdMin: s.threshold_min_float ?? null,
    thresholdMax: s.threshold_max_float ?? null,
    breach: s.breach_direction_string,
    unit: s.unit_string,
    isDefaultRule: s.is_default_config_bool,
    source: s.source_of_data_string,
    measuredAt: s.measured_at_string ?? null,
  }));

const metadata = z.looseObject({
  datetime_string: dateTime,
  user_id_string: z.string(),
  sources_of_data_array: sources,
});

/** The same moment in another offset is the same; without an offset it is only what it says. */
const momentOf = (time: string): string => (/(Z|[+-]\d{2}:?\d{2})$/.test(time) ? new Date(time).toISOString() : time);

const eventShape = z.looseObject({
  metadata,
  alerts: z.looseObject({ triggered_at_string: dateTime, alert_signals_array: z.tuple([signal]) }),
});

export function readAlertEvent(payload: unknown): z.ZodSafeParseResult<Read<AlertEvent>> {
  return mapParsed(eventShape.safeParse(payload), ({ metadata: m, alerts }): Read<AlertEvent> => {
    const [only] = alerts.alert_signals_array;
    return {
      document: {
        kind: 'alert_event',
        at: m.datetime_string,
        triggeredAt: alerts.triggered_at_string,
        sources: m.sources_of_data_array,
        signal: only,
      },
      userIds: [{ at: 'metadata.user_id_string', id: m.user_id_string }],
      findings: [],
      keyParts: ['alert', only.type, momentOf(only.measuredAt ?? m.datetime_string), only.source ?? ''],
      order: { by: 'version' },
      clinical: () => canonicalJson(only),
    };
  });
}

const summaryShape = z.looseObject({
  metadata: metadata.extend({ summary_date_string: z.iso.date(), user_timezone_string: word }),
  alerts: z.looseObject({
    total_alerts_int: integer,
    summary_period_start_string: dateTime,
    summary_period_end_string: dateTime,
    alert_signals_array: z.array(signal),
  }),
});

export function readAlertSummary(payload: unknown): z.ZodSafeParseResult<Read<AlertSummary>> {
  return mapParsed(summaryShape.safeParse(payload), ({ metadata: m, alerts }): Read<AlertSummary> => {
    const signals = alerts.alert_signals_array;
    const breached = signals.filter(({ measured }) => measured !== null);
    const findings: Finding[] = [];
    if (breached.length !== alerts.total_alerts_int)
      findings.push({ code: 'alerts.total', at: 'alerts.total_alerts_int' });
    if (signals.map(({ type }) => type).join() !== SIGNALS.join())
      findings.push({ code: 'alerts.order', at: 'alerts.alert_signals_array' });
    return {
      document: {
        kind: 'alert_summary',
        at: m.datetime_string,
        day: m.summary_date_string,
        timeZone: m.user_timezone_string,
        from: alerts.summary_period_start_string,
        to: alerts.summary_period_end_string,
        sources: m.sources_of_data_array,
        total: alerts.total_alerts_int,
        alerts: breached,
        signals,
      },
      userIds: [{ at: 'metadata.user_id_string', id: m.user_id_string }],
      findings,
      keyParts: ['alert-summary', m.summary_date_string],
      order: { by: 'version' },
      clinical: () =>
        signals
          .map((one) => canonicalJson(one))
          .sort()
          .join('\n'),
    };
  });
}
