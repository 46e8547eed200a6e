import { canonicalJson } from '../kernel/index.ts';
import type { MetricRow } from '../mappings/index.ts';
import type { AlertEvent, AlertSignal, AlertSummary, Document } from '../payloads/index.ts';
import { digitsOf } from '../r4/index.ts';
import { codesText } from './notebook.ts';
import { buildObservation, categoryOf, codeable, type Element } from './observation.ts';
import { judgeTimes } from './judge-time.ts';
import { judgeValue, quantity, toRowUnit, type Quantity } from './quantity.ts';
import type { Name } from './name.ts';
import { LOINC, nameIn, want, type Scene } from './scene.ts';
import { dayOf, fhirDateTime, isInstant, isZoned, utcOf } from './times.ts';
import type { Wanted } from './translation.ts';

const momentOf = (text: string) => ({ start: fhirDateTime(text), end: fhirDateTime(text) });

function rowOf({ mappings, notebook }: Scene, signal: AlertSignal, at: string): MetricRow | null {
  const row = mappings.findSignal(signal.type);
  notebook.decide(at, 'code', signal.type, row === null ? null : codesText(row), row);
  if (row === null) notebook.find('code.unmapped', at, signal.type);
  return row;
}

/** The codes of alerts, one for each signal of the specification. A signal that a site adds has the general one. */
const ALERT_CODES: Readonly<Record<string, string>> = {
  resting_heart_rate: 'alert-resting-heart-rate',
  hrv: 'alert-hrv',
  resting_breathing_rate: 'alert-resting-breathing-rate',
  oxygenation: 'alert-oxygenation',
  sleep_duration: 'alert-sleep-duration',
};

/** Never the code of the measurement: an alert repeats one, and must not be counted or drawn as a second. */
function alertCode({ mappings }: Scene, { type }: AlertSignal): Element {
  const general = mappings.local('health-monitoring-alert');
  const code = ALERT_CODES[type];
  if (code === undefined) return codeable([general], `Alert: ${type}`);
  const own = mappings.local(code);
  return codeable([own, general], own.display ?? code);
}

const ALERT_CATEGORY = 'survey';
/** Out of the lists of measurements, but for an EHR that takes nothing else: there its code alone tells it apart. */
function alertCategory({ setting }: Scene, row: MetricRow): readonly Element[] {
  const { categories } = setting.dialect;
  return categoryOf(categories === null || categories.includes(ALERT_CATEGORY) ? ALERT_CATEGORY : row.category);
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
  return [{ ...range, type: codeable([scene.mappings.local('monitoring-threshold')], 'monitoring threshold'), text }];
}

function interpretationOf({ mappings, notebook }: Scene, signal: AlertSignal, at: string): Element[] {
  if (signal.breach === null) return [];
  const row = mappings.findInterpretation(signal.breach);
  notebook.decide(at, 'code', signal.breach, row === null ? null : codesText(row), row);
  if (row === null) notebook.find('code.unmapped', at, signal.breach);
  return row === null ? [] : [codeable(row.codings)];
}

/** A share of the baseline: another unit than that of a saturation, which is in percent as well. */
const ofBaseline = (digits: string): Quantity => quantity(digits, '%{baseline}', '% of baseline');

function baselineOf(scene: Scene, signal: AlertSignal, row: MetricRow, at: string): Element[] {
  const local = (code: string, value: Element): Element => ({ code: codeable([scene.mappings.local(code)]), ...value });
  const baseline =
    signal.baseline === null
      ? null
      : toRowUnit(
          scene,
          `${at}.baseline`,
          { value: signal.baseline, unit: signal.unit, system: null, code: null },
          row,
        );
  const percent = (code: string, value: AlertSignal['baseline']): Element[] => {
    const digits = digitsOf(value);
    return digits === undefined ? [] : [local(code, { valueQuantity: ofBaseline(digits) })];
  };
  return [
    ...(baseline === null ? [] : [local('baseline-value', { valueQuantity: baseline.quantity })]),
    ...percent('deviation-below-percent', signal.deviationBelowPercent),
    ...percent('deviation-above-percent', signal.deviationAbovePercent),
  ];
}

/** Categories under which the source sends its metrics (specification, section 2.3). */
const SOURCE_CATEGORIES = ['vital-signs', 'activity', 'survey'];

/**
 * The names that clinical_ready gives the single reading of this instant. Averages and sums over a time are other
 * measurements, also where the number is the same.
 */
function readingsAt(scene: Scene, row: MetricRow, measuredAt: string): Name[] {
  const code = row.codings[0]?.code ?? '';
  const instant = utcOf(measuredAt);
  return [...scene.mappings.readingsUnder(code), { system: LOINC, code }].flatMap((coding) =>
    SOURCE_CATEGORIES.map((category) =>
      nameIn(scene, 'measurement', coding.system, coding.code, category, 'point', instant, instant),
    ),
  );
}

interface Breach {
  readonly signal: AlertSignal;
  readonly at: string;
  /** Of one for which the source does not say when it was measured: nothing else can be the same. */
  readonly nameAlone: () => Name;
  readonly otherwiseAt: string;
  /** Of the whole document, for a signal that does not name its own. */
  readonly sources: readonly string[];
  readonly issued: string | null;
  readonly chartDay: string;
  readonly rules: Pick<Wanted, 'adopts' | 'yields' | 'clearedBy'>;
}

/**
 * An alert_event and an alert_summary tell of one alert when signal, instant, value and source are the same, in
 * whatever unit and offset.
 */
