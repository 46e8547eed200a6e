import { wordsOf, type Concept, type Observation, type Quantity, type Valued } from './chart-parts.ts';

export const GROUPS = ['Vital signs', 'Activity', 'Sleep', 'Laboratory', 'Other'] as const;
export type Group = (typeof GROUPS)[number];

/** `withdrawn`: it should not have been written, and says nothing about the patient. */
export type State = 'valid' | 'amended' | 'preliminary' | 'withdrawn';

/** One number of a measurement; a blood pressure has two. */
export interface Reading {
  readonly name: string;
  readonly value: number;
  readonly text: string;
}

export interface Bounds {
  readonly low: number | null;
  readonly high: number | null;
  readonly text: string;
}

export interface Measurement {
  readonly id: string;
  /** Measurements with the same key may stand in one chart: the same code and the same unit. */
  readonly key: string;
  readonly title: string;
  readonly about: string;
  readonly group: Group;
  /** The time on the patient's own clock, in seconds, as if that clock were UTC; null where none was said. */
  readonly at: number | null;
  readonly when: string;
  readonly state: State;
  readonly status: string;
  readonly unit: string;
  readonly readings: readonly Reading[];
  /** The value where it is no number, or why there is none. */
  readonly words: string;
  readonly bounds: readonly Bounds[];
  readonly flags: readonly string[];
  readonly notes: readonly string[];
  readonly observation: Observation;
}

const LOINC = 'http://loinc.org';
/** Durations and latencies of sleep, which have no category of their own in R4. */
const SLEEP = new Set(['93832-4', '93829-0', '93830-8', '93831-6', '93828-2', '103212-7', '90568-7', '28334-1']);
const PRESSURE = '85354-9';

const STATES: Readonly<Record<string, State>> = {
  final: 'valid',
  amended: 'amended',
  corrected: 'amended',
  preliminary: 'preliminary',
  registered: 'preliminary',
  'entered-in-error': 'withdrawn',
  cancelled: 'withdrawn',
};

/** How the gateway withdraws a value where an EHR knows no entered-in-error: as a correction, with a note that begins so. */
const WITHDRAWING = /^Withdrawn\. /;

/** A status that nobody knows is not taken for a final one. */
function stateOf({ status = '', note = [] }: Observation): State {
  if (status === 'corrected' && note.some(({ text = '' }) => WITHDRAWING.test(text))) return 'withdrawn';
  return STATES[status] ?? 'preliminary';
}

const hasCode = (concept: Concept | undefined, isWanted: (code: string) => boolean): boolean =>
  concept?.coding?.some(({ code }) => code !== undefined && isWanted(code)) === true;

function groupOf({ category = [], code }: Observation): Group {
  if (hasCode(code, (one) => SLEEP.has(one))) return 'Sleep';
  const is = (wanted: string): boolean => category.some((one) => hasCode(one, (found) => found === wanted));
  if (is('laboratory')) return 'Laboratory';
  if (is('vital-signs')) return 'Vital signs';
  return is('activity') ? 'Activity' : 'Other';
}

/** The date and time as the patient's clock showed them; the offset is not applied, so that a day stays that day. */
function wallTime(text: string | undefined): { at: number; day: string; time: string } | null {
  const [, day = '', time] = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}))?/.exec(text ?? '') ?? [];
  const at = Date.parse(`${day}T${time ?? '00:00'}:00Z`) / 1000;
  return Number.isNaN(at) ? null : { at, day, time: time ?? '' };
}

function timeOf({ effectiveDateTime, effectiveInstant, effectivePeriod }: Observation): { at: number | null; when: string } {
  const moment = wallTime(effectiveDateTime ?? effectiveInstant);
  if (moment !== null) return { at: moment.at, when: `${moment.day} ${moment.time}`.trim() };
  const start = wallTime(effectivePeriod?.start);
  const end = wallTime(effectivePeriod?.end);
  if (start === null) return end === null ? { at: null, when: 'no date' } : { at: end.at, when: `until ${end.day}` };
  const isDay = start.time === '00:00' && end?.day === start.day;
  if (isDay || end === null) return { at: start.at, when: isDay ? start.day : `${start.day} ${start.time}`.trim() };
  return { at: start.at, when: `${start.day} ${start.time} to ${end.day === start.day ? '' : `${end.day} `}${end.time}` };
}

