import { isElement } from '../runtime/is-element.ts';
import { compareDate, type Fit } from './compare-dates.ts';
import {
  compareQuantity,
  compareReference,
  compareString,
  compareToken,
  compareUri,
  isOnlyToken,
} from './compare-values.ts';
import { matchesByLetter, splitSearchValue } from './match-search.ts';
import { searchParamsOf, type SearchParam, type SearchPath } from './search-params.ts';
import { usCoreParam } from './us-core-params.ts';

const KINDS = new Set(['token', 'reference', 'date', 'string', 'quantity', 'number', 'uri']);

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

interface Found {
  readonly values: unknown[];
  /** Whether something of another type stands where the parameter looks, which a server may follow. */
  isOther: boolean;
}

function look(value: unknown, { steps, choice }: SearchPath, at: number, found: Found): void {
  if (Array.isArray(value)) {
    for (const one of value) look(one, { steps, choice, reference: null }, at, found);
    return;
  }
  const name = steps[at];
  if (name === undefined) {
    if (value !== undefined && value !== null) found.values.push(value);
    return;
  }
  if (!isElement(value)) return;
  const isLast = at === steps.length - 1;
  const spelled = isLast && choice !== null ? `${name}${capital(choice)}` : name;
  const here = value[spelled] ?? (isLast ? value[name] : undefined);
  if (here !== undefined) {
    look(here, { steps, choice, reference: null }, at + 1, found);
    return;
  }
  // A choice, whose type is part of its name.
  const others = Object.keys(value).filter((key) => key.startsWith(name) && /^[A-Z]/.test(key.slice(name.length)));
  if (choice !== null && others.length > 0) found.isOther = true;
  else for (const key of others) look(value[key], { steps, choice, reference: null }, at + 1, found);
}

const best = (fits: readonly Fit[]): Fit => (fits.includes('yes') ? 'yes' : fits.includes('maybe') ? 'maybe' : 'no');

function compareOne(
  param: SearchParam,
  path: SearchPath,
  modifier: string | undefined,
  value: unknown,
  wanted: string,
  base?: string,
): Fit {
  switch (param.kind) {
    case 'token':
      return compareToken(value, wanted);
    case 'reference':
      return compareReference(value, wanted, path.reference, base);
    case 'date':
      return compareDate(value, wanted);
    case 'string':
      return compareString(value, wanted, modifier);
    case 'quantity':
    case 'number':
      return compareQuantity(value, wanted);
    case 'uri':
      return compareUri(value, wanted);
    default:
      return 'maybe';
  }
}

/** What R4 or US Core says of a parameter. */
export const knownParam = (type: string, name: string): SearchParam | undefined =>
  searchParamsOf(type).get(name) ?? usCoreParam(type, name);

/** Whether `compareSearch` can tell anything about it. */
export const isComparable = ({ kind, isPlain, paths }: SearchParam): boolean =>
  isPlain && paths.length > 0 && KINDS.has(kind);

interface Looked extends Found {
  readonly path: SearchPath;
}

const lookAlong = (resource: unknown, { paths }: SearchParam): readonly Looked[] =>
  paths.map((path) => {
    const found: Found = { values: [], isOther: false };
    look(resource, path, 0, found);
    return { path, ...found };
  });

const fitOf = (
  looked: readonly Looked[],
  param: SearchParam,
  modifier: string | undefined,
  alternatives: readonly string[],
  base?: string,
): Fit =>
  best(
    looked.flatMap(({ path, values }) =>
      values.flatMap((one) => alternatives.map((wanted) => compareOne(param, path, modifier, one, wanted, base))),
    ),
  );

const typeOf = (resource: unknown): string =>
  isElement(resource) && typeof resource['resourceType'] === 'string' ? resource['resourceType'] : '';

/**
 * How a resource stands to one condition of a search; commas separate alternatives, and `key` may have a modifier. Of
 * what the server alone knows (`_lastUpdated`, a tag), what is not there says nothing.
 */
export function compareSearch(resource: unknown, key: string, value: string, base?: string): Fit {
  const [name = '', modifier] = key.split(':');
  const param = knownParam(typeOf(resource), name);
  if (param === undefined || !isComparable(param)) return 'maybe';
  const looked = lookAlong(resource, param);
  const values = looked.flatMap((one) => one.values);
  const isOther = values.length === 0 && looked.some((one) => one.isOther);
  if (modifier === 'missing') {
    if (values.length === 0 && (isOther || name.startsWith('_'))) return 'maybe';
    return (values.length === 0) === (value === 'true') ? 'yes' : 'no';
  }
  const alternatives = splitSearchValue(value, ',');
  if (modifier === 'not') {
    if (values.length > 0 && values.every((one) => isOnlyToken(one, alternatives))) return 'no';
    const fits = values.flatMap((one) => alternatives.map((wanted) => compareToken(one, wanted)));
    return best(fits) === 'no' ? 'yes' : 'maybe';
  }
  const fit = fitOf(looked, param, modifier, alternatives, base);
  if (fit !== 'no') return fit;
  const isUnsaid =
    values.length === 0 && (name.startsWith('_') || alternatives.some((one) => /^(true|false)$/.test(one)));
  return isOther || isUnsaid ? 'maybe' : 'no';
}

/** What the elements of a choice that are searched by may be; one of another type is found by whoever reads them all. */
const CHOICES = ['DateTime', 'Period', 'Instant', 'Timing', 'CodeableConcept', 'Reference', 'Quantity', 'String'];

/** The names of the elements of a resource at which this condition mostly looks first. */
export function elementsOfParam(type: string, key: string): readonly string[] {
  const param = knownParam(type, key.split(':')[0] ?? '');
  if (param === undefined || !isComparable(param)) return [];
  return param.paths.flatMap(({ steps: [name = '', ...more], choice }) =>
    choice !== null && more.length === 0
      ? [name, `${name}${capital(choice)}`]
      : [name, ...CHOICES.map((one) => `${name}${one}`)],
  );
}

/**
 * Whether a resource meets a condition by these elements of it alone, whatever stands in the others: `compareSearch` of
 * the whole is then not `no`, since further values can only fit better. `part` has the type, and each element of
 * `elementsOfParam` that the resource has.
 */
export function meetsByPart(part: unknown, key: string, value: string, base?: string): boolean {
  const [name = '', modifier] = key.split(':');
  const param = knownParam(typeOf(part), name);
  if (param === undefined || !isComparable(param)) return true;
  if (modifier === 'missing' || modifier === 'not') return false;
  return fitOf(lookAlong(part, param), param, modifier, splitSearchValue(value, ','), base) !== 'no';
}

/**
 * Whether the resource has this value of this parameter by every reading; commas separate alternatives. Parameters of
 * other kinds, and those whose meaning is more than a path, match nothing: who asks for a permission must not get one by
 * mistake.
 */
export function matchesSearch(resource: unknown, name: string, value: string, base?: string): boolean {
  const param = searchParamsOf(typeOf(resource)).get(name);
  if (param === undefined || !isComparable(param)) return false;
  return param.kind === 'token' || param.kind === 'reference'
    ? matchesByLetter(resource, param, value, base)
    : compareSearch(resource, name, value, base) === 'yes';
}

/** Whether `matchesSearch` can ever say yes: the parameter exists and is of a kind that is matched here. */
export function isMatchable(type: string, name: string): boolean {
  const param = searchParamsOf(type).get(name);
  return param !== undefined && isComparable(param);
}
