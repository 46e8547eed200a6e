import { wordsOf, type Concept, type Observation, type Quantity, type Valued } from './chart-parts.ts';
import { contextOf, type Context } from './context-of.ts';
import { outsideOf } from './outside-of.ts';
import { timeOf, type MeasuredTime } from './time-of.ts';

export const GROUPS = [
  'Vital signs',
  'Activity',
  'Sleep',
  'Laboratory',
  'Surveys and scores',
  'Social history',
  'Other',
] as const;
export type Group = (typeof GROUPS)[number];

/** `withdrawn`: it should not have been written, and says nothing about the patient. */
export type State = 'valid' | 'amended' | 'preliminary' | 'withdrawn';

/** One number of a measurement; a blood pressure has two. */
export interface Reading {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly text: string;
}

export interface Bounds {
  readonly low: number | null;
  readonly high: number | null;
  readonly text: string;
}

export interface Measurement extends MeasuredTime {
  readonly id: string;
  /** Measurements with the same key may stand in one chart: the same code, unit and circumstances. */
  readonly key: string;
  readonly title: string;
  readonly about: string;
  readonly group: Group;
  readonly context: Context;
  readonly state: State;
  readonly status: string;
  readonly unit: string;
  /** Numbers of one unit, which may share an axis. */
  readonly readings: readonly Reading[];
  /** What else the measurement says, each part with its name and its own unit. */
  readonly details: readonly string[];
  /** The value where it is no number, or why there is none. */
  readonly words: string;
  readonly bounds: readonly Bounds[];
  readonly flags: readonly string[];
  readonly notes: readonly string[];
  /** What a reader must know of the value before using it, in words. */
  readonly marks: readonly string[];
  readonly observation: Observation;
}

const LOINC = 'http://loinc.org';
/** Durations and latencies of sleep, which have no category of their own in R4. */
const SLEEP = new Set(['93832-4', '93829-0', '93830-8', '93831-6', '93828-2', '103212-7', '90568-7', '28334-1']);
/** Codes whose own names say less than a reader wants, or more. */
const NAMES: Readonly<Record<string, string>> = {
  '85354-9': 'Blood pressure',
  '96607-7': 'Mean blood pressure',
  '55423-8': 'Steps so far',
};
/** http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation; what is not here is shown as it is. */
const INTERPRETATIONS: Readonly<Record<string, string>> = {
  H: 'High',
  L: 'Low',
  HH: 'Critically high',
  LL: 'Critically low',
  A: 'Abnormal',
  AA: 'Critically abnormal',
  N: '',
  normal: '',
  Normal: '',
};

const STATES: Readonly<Record<string, State>> = {
  final: 'valid',
  amended: 'amended',
  corrected: 'amended',
  preliminary: 'preliminary',
  registered: 'preliminary',
  'entered-in-error': 'withdrawn',
  cancelled: 'withdrawn',
};

/**
 * What a note says where an EHR knows no such status: a withdrawal is a correction there, and what is preliminary is
 * final.
 */
const isNoted = ({ note = [] }: Observation, word: string): boolean =>
  note.some(({ text = '' }) => text.startsWith(word));

/** A status that nobody knows is not taken for a final one. */
function stateOf(observation: Observation): State {
  const { status = '' } = observation;
  if (status === 'corrected' && isNoted(observation, 'Withdrawn.')) return 'withdrawn';
  if (status === 'final' && isNoted(observation, 'Preliminary:')) return 'preliminary';
  return STATES[status] ?? 'preliminary';
}

const hasCode = (concept: Concept | undefined, isWanted: (code: string) => boolean): boolean =>
  concept?.coding?.some(({ code }) => code !== undefined && isWanted(code)) === true;

function groupOf({ category = [], code }: Observation): Group {
  if (hasCode(code, (one) => SLEEP.has(one))) return 'Sleep';
  const is = (wanted: string): boolean => category.some((one) => hasCode(one, (found) => found === wanted));
  if (is('laboratory')) return 'Laboratory';
  if (is('vital-signs')) return 'Vital signs';
  if (is('activity')) return 'Activity';
  if (is('survey') || is('sdoh')) return 'Surveys and scores';
  return is('social-history') ? 'Social history' : 'Other';
}

export const quantityText = ({ value, comparator = '', unit, code }: Quantity): string =>
  `${comparator}${value ?? ''} ${unit ?? code ?? ''}`.trim();

function readingOf(valued: Valued, name: string): Reading | null {
  const { valueQuantity, valueInteger } = valued;
  if (valueQuantity?.value !== undefined)
    return { name, value: valueQuantity.value, unit: unitOf(valued), text: quantityText(valueQuantity) };
  return valueInteger === undefined ? null : { name, value: valueInteger, unit: '', text: String(valueInteger) };
}

/** A number with a comparator is a bound, not a value: below the detection limit is not at the detection limit. */
const isExact = ({ valueQuantity }: Valued): boolean => valueQuantity?.comparator === undefined;