const quantityText = ({ value, comparator = '', unit, code }: Quantity): string =>
  `${comparator}${value ?? ''} ${unit ?? code ?? ''}`.trim();

function readingOf(valued: Valued, name: string): Reading | null {
  const { valueQuantity, valueInteger } = valued;
  if (valueQuantity?.value !== undefined) return { name, value: valueQuantity.value, text: quantityText(valueQuantity) };
  return valueInteger === undefined ? null : { name, value: valueInteger, text: String(valueInteger) };
}

/** A number with a comparator is a bound, not a value: below the detection limit is not at the detection limit. */
const isExact = ({ valueQuantity }: Valued): boolean => valueQuantity?.comparator === undefined;

function wordsOfValue(valued: Valued): string {
  if (valued.valueString !== undefined) return valued.valueString;
  if (valued.valueCodeableConcept !== undefined) return wordsOf(valued.valueCodeableConcept);
  if (valued.valueQuantity?.value !== undefined) return quantityText(valued.valueQuantity);
  return valued.dataAbsentReason === undefined ? '' : `no value: ${wordsOf(valued.dataAbsentReason)}`;
}

function boundsOf({ referenceRange = [] }: Valued): Bounds[] {
  return referenceRange.map(({ low, high, text }) => {
    const said =
      low?.value !== undefined && high?.value !== undefined
        ? `${low.value} to ${quantityText(high)}`
        : low?.value !== undefined
          ? `from ${quantityText(low)}`
          : high?.value !== undefined
            ? `up to ${quantityText(high)}`
            : '';
    return { low: low?.value ?? null, high: high?.value ?? null, text: text ?? said };
  });
}

const unitOf = ({ valueQuantity }: Valued): string => valueQuantity?.unit ?? valueQuantity?.code ?? '';

/** One Observation, ready to be shown. */
export function readMeasurement(observation: Observation): Measurement {
  const { code, component = [], status = 'unknown' } = observation;
  const parts = [observation, ...component];
  const readings = parts
    .filter(isExact)
    .map((part) => readingOf(part, part === observation ? '' : wordsOf(part.code)))
    .filter((reading) => reading !== null);
  const unit = parts.map(unitOf).find((one) => one !== '') ?? '';
  const standard = code?.coding?.find(({ system }) => system === LOINC) ?? code?.coding?.[0];
  const isPressure = hasCode(code, (one) => one === PRESSURE);
  return {
    id: observation.id ?? '',
    key: JSON.stringify([standard?.system ?? '', standard?.code ?? wordsOf(code), unit]),
    title: isPressure ? 'Blood pressure' : wordsOf(code) || 'Unnamed measurement',
    about: [standard?.display ?? '', standard?.system === LOINC ? `LOINC ${standard.code ?? ''}` : '']
      .filter((part) => part !== '')
      .join(', '),
    group: groupOf(observation),
    ...timeOf(observation),
    state: stateOf(observation),
    status,
    unit,
    readings,
    words:
      readings.length > 0
        ? ''
        : parts
            .map(wordsOfValue)
            .filter((part) => part !== '')
            .join(', ') || 'no value',
    bounds: parts.flatMap(boundsOf),
    flags: (observation.interpretation ?? [])
      .map(wordsOf)
      .filter((flag) => flag !== '' && flag !== 'N' && flag.toLowerCase() !== 'normal'),
    notes: (observation.note ?? []).map(({ text = '' }) => text).filter((text) => text !== ''),
    observation,
  };
}

export const valueText = ({ readings, words, unit }: Measurement): string => {
  if (readings.length === 0) return words;
  return readings.length === 1 ? (readings[0]?.text ?? '') : `${readings.map(({ value }) => value).join(' / ')} ${unit}`.trim();
};
