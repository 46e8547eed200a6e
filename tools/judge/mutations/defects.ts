import { at, isObject, removeAt, setAt, textOf, type Json, type JsonObject, type Site } from '../json-sites.ts';
import type { Mutation } from './mutation.ts';

const isText = (site: Site): boolean => typeof site.value === 'string';
const isProperty = (site: Site): boolean => typeof site.key === 'string';
/** What the choice elements of R4 are called, without the type. */
const CHOICE_STEMS = [
  'value effective onset abatement deceased multipleBirth medication performed occurrence reported product timing',
  'defaultValue serviced start due asNeeded rate dose identified collected time scheduled',
].flatMap((line) => line.split(' '));
const CHOICE = new RegExp(`^(${CHOICE_STEMS.join('|')})(?=[A-Z])`);

/** One value of each type that a choice may be given instead. */
const OTHER_VALUES: JsonObject = {
  String: 'a text',
  Boolean: true,
  Integer: 7,
  DateTime: '2024-02-03T10:00:00Z',
  Period: { start: '2024-02-03', end: '2024-02-04' },
  Quantity: { value: 7, unit: 'mg', system: 'http://unitsofmeasure.org', code: 'mg' },
  CodeableConcept: { text: 'a concept' },
  Reference: { reference: 'Patient/other' },
  Age: { value: 7, unit: 'years', system: 'http://unitsofmeasure.org', code: 'a' },
  Date: '2024-02-03',
};

const STATUSES = [
  'active',
  'completed',
  'final',
  'draft',
  'entered-in-error',
  'unknown',
  'bogus',
  'cancelled',
  'current',
];
const TARGETS = ['Patient/other', 'Practitioner/other', 'Organization/other', 'Medication/other', 'Observation/other'];
const MORE_TARGETS = [...TARGETS, 'Group/other', 'Device/other', 'Location/other', 'Encounter/other', '#nobody'];

/** Another value of the same kind, which is surely not the same. */
function otherThan(value: Json): Json {
  if (typeof value === 'string') return `${value}x`;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return value.map((item) => otherThan(item));
  if (!isObject(value)) return 'x';
  const [name] = Object.keys(value);
  return name === undefined ? value : { ...value, [name]: otherThan(value[name] ?? null) };
}

export const DEFECTS: readonly Mutation[] = [
  {
    name: 'drop-required',
    weight: 9,
    fits: (site, { rules }) => isProperty(site) && rules.at(site.path).some(({ min }) => min > 0),
    apply: removeAt,
  },
  {
    name: 'drop-supported',
    weight: 4,
    fits: (site, { rules }) => isProperty(site) && rules.at(site.path).some(({ mustSupport }) => mustSupport),
    apply: removeAt,
  },
  { name: 'drop-any', weight: 6, fits: isProperty, apply: removeAt },
  {
    name: 'repeat-narrowed',
    weight: 4,
    fits: (site, { rules }) =>
      Array.isArray(site.value) &&
      rules.at(site.path).some(({ max, baseMax, slice }) => slice !== null || max !== baseMax),
    apply: (site) => {
      if (Array.isArray(site.value)) site.value.push(structuredClone(site.value[0] ?? null));
    },
  },
  {
    name: 'wrong-code',
    weight: 6,
    fits: (site) => isText(site) && (site.name === 'code' || site.name === 'use'),
    apply: (site) => setAt(site, 'bogus'),
  },
  {
    name: 'other-status',
    weight: 3,
    fits: (site) => isText(site) && /status|intent|lifecycle|gender|mode/i.test(site.name),
    apply: (site, { random }) => setAt(site, random.pick(STATUSES) ?? 'bogus'),
  },
  {
    name: 'other-coding',
    weight: 8,
    fits: (site) => isObject(site.value) && typeof at(site.value, 'system') === 'string' && 'code' in site.value,
    apply: (site, { random, around }) => {
      const coding = random.pick(around.codings);
      if (coding !== undefined && isObject(site.value)) setAt(site, { ...site.value, ...coding });
    },
  },
  {
    name: 'wrong-system',
    weight: 5,
    fits: (site) => isText(site) && site.name === 'system',
    apply: (site) => setAt(site, 'http://example.org/other-system'),
  },
  {
    name: 'wrong-fixed',
    weight: 8,
    fits: (site, { rules }) => rules.at(site.path).some(({ value }) => value !== null),
    apply: (site) => setAt(site, otherThan(site.value)),
  },
  {
    name: 'other-choice',
    weight: 6,
    fits: (site) => isProperty(site) && CHOICE.test(site.name),
    apply: (site, { random }) => {
      const stem = CHOICE.exec(site.name)?.[0] ?? 'value';
      const type = random.pick(Object.keys(OTHER_VALUES)) ?? 'String';
      removeAt(site);
      if (isObject(site.holder)) site.holder[`${stem}${type}`] = structuredClone(OTHER_VALUES[type] ?? null);
    },
  },
  {
    name: 'other-reference',
    weight: 6,
    fits: (site) => isText(site) && site.name === 'reference',
    apply: (site, { random }) => setAt(site, random.pick(MORE_TARGETS) ?? 'Patient/other'),
  },
  {
    name: 'swap-entry-reference',
    weight: 4,
    fits: (site) => isText(site) && site.name === 'reference',
    apply: (site, { random, resource }) => {
      const entries = Array.isArray(resource['entry']) ? resource['entry'] : [];
      const full = at(random.pick(entries), 'fullUrl');
      if (typeof full === 'string') setAt(site, full);
    },
  },
  {
    name: 'reference-to-identifier',
    weight: 2,
    fits: (site) => isText(site) && site.name === 'reference',
    apply: (site) => {
      removeAt(site);
      if (isObject(site.holder)) site.holder['identifier'] = { system: 'http://example.org/ids', value: '7' };
    },
  },
  {
    name: 'alter-text',
    weight: 4,
    fits: (site) =>
      isText(site) && /^(value|family|given|line|city|state|postalCode|text|linkId|title)$/.test(site.name),
    apply: (site, { random }) => setAt(site, random.pick(['x', '123', 'A b', '1234567893', 'é']) ?? 'x'),
  },
  {
    name: 'alter-unit',
    weight: 5,
    fits: (site) => isText(site) && site.name === 'code' && at(site.holder, 'value') !== undefined,
    apply: (site, { random }) => setAt(site, random.pick(['mg', '%', 'kg', 'mm[Hg]', '/min', 'Cel', 'bogus']) ?? 'mg'),
  },
  {
    name: 'absent-reason',
    weight: 3,
    fits: (site) => isProperty(site) && /^value[A-Z]/.test(site.name) && !/xtension/.test(site.path),
    apply: (site, { random }) => {
      if (random.chance(0.5)) removeAt(site);
      if (isObject(site.holder))
        site.holder['dataAbsentReason'] = {
          coding: [{ system: 'http://terminology.hl7.org/CodeSystem/data-absent-reason', code: 'unknown' }],
        };
    },
  },
  {
    name: 'shorten-date',
    weight: 3,
    fits: (site) => typeof site.value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(site.value),
    apply: (site, { random }) => setAt(site, textOf(site.value).slice(0, random.pick([4, 7, 10]) ?? 4)),
  },
];
