import type { Keep } from '../keep/index.ts';
import {
  nextAlertEvents,
  nextAlertSummary,
  nextBaselines,
  NO_BASELINES,
  oxygenSamples,
  summaryStateOf,
  type Alerted,
  type AlertSummaryPayload,
  type Baselines,
  type RuleOf,
} from '../insights/index.ts';
import type { DaySummary, SourceDay } from '../population/index.ts';
import { keyOf } from '../service/index.ts';
import { momentsOf } from './follow.ts';
import type { DayWork, Whom } from './work-day.ts';

/** What Health Monitoring remembers of users. */
export interface Monitored {
  baselines(client: string, user: string): Baselines;
  keepBaselines(client: string, user: string, baselines: Baselines): void;
  alerted(client: string, user: string): Alerted;
  keepAlerted(client: string, user: string, alerted: Alerted): void;
  ruleOf(client: string, user: string): RuleOf;
  /** Days before it are pre-existing: they make the baseline and raise no alert. */
  since(client: string, user: string): string;
}

export function openMonitored(kept: Keep, rest: Pick<Monitored, 'ruleOf' | 'since'>): Monitored {
  const baselines = kept.table<Baselines>('sim_baseline');
  const alerted = kept.table<Alerted>('sim_alerted');
  return {
    ...rest,
    baselines: (...key) => baselines.get(keyOf(...key)) ?? NO_BASELINES,
    keepBaselines: (client, user, state) => baselines.put(keyOf(client, user), state),
    alerted: (...key) => alerted.get(keyOf(...key)) ?? [],
    keepAlerted: (client, user, state) => alerted.put(keyOf(client, user), state),
  };
}

/** The evaluation of a day of which something new has come. */
export function monitorDay(
  { documents, monitored }: DayWork,
  { client: { uuid: client }, user }: Whom,
  day: DaySummary,
  sourceDays: readonly SourceDay[],
): void {
  const before = monitored.baselines(client, user);
  const baselines = nextBaselines(before, [day]);
  if (JSON.stringify(baselines) !== JSON.stringify(before)) monitored.keepBaselines(client, user, baselines);
  if (day.date < monitored.since(client, user)) return;
  const sent = documents.read(client, user, 'alert_summary', day.date) as AlertSummaryPayload | null;
  const next = nextAlertSummary(sent === null ? null : summaryStateOf(sent), {
    whose: { client, user },
    day,
    samples: oxygenSamples(sourceDays),
    baselines,
    ruleOf: monitored.ruleOf(client, user),
  });
  if (next !== null) documents.emit(next.payload, day.date);
}

/** Near-immediate: the samples of that moment. */
export function monitorSamples({ documents, monitored }: DayWork, whom: Whom, date: string, at: number): void {
  const { uuid: client } = whom.client;
  const { user } = whom;
  const days = whom.sources.flatMap((followed) => momentsOf(whom.world, followed, date) ?? []);
  const samples = oxygenSamples(days).filter((sample) => sample.at <= at);
  const before = monitored.alerted(client, user);
  const { alerted, payloads } = nextAlertEvents(before, {
    whose: { client, user },
    samples,
    ruleOf: monitored.ruleOf(client, user),
    at,
  });
  if (payloads.length === 0) return;
  monitored.keepAlerted(client, user, alerted);
  for (const payload of payloads) {
    const [signal] = payload.alerts.alert_signals_array;
    documents.emit(payload, `${signal.measured_at_string ?? ''} ${signal.source_of_data_string ?? ''}`);
  }
}
