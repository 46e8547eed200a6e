import { fail, fault, ok, type Result } from '../kernel/index.ts';
import { FIELD, fieldsOf, foldText, NAME_PARTS, VALUE, type Condition } from '../persons/index.ts';
import { compareSearch, daysOfDate, splitSearchValue, unescapeSearchValue } from '../r4/index.ts';

/** Parameter names, each with its modifier, and values, as a search has them. */
type Clauses = readonly (readonly [string, string])[];

/** The parameters by which people are found here. */
export const PERSON_PARAMS = [
  'name',
  'family',
  'given',
  'birthdate',
  'death-date',
  'gender',
  'identifier',
  '_id',
] as const;
type PersonParam = (typeof PERSON_PARAMS)[number];
export const isPersonParam = (name: string): name is PersonParam => (PERSON_PARAMS as readonly string[]).includes(name);

const LETTERS: Readonly<Record<'name' | 'family' | 'given', readonly string[]>> = {
  name: Object.values(NAME_PARTS),
  family: [NAME_PARTS.family],
  given: [NAME_PARTS.given],
};

function stringIs(name: keyof typeof LETTERS, modifier: string | undefined, value: string): Condition | null {
  const letters = LETTERS[name];
  const folded = foldText(value);
  switch (modifier) {
    case undefined: {
      const starts = letters.map((letter) => `${FIELD}${letter}${folded}`);
      const [only] = starts;
      if (starts.length === 1 && only !== undefined) return (person) => person.folded.includes(only);
      // Most people have it nowhere, which is seen at one glance.
      return (person) => person.folded.includes(folded) && starts.some((start) => person.folded.includes(start));
    }
    case 'exact': {
      const whole = letters.map((letter) => `${FIELD}${letter}${value.normalize('NFC')}${FIELD}`);
      return (person) => whole.some((one) => person.names.includes(one));
    }
    case 'contains':
      return (person) =>
        person.folded.includes(folded) &&
        fieldsOf(person.folded).some((field) => letters.includes(field.charAt(0)) && field.slice(1).includes(folded));
    default:
      return null;
  }
}

/** https://hl7.org/fhir/R4/search.html#prefix, with days: a birth date has no time. */
function birthDateIs(value: string): Condition | null {
  const [, prefix = 'eq', date] = /^(eq|ne|gt|lt|ge|le|sa|eb)?(\d.*)$/.exec(value) ?? [];
  const wanted = daysOfDate(date);
  const { from = null, to = null } = wanted ?? {};
  if (from === null || to === null) return null;
  const isIn = (a: string, b: string): boolean => from <= a && b <= to;
  const rules: Readonly<Record<string, (a: string, b: string) => boolean>> = {
    eq: isIn,
    ne: (a, b) => !isIn(a, b),
    gt: (_, b) => b > to,
    ge: (a, b) => b > to || isIn(a, b),
    lt: (a) => a < from,
    le: (a, b) => a < from || isIn(a, b),
    sa: (a) => a > to,
    eb: (_, b) => b < from,
  };
  const rule = rules[prefix];
  if (rule === undefined) return null;
  return ({ birthDate }) => {
    // Most people's is a whole day, which needs no reading.
    if (birthDate.length === 10) return rule(birthDate, birthDate);
    const days = daysOfDate(birthDate);
    const { from: first = null, to: last = null } = days ?? {};
    return first !== null && last !== null && rule(first, last);
  };
}

/** As any date of a resource, which may have a time; few people have one at all. */
function deathDateIs(value: string): Condition | null {
  if (!/^(eq|ne|gt|lt|ge|le|sa|eb)?\d/.test(value)) return null;
  return ({ deathDate }) =>
    deathDate !== '' &&
    compareSearch({ resourceType: 'Patient', deceasedDateTime: deathDate }, 'death-date', value) !== 'no';
}

function identifierIs(value: string): Condition | null {
  const parts = splitSearchValue(value, '|').map(unescapeSearchValue);
  const [first = '', number] = parts;
  if (parts.length > 2) return null;
  const wanted =
    number === undefined
      ? `${VALUE}${first}${FIELD}`
      : `${FIELD}${first}${VALUE}${number === '' ? '' : `${number}${FIELD}`}`;
  return first === '' && (number ?? '') === '' ? null : ({ identifiers }) => identifiers.includes(wanted);
}

const IS_MISSING: Readonly<Record<PersonParam, Condition>> = {
  name: ({ names }) => names === FIELD,
  family: ({ names }) => !names.includes(`${FIELD}${NAME_PARTS.family}`),
  given: ({ names }) => !names.includes(`${FIELD}${NAME_PARTS.given}`),
  birthdate: ({ birthDate }) => birthDate === '',
  'death-date': ({ deathDate }) => deathDate === '',
  gender: ({ gender }) => gender === '',
  identifier: ({ identifiers }) => identifiers === FIELD,
  _id: () => false,
};

function alternativeOf(name: PersonParam, modifier: string | undefined, value: string): Condition | null {
  switch (name) {
    case 'name':
    case 'family':
    case 'given':
      return stringIs(name, modifier, unescapeSearchValue(value));
    case 'birthdate':
      return modifier === undefined ? birthDateIs(value) : null;
    case 'death-date':
      return modifier === undefined ? deathDateIs(value) : null;
    case 'gender': {
      const code = unescapeSearchValue(splitSearchValue(value, '|').at(-1) ?? '');
      return modifier === undefined && code !== '' ? ({ gender }) => gender === code : null;
    }
    case 'identifier':
      return modifier === undefined ? identifierIs(value) : null;
    case '_id':
      return modifier === undefined ? ({ id }) => id === value : null;
  }
}

function conditionOf(name: PersonParam, modifier: string | undefined, value: string): Condition | null {
  if (modifier === 'missing') return value === 'true' ? IS_MISSING[name] : (person) => !IS_MISSING[name](person);
  const values = splitSearchValue(value, ',');
  if (name === '_id' && modifier === undefined && values.length > 1) {
    const ids = new Set(values);
    return ({ id }) => ids.has(id);
  }
  const isNot = modifier === 'not' && (name === 'gender' || name === 'identifier');
  const alternatives = values.map((one) => alternativeOf(name, isNot ? undefined : modifier, one));
  if (!alternatives.every((one) => one !== null)) return null;
  const [only] = alternatives;
  const any: Condition =
    alternatives.length === 1 && only !== undefined ? only : (person) => alternatives.some((is) => is(person));
  return isNot ? (person) => !any(person) : any;
}

/** Every person is looked at by each of them. */
const ALTERNATIVES_MAX = 50;

/**
 * What a person must meet. Commas separate alternatives; several clauses hold together. A fault names the parameter by
 * which nobody can be found here, whose value is none, or with which there are too many alternatives.
 */
export function readConditions(clauses: Clauses): Result<Condition> {
  const conditions: Condition[] = [];
  let alternatives = 0;
  for (const [key, value] of clauses) {
    const [name = '', modifier] = key.split(':');
    alternatives += splitSearchValue(value, ',').length;
    const isKnown = isPersonParam(name) && alternatives <= ALTERNATIVES_MAX;
    const condition = isKnown ? conditionOf(name, modifier, value) : null;
    if (condition === null) return fail(fault('read.person-parameter', { at: name }));
    conditions.push(condition);
  }
  return ok((person) => conditions.every((is) => is(person)));
}
