import { localTime, type SourceDay } from '../population/index.ts';
import type { Whose } from './next-steps-event.ts';
import { breachOf, rounded, SIGNAL_KINDS, type Limits, type RuleOf, type SignalObject } from './signals.ts';
import { newestRevisions } from './steps-polls.ts';

/** Section 2.8. */
export interface AlertEventPayload {
  readonly version: 2;
  readonly document_version: 1;
  readonly data_structure: 'alert_event';
  readonly client_uuid: string;
  readonly user_id: string;
  readonly metadata: {
    readonly datetime_string: string;
    readonly sources_of_data_array: readonly string[];
    readonly user_id_string: string;
  };
  readonly alerts: { readonly triggered_at_string: string; readonly alert_signals_array: readonly [SignalObject] };
}

export interface OxygenSample {
  readonly at: number;
  readonly value: number;
  readonly source: string;
  readonly zone: string;
}

/** The oxygenation samples of the newest revision of each source's day, by time. */
export function oxygenSamples(days: readonly SourceDay[]): OxygenSample[] {
  return newestRevisions(days)
    .flatMap(({ dataSource, zone, samples }) =>
      samples.flatMap(({ kind, at, values }): OxygenSample[] => {
        const [value] = values;
        return kind !== 'spo2' || value === undefined || !Number.isFinite(value)
          ? []
          : [{ at, value: rounded(value, SIGNAL_KINDS.oxygenation.decimals), source: dataSource, zone }];
      }),
    )
    .sort((a, b) => a.at - b.at || (a.source < b.source ? -1 : 1));
}

/**
 * Which measurements an alert was sent for, by time and source: an alert has one version, so it is never sent again.
 */
export type Alerted = readonly string[];

const nameOf = ({ at, source }: OxygenSample): string => `${at} ${source}`;
const timeOf = (name: string): number => Number(name.split(' ', 1)[0]);
/** Longer than any source is late; what is older is forgotten. */
const REMEMBERED_MS = 60 * 86_400_000;

export const oxygenLimits = (ruleOf: RuleOf): Limits & { readonly isDefault: boolean } => {
  const { rule, isDefault } = ruleOf('oxygenation');
  return { min: rule.threshold_min_float ?? null, max: rule.threshold_max_float ?? null, isDefault };
};

export interface AlertEventInput {
  readonly whose: Whose;
  readonly samples: readonly OxygenSample[];
  readonly ruleOf: RuleOf;
  /** When the service looks at them. */
  readonly at: number;
}

function buildAlertEvent(sample: OxygenSample, { whose, ruleOf, at }: AlertEventInput): AlertEventPayload | null {
  const limits = oxygenLimits(ruleOf);
  const breach = breachOf(sample.value, limits);
  if (breach === null) return null;
  const triggeredAt = localTime(sample.zone, Math.max(at, sample.at));
  return {
    version: 2,
    document_version: 1,
    data_structure: 'alert_event',
    client_uuid: whose.client,
    user_id: whose.user,
    metadata: { datetime_string: triggeredAt, sources_of_data_array: [sample.source], user_id_string: whose.user },
    alerts: {
      triggered_at_string: triggeredAt,
      alert_signals_array: [
        {
          signal_type_string: 'oxygenation',
          measured_value_float: sample.value,
          baseline_value_float: null,
          threshold_type_string: 'fixed_range',
          threshold_min_float: limits.min,
          threshold_max_float: limits.max,
          breach_direction_string: breach,
          unit_string: SIGNAL_KINDS.oxygenation.unit,
          is_default_config_bool: limits.isDefault,
          source_of_data_string: sample.source,
          measured_at_string: localTime(sample.zone, sample.at),
        },
      ],
    },
  };
}

/**
 * One alert for each measurement out of its effective range that none was sent for. A fixed range needs no baseline.
 */
export function nextAlertEvents(
  alerted: Alerted,
  input: AlertEventInput,
): { readonly alerted: Alerted; readonly payloads: readonly AlertEventPayload[] } {
  const known = new Set(alerted);
  const payloads: AlertEventPayload[] = [];
  for (const sample of input.samples) {
    const payload = known.has(nameOf(sample)) ? null : buildAlertEvent(sample, input);
    if (payload === null) continue;
    known.add(nameOf(sample));
    payloads.push(payload);
  }
  return { alerted: [...known].filter((name) => timeOf(name) > input.at - REMEMBERED_MS), payloads };
}