export function wordsOfValue(valued: Valued): string {
  if (valued.valueString !== undefined) return valued.valueString;
  if (valued.valueCodeableConcept !== undefined) return wordsOf(valued.valueCodeableConcept);
  if (valued.valueQuantity?.value !== undefined) return quantityText(valued.valueQuantity);
  if (valued.valueInteger !== undefined) return String(valued.valueInteger);
  return valued.dataAbsentReason === undefined ? '' : `no value: ${wordsOf(valued.dataAbsentReason)}`;
}

export function boundsOf({ referenceRange = [] }: Valued): Bounds[] {
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

export const READ_BY_MACHINE = 'Read by machine';
const SAYS_MACHINE =
  /\b(read|extracted|transcribed|recogni[sz]ed) by (a |the )?(machine|computer|software)|\b(machine|software) that (has )?read\b|\bmachine[- ](read|extracted)\b/i;

/** That nobody has compared the value with the paper that it stands on. */
export const saysMachine = (words: string): boolean => SAYS_MACHINE.test(words);

const isMachineRead = ({ meta, note = [] }: Observation): boolean =>
  meta?.tag?.some(({ code }) => code === 'machine-extracted') === true ||
  note.some(({ text = '' }) => saysMachine(text));

function marksOf(observation: Observation, state: State, machineRead: ReadonlySet<string>): string[] {
  const { status = 'unknown' } = observation;
  const isKnown = ['preliminary', 'registered', 'final'].includes(status);
  return [
    ...(state === 'preliminary' ? [isKnown ? 'Preliminary' : `Status ${status}`] : []),
    ...(state === 'amended' ? ['Amended'] : []),
    ...(isMachineRead(observation) || machineRead.has(observation.id ?? '') ? [READ_BY_MACHINE] : []),
  ];
}

/** What whoever measured it says of the value; where they say nothing, what its own reference range says. */
function flagsOf(observation: Observation): string[] {
  const said = (observation.interpretation ?? [])
    .map(wordsOf)
    .map((flag) => INTERPRETATIONS[flag] ?? flag)
    .filter((flag) => flag !== '');
  return said.length > 0 ? said : outsideOf(observation);
}

/**
 * What the measurement is a number of, and the parts that say something else. A part of another unit never shares the
 * axis.
 */
function splitParts(observation: Observation): { readings: Reading[]; details: string[]; words: string } {
  const { component = [] } = observation;
  const own = wordsOfValue(observation);
  const parts: readonly Valued[] = own === '' || observation.dataAbsentReason !== undefined ? component : [observation];
  const numbers = parts
    .filter(isExact)
    .map((part) => ({ part, reading: readingOf(part, part === observation ? '' : wordsOf(part.code)) }));
  const unit = numbers.find(({ reading }) => reading !== null)?.reading?.unit ?? '';
  const drawn = numbers.filter(({ reading }) => reading?.unit === unit);
  const isDrawn = new Set<Valued>(drawn.map(({ part }) => part));
  const rest = component.filter((part) => !isDrawn.has(part) && wordsOfValue(part) !== '');
  return {
    readings: drawn.map(({ reading }) => reading).filter((reading) => reading !== null),
    details: rest.map((part) => `${wordsOf(part.code)}: ${wordsOfValue(part)}`),
    words: drawn.length > 0 ? '' : own,
  };
}

/**
 * One Observation, ready to be shown. `machineRead`: the ids of those of which a Provenance says that a machine has
 * read them.
 */
export function readMeasurement(observation: Observation, machineRead: ReadonlySet<string> = new Set()): Measurement {
  const { code, component = [], status = 'unknown' } = observation;
  const { readings, details, words } = splitParts(observation);
  const unit = readings[0]?.unit ?? unitOf(observation);
  const standard = code?.coding?.find(({ system }) => system === LOINC) ?? code?.coding?.[0];
  const named = code?.coding?.map((one) => NAMES[one.code ?? '']).find((name) => name !== undefined);
  const context = contextOf(observation);
  const state = stateOf(observation);
  return {
    id: observation.id ?? '',
    key: JSON.stringify([standard?.system ?? '', standard?.code ?? wordsOf(code), unit, context.key]),
    title: named ?? (wordsOf(code) || 'Unnamed measurement'),
    about: [standard?.display ?? '', standard?.system === LOINC ? `LOINC ${standard.code ?? ''}` : '']
      .filter((part) => part !== '')
      .join(', '),
    group: groupOf(observation),
    context,
    ...timeOf(observation),
    state,
    status,
    unit,
    readings,
    details,
    words: readings.length > 0 ? '' : words || (details.length > 0 ? details.join(', ') : 'no value'),
    bounds: [observation, ...component].flatMap(boundsOf),
    flags: flagsOf(observation),
    notes: (observation.note ?? []).map(({ text = '' }) => text).filter((text) => text !== ''),
    marks: marksOf(observation, state, machineRead),
    observation,
  };
}

export const valueText = ({ readings, words, unit }: Measurement): string => {
  const [only, ...others] = readings;
  if (only === undefined) return words;
  // One side of a panel says which side it is.
  return others.length === 0
    ? `${only.name} ${only.text}`.trim()
    : `${readings.map(({ value }) => value).join(' / ')} ${unit}`.trim();
};
