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
function conceptOf(value: unknown): string {
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
const timeText = (value: unknown): string => {
  const text = wordOf(value);
  const instant = INSTANT.test(text) ? new Date(text) : null;
  return instant === null || Number.isNaN(instant.getTime()) ? text : instant.toISOString();
};
const periodText = (value: unknown): string => `${timeText(partOf(value)['start'])}/${timeText(partOf(value)['end'])}`;

const quantityText = (value: unknown): string =>
  `${wordOf(partOf(value)['comparator'])}${numberText(partOf(value)['value'])}`;
const unitText = (value: unknown): string => wordOf(partOf(value)['code']) || wordOf(partOf(value)['unit']);

const AS_TEXT: Readonly<Record<string, (value: unknown) => string>> = {
  valueQuantity: quantityText,
  valueCodeableConcept: conceptOf,
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
  const absent = part['dataAbsentReason'] === undefined ? '' : `absent: ${conceptOf(part['dataAbsentReason'])}`;
  return { value: absent, unit: '' };
}

function timeOf(resource: Part): string {
  const { collectedDateTime, collectedPeriod } = partOf(resource['collection']);
  const instant =
    resource['effectiveDateTime'] ?? resource['effectiveInstant'] ?? resource['date'] ?? collectedDateTime;
  const period = resource['effectivePeriod'] ?? collectedPeriod;
  if (instant !== undefined) return timeText(instant);
  return period === undefined ? '' : periodText(period);
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

type Resolve = (reference: string) => string;

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
function plainText(value: unknown, resolve: Resolve): string {
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
function elementText(name: string, value: unknown, resolve: Resolve): string {
  if (name === 'reference') return referenceText(value, resolve);
  return COUNTED.has(name) ? countText(value) : plainText(value, resolve);
}
const UNCOUNTED: ReadonlySet<string> = new Set(['display']);
/** Of what a report or a panel consists: how many there are tells that one came or went. */
const COUNTED: ReadonlySet<string> = new Set(['result', 'hasMember', 'derivedFrom']);
const countText = (value: unknown): string => (Array.isArray(value) ? String(value.length) : '');

/**
 * What a resource says, whoever wrote it down. `resolve` gives the local form (`Patient/1`) of a reference that is
 * written otherwise.
 */
export function contentOf(resource: Part, resolve: Resolve): ChartContent {
  const components = listOf(resource['component']).map((one) => {
    const code = conceptOf(one['code']);
    const read = listOf(one['interpretation']).map((concept) => `${code} ${conceptOf(concept)}`);
    return { code, read, ...valueOf(one) };
  });
  const own = valueOf(resource);
  const subject = wordOf(partOf(resource['subject'] ?? resource['patient'])['reference']);
  const notes = [...listOf(resource['note']).map(({ text }) => wordOf(text)), wordOf(resource['conclusion'])];
  const units = [own.unit, ...components.map(({ code, unit }) => (unit === '' ? '' : `${code} ${unit}`))];
  const parts: Record<ContentPart, string> = {
    status: wordOf(resource['status']),
    code: conceptOf(resource['code'] ?? resource['type']),
    subject: subject === '' ? '' : resolve(subject),
    time: timeOf(resource),
    value: own.value,
    unit: joined(units.filter(isSaid)),
    components: joined(components.map(({ code, value }) => `${code} = ${value}`)),
    interpretation: joined([
      ...listOf(resource['interpretation']).map(conceptOf),
      ...components.flatMap(({ read }) => read),
    ]),
    notes: joined(notes.map((text) => text.trim()).filter(isSaid)),
    identifiers: joined(
      listOf(resource['identifier']).map(({ system, value }) => `${wordOf(system)}|${wordOf(value)}`),
    ),
    other: joined(
      [resource, ...listOf(resource['component'])].map((part) => elementsText(part, NAMED, resolve)).filter(isSaid),
    ),
  };
  const content: Partial<Record<ContentPart, string>> = {};
  for (const part of CONTENT_PARTS) if (isSaid(parts[part])) content[part] = parts[part];
  return content;
}
