import { canonicalJson } from '../../src/kernel/index.ts';
import { localTime, type DaySummary } from '../population/index.ts';
import { oxygenLimits, type OxygenSample } from './alert-events.ts';
import type { Baselines } from './baselines.ts';
import type { Whose } from './next-steps-event.ts';
import {
  BASELINE_SIGNALS,
  breachOf,
  dailyValue,
  distanceOutside,
  rounded,
  SIGNAL_KINDS,
  SIGNAL_TYPES,
  type BaselineSignal,
  type Limits,
  type Measured,
  type RuleOf,
  type SignalObject,
  type SignalType,
} from './signals.ts';

/** Section 2.8. */
export interface AlertSummaryPayload {
  readonly version: 2;
  readonly document_version: number;
  readonly data_structure: 'alert_summary';
  readonly client_uuid: string;
  readonly user_id: string;
  readonly metadata: {
    readonly datetime_string: string;
    readonly sources_of_data_array: readonly string[];
    readonly user_id_string: string;
    readonly summary_date_string: string;
    readonly user_timezone_string: string;
  };
  readonly alerts: {
    readonly total_alerts_int: number;
    readonly summary_period_start_string: string;
    readonly summary_period_end_string: string;
    readonly alert_signals_array: readonly SignalObject[];
  };
}

/** What was last said of one user's day. */
export interface SummaryState {
  readonly date: string;
  readonly documentVersion: number;
  readonly alerts: AlertSummaryPayload['alerts'];
}

export const summaryStateOf = ({
  document_version: documentVersion,
  metadata,
  alerts,
}: AlertSummaryPayload): SummaryState => ({
  date: metadata.summary_date_string,
  documentVersion,
  alerts,
});

export interface SummaryInput {
  readonly whose: Whose;
  readonly day: DaySummary;
  /** Oxygenation by itself; those outside the day are not looked at. */
  readonly samples: readonly OxygenSample[];
  readonly baselines: Baselines;
  readonly ruleOf: RuleOf;
}

const quiet = (type: SignalType): SignalObject => ({
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

/** A day that helped to make the baseline is not judged by it. */
function baselineFor({ baselines, day }: SummaryInput, signal: BaselineSignal): number | null {
  const baseline = baselines[signal];
  return baseline.state === 'closed' && day.date > baseline.to ? baseline.value : null;
}

const isBaselineSignal = (type: SignalType): type is BaselineSignal =>
  (BASELINE_SIGNALS as readonly string[]).includes(type);

interface Standard extends Limits {
  readonly baseline: number | null;
  readonly below: number | null;
  readonly above: number | null;
  readonly isDefault: boolean;
}

/** What a value of today is held against; null while the baseline is open. */
function standardOf(input: SummaryInput, type: SignalType): Standard | null {
  if (!isBaselineSignal(type)) {
    const { rule, isDefault } = input.ruleOf(type);
    const limits = { min: rule.threshold_min_float ?? null, max: rule.threshold_max_float ?? null };
    return { baseline: null, below: null, above: null, isDefault, ...limits };
  }
  const baseline = baselineFor(input, type);
  if (baseline === null) return null;
  const { rule, isDefault } = input.ruleOf(type);
  const below = rule.deviation_below_percent_float ?? null;
  const above = rule.deviation_above_percent_float ?? null;
  return {
    baseline,
    below,
    above,
    isDefault,
    // Rounded before anything is held against it, so that the numbers of an alert agree with its direction.
    min: below === null ? null : rounded(Math.max(0, baseline * (1 - below / 100)), 1),
    max: above === null ? null : rounded(baseline * (1 + above / 100), 1),
  };
}

/**
 * The sample that lies farthest outside, so that a day's summary never denies an alert of that day; else the value of
 * the day.
 */
function oxygenOf({ day, samples, ruleOf }: SummaryInput): Measured | null {
  const limits = oxygenLimits(ruleOf);
  let worst: OxygenSample | null = null;
  for (const sample of samples) {
    if (sample.at < day.startsAt || sample.at >= day.endsAt) continue;
    if (distanceOutside(sample.value, limits) > (worst === null ? 0 : distanceOutside(worst.value, limits)))
      worst = sample;
  }
  return worst ?? dailyValue(day, 'oxygenation');
}

function evaluate(input: SummaryInput, type: SignalType): SignalObject {
  const standard = standardOf(input, type);
  const measured = type === 'oxygenation' ? oxygenOf(input) : dailyValue(input.day, type);
  const breach = standard === null || measured === null ? null : breachOf(measured.value, standard);
  if (standard === null || measured === null || breach === null) return quiet(type);
  return {
    signal_type_string: type,
    measured_value_float: measured.value,
    baseline_value_float: standard.baseline,
    threshold_type_string: SIGNAL_KINDS[type].method,
    deviation_below_percent_float: standard.below,
    deviation_above_percent_float: standard.above,
    threshold_min_float: standard.min,
    threshold_max_float: standard.max,
    breach_direction_string: breach,
    unit_string: SIGNAL_KINDS[type].unit,
    is_default_config_bool: standard.isDefault,
    source_of_data_string: measured.source,
    measured_at_string: localTime(input.day.zone, measured.at),
  };
}

/**
 * Sections 3 and 6: without the day's sleep, or before the first baseline is closed, nothing can be said of the day.
 */
const canBeEvaluated = (input: SummaryInput): boolean =>
  input.day.sleep !== null && BASELINE_SIGNALS.some((signal) => baselineFor(input, signal) !== null);

/**
 * The summary of a day that can be evaluated, unless the last one already says the same. A day that was out of range
 * and no longer is gets a summary of no alerts, which takes the earlier ones back.
 */
export function nextAlertSummary(
  previous: SummaryState | null,
  input: SummaryInput,
): { readonly state: SummaryState; readonly payload: AlertSummaryPayload } | null {
  if (!canBeEvaluated(input)) return null;
  const { day, whose } = input;
  const signals = SIGNAL_TYPES.map((type) => evaluate(input, type));
  const end = localTime(day.zone, day.endsAt - 1_000);
  const alerts = {
    total_alerts_int: signals.filter(({ measured_value_float: measured }) => measured !== null).length,
    summary_period_start_string: localTime(day.zone, day.startsAt),
    summary_period_end_string: end,
    alert_signals_array: signals,
  };
  const before = previous?.date === day.date ? previous : null;
  if (before !== null && canonicalJson(before.alerts) === canonicalJson(alerts)) return null;
  const documentVersion = (before?.documentVersion ?? 0) + 1;
  return {
    state: { date: day.date, documentVersion, alerts },
    payload: {
      version: 2,
      document_version: documentVersion,
      data_structure: 'alert_summary',
      client_uuid: whose.client,
      user_id: whose.user,
      metadata: {
        datetime_string: end,
        sources_of_data_array: [...day.sources],
        user_id_string: whose.user,
        summary_date_string: day.date,
        user_timezone_string: day.zone,
      },
      alerts,
    },
  };
}
