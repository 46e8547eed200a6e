import { canonicalJson } from '../kernel/index.ts';
import { CONTENT_PARTS, type ChartContent, type ContentPart } from '../lanes/index.ts';
import { numberValue } from '../r4/index.ts';

type Part = Readonly<Record<string, unknown>>;
const partOf = (value: unknown): Part => (typeof value === 'object' && value !== null ? (value as Part) : {});
const listOf = (value: unknown): readonly Part[] => (Array.isArray(value) ? value.map(partOf) : []);
const isSaid = (text: string): boolean => text !== '';
const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '');
function joined(words: readonly string[]): string {
  const [only = ''] = words;
  return words.length <= 1 ? only : words.toSorted().join('; ');
}

/** Codes; the text only where there are none, since servers put texts of their own beside codes. */
export function conceptText(value: unknown): string {
  const { coding, text } = partOf(value);
  if (!Array.isArray(coding) || coding.length === 0) return wordOf(text);
  return joined(listOf(coding).map(({ system, code }) => `${wordOf(system)}|${wordOf(code)}`));
}

const numberText = (value: unknown): string => {
  const number = numberValue(value);
  return number === undefined ? canonicalJson(value) : String(number);
};

const INSTANT = /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/;
/** The same instant in another zone is the same; a day, or a time without a zone, stands as it is. */
export const timeText = (value: unknown): string => {
  const text = wordOf(value);
  const instant = INSTANT.test(text) ? new Date(text) : null;
  return instant === null || Number.isNaN(instant.getTime()) ? text : instant.toISOString();
};
export const periodText = (value: unknown): string =>
  `${timeText(partOf(value)['start'])}/${timeText(partOf(value)['end'])}`;

const quantityText = (value: unknown): string =>
  `${wordOf(partOf(value)['comparator'])}${numberText(partOf(value)['value'])}`;
const unitText = (value: unknown): string => wordOf(partOf(value)['code']) || wordOf(partOf(value)['unit']);

const AS_TEXT: Readonly<Record<string, (value: unknown) => string>> = {
  valueQuantity: quantityText,
  valueCodeableConcept: conceptText,
  valueDateTime: timeText,
  valuePeriod: periodText,
  valueInteger: numberText,
};
const UNITS: Readonly<Record<string, (value: unknown) => string>> = {
  valueQuantity: unitText,
  valueRange: (value) => unitText(partOf(value)['low'] ?? partOf(value)['high']),
};

/** `value[x]` of an Observation. */
const VALUE_NAMES = [
  'Quantity',
  'CodeableConcept',
  'String',
  'Boolean',
  'Integer',
  'Range',
  'Ratio',
  'SampledData',
  'Time',
  'DateTime',
  'Period',
].map((type) => `value${type}`);

/** `value[x]`, or why there is none. */
function valueOf(part: Part): { readonly value: string; readonly unit: string } {
  const name = VALUE_NAMES.find((one) => part[one] !== undefined);
  if (name !== undefined) {
    const text = AS_TEXT[name] ?? canonicalJson;
    return { value: text(part[name]), unit: UNITS[name]?.(part[name]) ?? '' };
  }
  const absent = part['dataAbsentReason'] === undefined ? '' : `absent: ${conceptText(part['dataAbsentReason'])}`;
  return { value: absent, unit: '' };
}

function timeOf(resource: Part, { time, period }: ContentTexts): string {
  const { collectedDateTime, collectedPeriod } = partOf(resource['collection']);
  const instant =
    resource['effectiveDateTime'] ?? resource['effectiveInstant'] ?? resource['date'] ?? collectedDateTime;
  if (instant !== undefined) return time(instant);
  const during = resource['effectivePeriod'] ?? collectedPeriod;
  return during === undefined ? '' : period(during);
}

/** Read above, or the EHR's own: its address, its marks, its narrative. */
const NAMED: ReadonlySet<string> = new Set([
  'resourceType',
  'id',
  'meta',
  'text',
  'identifier',
  'status',
  'code',
  'type',
  'subject',
  'patient',
  'effectiveDateTime',
  'effectiveInstant',
  'effectivePeriod',
  'date',
  'component',
  'interpretation',
  'note',
  'conclusion',
  'dataAbsentReason',
  ...VALUE_NAMES,
]);

/** Whether an element counts among `other`. */
export const isOther = (name: string): boolean => !NAMED.has(name);

type Resolve = (reference: string) => string;

/** How the parts of a content are written. Whoever reads many resources may remember what was written before. */
export interface ContentTexts {
  readonly resolve: Resolve;
  readonly concept: (value: unknown) => string;
  readonly time: (value: unknown) => string;
  readonly period: (value: unknown) => string;
  /** All elements of a resource that have no part of their own. */
  readonly other: (resource: Part) => string;
}

/**
 * Types that a document brings along: a reference to one is written in many ways, and not at all before it has its
 * address.
 */
