import type { TrueDocument } from '../../../sandbox/index.ts';

/*
 * What the sandbox says and what stands in the charts, each as plain facts. Written from the specification and from
 * FHIR: neither the gateway's reading nor its mapping is asked.
 */

type Part = Readonly<Record<string, unknown>>;

/** What it is about (patient, metric, time), and its values in the unit of the source. */
export type Facts = Map<string, number[]>;

const CODES = 'urn:example:health-data-service:codes';
const SOURCE_CATEGORY = 'urn:chartgate:source-category';
const NAMES = 'urn:chartgate:measurement';
const DOMAINS = ['activity', 'sleep', 'cardio', 'recovery', 'body'] as const;

const part = (value: unknown): Part => (typeof value === 'object' && value !== null ? (value as Part) : {});
const list = (value: unknown): readonly Part[] => (Array.isArray(value) ? (value as Part[]) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const codings = (concept: unknown): readonly Part[] => list(part(concept)['coding']);
const codeOf = (concept: unknown, system: string): string =>
  text(codings(concept).find((one) => one['system'] === system)?.['code']);
const moment = (value: unknown): number => Date.parse(text(value));

function add(facts: Facts, key: readonly (string | number)[], value: unknown): void {
  if (typeof value !== 'number') return;
  const name = key.join(' | ');
  facts.set(
    name,
    [...(facts.get(name) ?? []), value].sort((a, b) => a - b),
  );
}

/** A systolic pressure below the diastolic one is no pressure of anybody: the two wait for a person. */
function isPressureSwapped(observations: readonly Part[]): boolean {
  const valueIn = (code: string): number => {
    const found = observations.find((one) => codeOf(one['code'], CODES) === code);
    return Number(part(found?.['valueQuantity'])['value'] ?? NaN);
  };
  return valueIn('blood_pressure_systolic') < valueIn('blood_pressure_diastolic');
}

function addClinicalReady(facts: Facts, patient: string, payload: Part): void {
  const bundle = part(part(payload['clinical_ready'])['clinical_ready_data']);
  const isSwapped = isPressureSwapped(list(bundle['entry']).map(({ resource }) => part(resource)));
  for (const { resource } of list(bundle['entry'])) {
    const one = part(resource);
    if (one['resourceType'] !== 'Observation') continue;
    const category = text(codings(list(one['category'])[0])[0]?.['code']);
    const { start, end } = part(one['effectivePeriod']);
    const about = [patient, codeOf(one['code'], CODES), category, moment(start), moment(end)];
    if (!isSwapped || !codeOf(one['code'], CODES).startsWith('blood_pressure_'))
      add(facts, about, part(one['valueQuantity'])['value']);
  }
}

function addSteps(facts: Facts, patient: string, payload: Part): void {
  for (const event of list(part(part(payload['physical_health'])['events'])['steps_event'])) {
    const day = text(part(event['metadata'])['datetime_string']).slice(0, 10);
    add(facts, [patient, 'steps of the day', day], part(event['steps'])['accumulated_steps_int']);
  }
}

/**
 * A reading that comes as an event and again in the summary of its day is one reading: of one signal, time, value and
 * source.
 */
function addAlerts(facts: Facts, told: Set<string>, patient: string, payload: Part): void {
  const alerts = part(payload['alerts']);
  for (const signal of list(alerts['alert_signals_array'])) {
    const about = [patient, 'alert', text(signal['signal_type_string']), moment(signal['measured_at_string'])];
    const value = signal['measured_value_float'];
    const reading = JSON.stringify([...about, value, signal['source_of_data_string']]);
    if (!told.has(reading)) add(facts, about, value);
    told.add(reading);
  }
  const total = alerts['total_alerts_int'];
  if (typeof total === 'number')
    add(facts, [patient, 'alerts of the day', moment(alerts['summary_period_start_string'])], total);
}

function addProfile(facts: Facts, patient: string, payload: Part): void {
  const data = part(payload['user_profile_data']);
  const day = text(part(data['metadata'])['datetime_string']).slice(0, 10);
  for (const domain of DOMAINS)
    add(facts, [patient, 'score', domain, day], part(part(data['profiles'])[domain])['score_int']);
}

/** A count on the way to the sum of its day is not news any more once the sum is there. */
function dropReplacedSteps(facts: Facts, truth: readonly TrueDocument[], patients: ReadonlyMap<string, string>): void {
  for (const { structure, payload } of truth) {
    if (structure !== 'clinical_ready') continue;
    const whole = payload as unknown as Part;
    for (const { resource } of list(part(part(whole['clinical_ready'])['clinical_ready_data'])['entry'])) {
      const one = part(resource);
      if (codeOf(one['code'], CODES) !== 'steps') continue;
      const day = text(part(one['effectivePeriod'])['start']).slice(0, 10);
      facts.delete([patients.get(payload.user_id) ?? 'nobody', 'steps of the day', day].join(' | '));
    }
  }
}

/** What is so, by the sandbox. */
export function factsOfTruth(truth: readonly TrueDocument[], patients: ReadonlyMap<string, string>): Facts {
  const facts: Facts = new Map();
  const told = new Set<string>();
  for (const { structure, payload } of truth) {
    const patient = patients.get(payload.user_id) ?? 'nobody';
    const whole = payload as unknown as Part;
    if (structure === 'clinical_ready') addClinicalReady(facts, patient, whole);
    else if (structure === 'steps_event') addSteps(facts, patient, whole);
    else if (structure === 'alert_event' || structure === 'alert_summary') addAlerts(facts, told, patient, whole);
    else if (structure === 'user_profile') addProfile(facts, patient, whole);
  }
  dropReplacedSteps(facts, truth, patients);
  return facts;
}

const SECONDS: Readonly<Record<string, number>> = { h: 3_600, min: 60 };

/** The chart has sleep in hours and minutes, the source in seconds. */
function valueOf(quantity: unknown): number {
  const { value, code } = part(quantity);
  return Number(value) * (SECONDS[text(code)] ?? 1);
}

function addObservation(facts: Facts, one: Part): void {
  const patient = text(part(one['subject'])['reference']);
  const [first] = list(one['category']);
  const category = codeOf(first, SOURCE_CATEGORY) || text(codings(first)[0]?.['code']);
  const { start, end } = part(one['effectivePeriod']);
  const about = (code: string): (string | number)[] => [patient, code, category, moment(start), moment(end)];
  const code = codeOf(one['code'], CODES);
  const local = codeOf(one['code'], 'urn:chartgate:codes');
  const isAlert = list(part(one['meta'])['tag']).some((tag) => tag['code'] === 'alert');
  if (local === 'health-monitoring-daily-alerts') {
    add(facts, [patient, 'alerts of the day', moment(start)], one['valueInteger']);
  } else if (isAlert)
    add(
      facts,
      [patient, 'alert', local.slice('alert-'.length).replaceAll('-', '_'), moment(one['effectiveDateTime'])],
      valueOf(one['valueQuantity']),
    );
  else if (local.startsWith('health-score-')) {
    const domain = local.slice('health-score-'.length);
    if ((DOMAINS as readonly string[]).includes(domain))
      add(facts, [patient, 'score', domain, text(one['effectiveDateTime'])], valueOf(one['valueQuantity']));
  } else if (code !== '') add(facts, about(code), valueOf(one['valueQuantity']));
  else if (codeOf(one['code'], 'http://loinc.org') === '55423-8')
    add(facts, [patient, 'steps of the day', text(start).slice(0, 10)], valueOf(one['valueQuantity']));
  else
    for (const component of list(one['component'])) {
      const of = codeOf(component['code'], CODES);
      if (of !== '') add(facts, about(of), valueOf(component['valueQuantity']));
    }
}

/** What stands in the charts, of what the gateway wrote; and how much of it was taken back. */
export function factsOfCharts(
  observations: readonly Part[],
  isWithdrawn: (one: Part) => boolean,
): { readonly facts: Facts; readonly withdrawn: number } {
  const facts: Facts = new Map();
  let withdrawn = 0;
  for (const one of observations) {
    if (!list(one['identifier']).some(({ system }) => system === NAMES)) continue;
    if (isWithdrawn(one)) withdrawn += 1;
    else addObservation(facts, one);
  }
  return { facts, withdrawn };
}

/** Half of the last digit of what the chart says: sleep is rounded to a hundredth of an hour or to a minute there. */
const allowed = (key: string): number =>
  key.includes('sleep_duration') ? 18.01 : key.includes('sleep_') ? 30.01 : 1e-9;

/** Every difference, in a line each. */
export function differences(truth: Facts, charts: Facts): string[] {
  const out: string[] = [];
  for (const key of new Set([...truth.keys(), ...charts.keys()])) {
    const [said = [], stands = []] = [truth.get(key), charts.get(key)];
    const isSame =
      said.length === stands.length && said.every((value, i) => Math.abs(value - (stands[i] ?? NaN)) <= allowed(key));
    if (!isSame) out.push(`${key}: said ${said.join(', ') || 'nothing'}, stands ${stands.join(', ') || 'nothing'}`);
  }
  return out;
}
