import type { MetricRow } from '../mappings/index.ts';
import type { AlertEvent, AlertSignal, AlertSummary } from '../payloads/index.ts';
import { codesText } from './notebook.ts';
import { buildObservation, categoryOf, codeable, type Element } from './observation.ts';
import { judgeTimes } from './judge-time.ts';
import { judgeValue, quantity, toRowUnit } from './quantity.ts';
import { digitsOf } from '../r4/index.ts';
import { nameIn, want, type Scene } from './scene.ts';
import { dayOf, fhirDateTime, isInstant, isZoned, utcOf } from './times.ts';
import type { Wanted } from './translation.ts';

const momentOf = (text: string) => ({ start: fhirDateTime(text), end: fhirDateTime(text) });

function rowOf({ mappings, notebook }: Scene, signal: AlertSignal, at: string): MetricRow | null {
  const row = mappings.findSignal(signal.type);
  notebook.decide(at, 'code', signal.type, row === null ? null : codesText(row), row);
  if (row === null) notebook.find('code.unmapped', at, signal.type);
  return row;
}

/** The threshold that was breached. Typed, since a range without a type is read as the normal one. */
function thresholdOf(scene: Scene, signal: AlertSignal, row: MetricRow, at: string): Element[] {
  const side = (name: 'low' | 'high', value: AlertSignal['thresholdMin']): Element => {
    if (value === null) return {};
    const converted = toRowUnit(scene, `${at}.${name}`, { value, unit: signal.unit, system: null, code: null }, row);
    return converted === null ? {} : { [name]: converted.quantity };
  };
  const range = { ...side('low', signal.thresholdMin), ...side('high', signal.thresholdMax) };
  if (Object.keys(range).length === 0) return [];
  const text = signal.isDefaultRule ? 'default rule of the health data service' : 'rule of the client';
  return [{ ...range, type: { text: 'monitoring threshold' }, text }];
}

function interpretationOf({ mappings, notebook }: Scene, signal: AlertSignal, at: string): Element[] {
  if (signal.breach === null) return [];
  const row = mappings.findInterpretation(signal.breach);
  notebook.decide(at, 'code', signal.breach, row === null ? null : codesText(row), row);
  if (row === null) notebook.find('code.unmapped', at, signal.breach);
  return row === null ? [] : [codeable(row.codings)];
}

function baselineOf(scene: Scene, signal: AlertSignal, row: MetricRow, at: string): Element[] {
  const local = (code: string, value: Element): Element => ({ code: codeable([scene.mappings.local(code)]), ...value });
  const baseline =
    signal.baseline === null
      ? null
      : toRowUnit(scene, `${at}.baseline`, { value: signal.baseline, unit: signal.unit, system: null, code: null }, row);
  const percent = (code: string, value: AlertSignal['baseline']): Element[] => {
    const digits = digitsOf(value);
    return digits === undefined ? [] : [local(code, { valueQuantity: quantity(digits, '%', '%') })];
  };
  return [
    ...(baseline === null ? [] : [local('baseline-value', { valueQuantity: baseline.quantity })]),
    ...percent('deviation-below-percent', signal.deviationBelowPercent),
    ...percent('deviation-above-percent', signal.deviationAbovePercent),
  ];
}

interface Breach {
  readonly signal: AlertSignal;
  readonly at: string;
  readonly name: string;
  /** When the source does not say when it was measured. */
  readonly otherwiseAt: string;
  readonly issued: string | null;
  readonly chartDay: string;
}

/** The breach of one threshold: the measurement, how it lies to the threshold, and the threshold. Never a statement of normality. */
function translateBreach(scene: Scene, { signal, at, name, otherwiseAt, issued, chartDay }: Breach): Wanted[] {
  const row = rowOf(scene, signal, at);
  const converted =
    row === null ? null : toRowUnit(scene, at, { value: signal.measured, unit: signal.unit, system: null, code: null }, row);
  if (row === null || converted === null) return [];
  const measuredAt = signal.measuredAt ?? otherwiseAt;
  judgeTimes(scene, at, momentOf(measuredAt));
  if (!isZoned(measuredAt)) scene.notebook.find('time.unzoned', at);
  const note = judgeValue(scene, at, row.codings[0]?.code ?? '', row.unit?.code ?? '', converted.digits);
  const resource = buildObservation(scene, {
    tags: ['alert'],
    category: categoryOf(row.category),
    code: codeable(row.codings, signal.type),
    times: momentOf(measuredAt),
    ...(issued !== null && isInstant(issued) ? { issued } : {}),
    value: { valueQuantity: converted.quantity },
    interpretation: interpretationOf(scene, signal, at),
    note: note === null ? [] : [note],
    method: row.method,
    referenceRange: thresholdOf(scene, signal, row, at),
    component: baselineOf(scene, signal, row, at),
  });
  return [want(name, resource, { group: 'alerts', chartDay })];
}

export function translateAlertEvent(scene: Scene, { at, triggeredAt, signal }: AlertEvent): Wanted[] {
  const measuredAt = signal.measuredAt ?? at;
  return translateBreach(scene, {
    signal,
    at: 'alerts.alert_signals_array[0]',
    name: nameIn(scene, 'alert-event', signal.type, utcOf(measuredAt), signal.source),
    otherwiseAt: at,
    issued: fhirDateTime(triggeredAt),
    chartDay: dayOf(measuredAt),
  });
}

/** A day and its breaches. A summary of none still stands for its day, so that earlier breaches of it are withdrawn. */
export function translateAlertSummary(scene: Scene, { day, from, to, total, alerts, signals }: AlertSummary): Wanted[] {
  // It counts alerts and holds none: it must not clear a day of what it may only have lost.
  if (total > 0 && alerts.length === 0) scene.notebook.find('alerts.disagree', 'alerts.total_alerts_int');
  const breaches = alerts.flatMap((signal) =>
    translateBreach(scene, {
      signal,
      at: `alerts.alert_signals_array[${signals.indexOf(signal)}]`,
      name: nameIn(scene, 'alert-summary', day, signal.type),
      otherwiseAt: to,
      issued: null,
      chartDay: day,
    }),
  );
  const parent = buildObservation(scene, {
    tags: ['alert'],
    category: categoryOf('survey'),
    code: codeable([scene.mappings.local('health-monitoring-daily-alerts')]),
    times: { start: fhirDateTime(from), end: fhirDateTime(to) },
    value: { valueInteger: alerts.length },
    hasMember: breaches.map(({ reference }) => ({ reference })),
  });
  return [
    ...breaches,
    want(nameIn(scene, 'alert-summary', day, null), parent, {
      group: 'alerts',
      chartDay: day,
      write: alerts.length === 0 ? 'to-replace' : 'always',
    }),
  ];
}