function nameOfBreach(scene: Scene, { signal, sources, nameAlone }: Breach, value: Quantity): Name {
  const source = signal.source ?? (sources.length === 1 ? (sources[0] ?? null) : null);
  if (signal.measuredAt === null) return nameAlone();
  return nameIn(scene, 'alert', signal.type, utcOf(signal.measuredAt), canonicalJson(value['value']), source);
}

/**
 * The breach of one threshold: what was measured, how it lies to the threshold, and the threshold. Never a statement of
 * normality.
 */
function translateBreach(scene: Scene, breach: Breach): Wanted[] {
  const { signal, at, otherwiseAt, issued, chartDay, rules } = breach;
  const row = rowOf(scene, signal, at);
  const converted =
    row === null
      ? null
      : toRowUnit(scene, at, { value: signal.measured, unit: signal.unit, system: null, code: null }, row);
  if (row === null || converted === null) return [];
  const measuredAt = signal.measuredAt ?? otherwiseAt;
  judgeTimes(scene, at, momentOf(measuredAt));
  if (!isZoned(measuredAt)) scene.notebook.find('time.unzoned', at);
  const note = judgeValue(scene, at, row.codings[0]?.code ?? '', row.unit?.code ?? '', converted.digits);
  const resource = buildObservation(scene, {
    tags: ['alert'],
    category: alertCategory(scene, row),
    code: alertCode(scene, signal),
    times: momentOf(measuredAt),
    ...(issued !== null && isInstant(issued) ? { issued } : {}),
    value: { valueQuantity: converted.quantity },
    interpretation: interpretationOf(scene, signal, at),
    note: note === null ? [] : [note],
    method: row.method,
    referenceRange: thresholdOf(scene, signal, row, at),
    component: baselineOf(scene, signal, row, at),
  });
  return [
    {
      ...want(nameOfBreach(scene, breach, converted.quantity), resource, { group: 'alerts', chartDay }),
      ...rules,
      // An event says when it was raised, a summary does not.
      assumed: 'issued',
      derivedFrom: signal.measuredAt === null ? [] : readingsAt(scene, row, signal.measuredAt),
    },
  ];
}

/** The name of "evaluated, nothing breached". An alert_event asks for it, so it holds nothing but the day. */
const nothingBreached = (scene: Scene, day: string): Name => nameIn(scene, 'alert-summary-zero', day);

export function translateAlertEvent(scene: Scene, { at, triggeredAt, sources, signal }: AlertEvent): Wanted[] {
  const measuredAt = signal.measuredAt ?? at;
  const chartDay = dayOf(measuredAt);
  return translateBreach(scene, {
    signal,
    at: 'alerts.alert_signals_array[0]',
    nameAlone: () => nameIn(scene, 'alert-event', signal.type, utcOf(measuredAt), signal.source),
    otherwiseAt: at,
    sources,
    issued: fhirDateTime(triggeredAt),
    chartDay,
    rules: { yields: true, adopts: true, clearedBy: nothingBreached(scene, chartDay) },
  });
}

/** A summary that counts alerts and holds none must not clear a day of what it may only have lost. */
const isOfNone = ({ total, alerts }: AlertSummary): boolean => total === 0 && alerts.length === 0;

/** The day whose alerts this document takes back, whoever told of them. */
export const clearedDayOf = (document: Document): string | null =>
  document.kind === 'alert_summary' && isOfNone(document) ? document.day : null;

const alertsOfDay = (
  scene: Scene,
  { from, to, alerts }: AlertSummary,
  more: { readonly hasMember?: readonly Element[]; readonly note?: readonly string[] },
) =>
  buildObservation(scene, {
    tags: ['alert'],
    category: categoryOf(ALERT_CATEGORY),
    code: codeable([scene.mappings.local('health-monitoring-daily-alerts')]),
    times: { start: fhirDateTime(from), end: fhirDateTime(to) },
    value: { valueInteger: alerts.length },
    ...more,
  });

/**
 * "Evaluated, nothing breached": a day without it was not evaluated. Of its own name, so that a late alert_event can
 * ask for it.
 */
function translateZero(scene: Scene, summary: AlertSummary): Wanted[] {
  const note = ['The day was evaluated and no signal was out of its threshold.'];
  const place = {
    group: 'alerts',
    chartDay: summary.day,
    write: scene.setting.dialect.zeroAlerts === 'write' ? 'always' : 'to-replace',
  } as const;
  return [{ ...want(nothingBreached(scene, summary.day), alertsOfDay(scene, summary, { note }), place), adopts: true }];
}

/** A day and its breaches. */
export function translateAlertSummary(scene: Scene, summary: AlertSummary): Wanted[] {
  if (isOfNone(summary)) return translateZero(scene, summary);
  const { day, to, total, alerts, signals, sources } = summary;
  if (total > 0 && alerts.length === 0) scene.notebook.find('alerts.disagree', 'alerts.total_alerts_int');
  const breaches = alerts.flatMap((signal) =>
    translateBreach(scene, {
      signal,
      at: `alerts.alert_signals_array[${signals.indexOf(signal)}]`,
      nameAlone: () => nameIn(scene, 'alert-summary', day, signal.type),
      otherwiseAt: to,
      sources,
      issued: null,
      chartDay: day,
      rules: { yields: true },
    }),
  );
  const parent = alertsOfDay(scene, summary, { hasMember: breaches.map(({ reference }) => ({ reference })) });
  return [...breaches, want(nameIn(scene, 'alert-summary', day, null), parent, { group: 'alerts', chartDay: day })];
}