const OWN_TYPES = /^(?:Observation|DiagnosticReport|DocumentReference|Specimen|Device|Media|Organization)\//;
function referenceText(value: unknown, resolve: Resolve): string {
  const local = resolve(wordOf(value));
  return /^(?:urn:|#|$)/.test(local) || OWN_TYPES.test(local) ? '' : JSON.stringify(local);
}

/** What servers write in many ways does not count: displays, the order of lists and names, what is empty. */
export function plainText(value: unknown, resolve: Resolve): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || value === null) return '';
  if (Array.isArray(value)) {
    const all = value.map((one) => plainText(one, resolve)).filter((text) => text !== '');
    return all.length === 0 ? '' : `[${all.length === 1 ? (all[0] ?? '') : all.sort().join()}]`;
  }
  const number = numberValue(value);
  return number === undefined ? elementsText(value as Part, UNCOUNTED, resolve) : String(number);
}

function elementsText(part: Part, leftOut: ReadonlySet<string>, resolve: Resolve): string {
  let text = '';
  for (const name of Object.keys(part).sort()) {
    if (leftOut.has(name)) continue;
    const own = elementText(name, part[name], resolve);
    if (own !== '') text += `${text === '' ? '' : ','}${name}:${own}`;
  }
  return text === '' ? '' : `{${text}}`;
}
export function elementText(name: string, value: unknown, resolve: Resolve): string {
  if (name === 'reference') return referenceText(value, resolve);
  return COUNTED.has(name) ? countText(value) : plainText(value, resolve);
}
const UNCOUNTED: ReadonlySet<string> = new Set(['display']);
/** Of what a report or a panel consists: how many there are tells that one came or went. */
const COUNTED: ReadonlySet<string> = new Set(['result', 'hasMember', 'derivedFrom']);
export const isCounted = (name: string): boolean => COUNTED.has(name);
export const countText = (value: unknown): string => (Array.isArray(value) ? String(value.length) : '');

/** Of a resource or a component: all elements that have no part of their own. */
const otherText = (part: Part, resolve: Resolve): string => elementsText(part, NAMED, resolve);

interface ReadComponent {
  readonly code: string;
  readonly read: readonly string[];
  readonly value: string;
  readonly unit: string;
  readonly other: string;
}
const NO_COMPONENTS: readonly ReadComponent[] = [];

function componentsOf(given: unknown, { concept, resolve }: ContentTexts): readonly ReadComponent[] {
  if (!Array.isArray(given)) return NO_COMPONENTS;
  return listOf(given).map((one) => {
    const code = concept(one['code']);
    const read = listOf(one['interpretation']).map((each) => `${code} ${concept(each)}`);
    return { code, read, ...valueOf(one), other: otherText(one, resolve) };
  });
}

function notesOf(note: unknown, conclusion: unknown): string {
  if (note === undefined && conclusion === undefined) return '';
  const notes = [...listOf(note).map(({ text }) => wordOf(text)), wordOf(conclusion)];
  return joined(notes.map((text) => text.trim()).filter(isSaid));
}

const identifiersOf = (identifier: unknown): string =>
  joined(listOf(identifier).map(({ system, value }) => `${wordOf(system)}|${wordOf(value)}`));

const unitsOf = (own: string, components: readonly ReadComponent[]): string =>
  components.length === 0
    ? own
    : joined([own, ...components.map(({ code, unit }) => (unit === '' ? '' : `${code} ${unit}`))].filter(isSaid));

function interpretationsOf(own: unknown, components: readonly ReadComponent[], { concept }: ContentTexts): string {
  if (own === undefined && components.length === 0) return '';
  return joined([...listOf(own).map(concept), ...components.flatMap(({ read }) => read)]);
}

const othersOf = (own: string, components: readonly ReadComponent[]): string =>
  components.length === 0 ? own : joined([own, ...components.map(({ other }) => other)].filter(isSaid));

/** Every part of a content; empty where there is none. */
export function contentPartsOf(resource: Part, texts: ContentTexts): Readonly<Record<ContentPart, string>> {
  const components = componentsOf(resource['component'], texts);
  const own = valueOf(resource);
  const subject = wordOf(partOf(resource['subject'] ?? resource['patient'])['reference']);
  return {
    status: wordOf(resource['status']),
    code: texts.concept(resource['code'] ?? resource['type']),
    subject: subject === '' ? '' : texts.resolve(subject),
    time: timeOf(resource, texts),
    value: own.value,
    unit: unitsOf(own.unit, components),
    components: components.length === 0 ? '' : joined(components.map(({ code, value }) => `${code} = ${value}`)),
    interpretation: interpretationsOf(resource['interpretation'], components, texts),
    notes: notesOf(resource['note'], resource['conclusion']),
    identifiers: identifiersOf(resource['identifier']),
    other: othersOf(texts.other(resource), components),
  };
}

/**
 * What a resource says, whoever wrote it down. `resolve` gives the local form (`Patient/1`) of a reference that is
 * written otherwise.
 */
export function contentOf(resource: Part, resolve: Resolve): ChartContent {
  const parts = contentPartsOf(resource, {
    resolve,
    concept: conceptText,
    time: timeText,
    period: periodText,
    other: (part) => otherText(part, resolve),
  });
  const content: Partial<Record<ContentPart, string>> = {};
  for (const part of CONTENT_PARTS) if (isSaid(parts[part])) content[part] = parts[part];
  return content;
}
