import { parseResourceScope, splitScopes, type Letter, type ResourceScope } from './scope.ts';

/** The words besides resource scopes that this server knows. Any other is not granted. */
export const WORDS = [
  'openid',
  'fhirUser',
  'profile',
  'launch',
  'launch/patient',
  'launch/encounter',
  'offline_access',
  'online_access',
] as const;

/** Nothing of a chart can be written through this API, so that only these two mean something. */
const READING: readonly Letter[] = ['r', 's'];
/** What is an app's own and stands in no chart: it makes, changes and removes it. */
const OWN_TYPES: ReadonlySet<string> = new Set(['Subscription']);
const EVERY: readonly Letter[] = ['c', 'r', 'u', 'd', 's'];
/** What is in no chart has nothing by which a scope could narrow it: such a filter would be a promise that nobody keeps. */
export const isEmptyPromise = ({ type, filter }: ResourceScope): boolean => OWN_TYPES.has(type) && filter.length > 0;
const lettersFor = (type: string): readonly Letter[] => (OWN_TYPES.has(type) ? EVERY : READING);

const HEAD = /^((?:patient|user|system)\/(?:\*|[A-Z][A-Za-z]+))\.([^?]+)(\?.*)?$/;

/** The same scope with fewer letters, in the form in which it was asked for. */
function withLetters(scope: ResourceScope, letters: readonly Letter[]): string | null {
  const [, head, permissions, query = ''] = HEAD.exec(scope.text) ?? [];
  if (head === undefined || letters.length === 0) return null;
  const isFirstForm = permissions === 'read' || permissions === '*';
  // The first form has no word for one of the two.
  if (isFirstForm && letters.join('') === READING.join('')) return `${head}.read`;
  return `${head}.${letters.join('')}${query}`;
}

/** A wildcard scope does not include the audit of all patients. */
const NAMED_ONLY: ReadonlySet<string> = new Set(['AuditEvent']);

type Filter = ResourceScope['filter'];
const hasAll = (filter: Filter, wanted: Filter): boolean =>
  wanted.every(([name, value]) => filter.some(([other, of]) => other === name && of === value));
export const sameFilter = (a: Filter, b: Filter): boolean => hasAll(a, b) && hasAll(b, a);

/** The letters of a wanted scope that a given one allows. A given filter allows the same filter and nothing wider. */
function allowedLetters(wanted: ResourceScope, given: ResourceScope): Letter[] {
  const isWithin =
    given.level === wanted.level &&
    (given.type === wanted.type || (given.type === '*' && !NAMED_ONLY.has(wanted.type))) &&
    (given.filter.length === 0 || sameFilter(given.filter, wanted.filter));
  // A wildcard is about charts: it lets nobody make anything.
  const letters = given.type === '*' ? READING : lettersFor(wanted.type);
  return isWithin ? letters.filter((letter) => wanted.letters.has(letter) && given.letters.has(letter)) : [];
}

const ANY_TYPE = (): boolean => true;

/**
 * What of the asked scopes can be granted to somebody who may have at most the registered ones. Order and form are
 * those of the asking. What is unknown, experimental, or about writing is left out; so is a type that FHIR has not.
 */
export function narrowScope(
  asked: string,
  registered: string,
  isType: (name: string) => boolean = ANY_TYPE,
): readonly string[] {
  const given = splitScopes(registered);
  const resources = given.flatMap((text) => parseResourceScope(text) ?? []);
  const out = splitScopes(asked).flatMap((text) => {
    const wanted = parseResourceScope(text);
    if (wanted !== null && wanted.type !== '*' && !isType(wanted.type)) return [];
    if (wanted !== null && isEmptyPromise(wanted)) return [];
    if (wanted === null) return (WORDS as readonly string[]).includes(text) && given.includes(text) ? [text] : [];
    const letters = lettersFor(wanted.type).filter((letter) =>
      resources.some((one) => allowedLetters(wanted, one).includes(letter)),
    );
    return withLetters(wanted, letters) ?? [];
  });
  return [...new Set(out)];
}

/** What stands in a scope for something else is written as an address would write it. */
const escaped = (text: string): string => text.replace(/[%&=\s]/g, encodeURIComponent);

/** What two scopes both allow; null where that is nothing. Both filters must match. */
function meet(a: ResourceScope, b: ResourceScope): ResourceScope | null {
  const type = a.type === '*' ? b.type : a.type;
  const isByName = a.type === b.type;
  const isMet = a.level === b.level && (isByName || ((a.type === '*' || b.type === '*') && !NAMED_ONLY.has(type)));
  const possible = isByName ? lettersFor(type) : READING;
  const letters = possible.filter((letter) => a.letters.has(letter) && b.letters.has(letter));
  if (!isMet || letters.length === 0) return null;
  const filter = [...a.filter, ...b.filter.filter((one) => !hasAll(a.filter, [one]))];
  const query = filter.map(([name, value]) => `${name}=${escaped(value)}`).join('&');
  const text =
    isByName && sameFilter(a.filter, filter)
      ? withLetters(a, letters)
      : `${a.level}/${type}.${letters.join('')}${query === '' ? '' : `?${query}`}`;
  return text === null ? null : { level: a.level, type, letters: new Set(letters), filter, text };
}

/** Whether a scope allows all that another does. */
const includes = (wide: ResourceScope, narrow: ResourceScope): boolean =>
  wide.level === narrow.level &&
  (wide.type === narrow.type || (wide.type === '*' && !NAMED_ONLY.has(narrow.type))) &&
  [...narrow.letters].every((letter) => wide.letters.has(letter)) &&
  hasAll(narrow.filter, wide.filter);

/**
 * What two sets of scopes both allow, whichever of them is the narrower: for work that goes on after its token, whose
 * client may have been narrowed. `narrowScope` answers somebody who asks, and grants a scope as asked or not at all.
 */
export function intersectScopes(a: string, b: string, isType: (name: string) => boolean = ANY_TYPE): readonly string[] {
  const others = splitScopes(b);
  const resources = (of: readonly string[]): ResourceScope[] => of.flatMap((text) => parseResourceScope(text) ?? []);
  const met = resources(splitScopes(a)).flatMap((one) =>
    resources(others).flatMap((other) => {
      const both = meet(one, other);
      return both === null || (both.type !== '*' && !isType(both.type)) ? [] : [both];
    }),
  );
  // Of two that allow the same the first stays.
  const needed = met.filter(
    (one, i) => !met.some((other, j) => i !== j && includes(other, one) && (j < i || !includes(one, other))),
  );
  const words = splitScopes(a).filter((text) => (WORDS as readonly string[]).includes(text) && others.includes(text));
  return [...words, ...needed.map(({ text }) => text)];
}

/** Whether a granted scope lies within a set of offered ones: one of them, or a narrower form of one. */
export const isWithin = (
  text: string,
  offered: readonly string[],
  isType: (name: string) => boolean = ANY_TYPE,
): boolean => offered.includes(text) || narrowScope(text, offered.join(' '), isType).includes(text);

const OBSERVATION = 'http://terminology.hl7.org/CodeSystem/observation-category';
const CONDITION = 'http://terminology.hl7.org/CodeSystem/condition-category';
const US_CORE_CONDITION = 'http://hl7.org/fhir/us/core/CodeSystem/condition-category';
const US_CORE = 'http://hl7.org/fhir/us/core/CodeSystem/us-core-category';

/** The parts of a type that a person may grant instead of the whole; US Core names them. */
export const CATEGORIES: Readonly<Record<string, readonly (readonly [label: string, category: string])[]>> = {
  Observation: [
    ['laboratory results', `${OBSERVATION}|laboratory`],
    ['vital signs', `${OBSERVATION}|vital-signs`],
    ['social history', `${OBSERVATION}|social-history`],
    ['surveys', `${OBSERVATION}|survey`],
    ['social needs', `${US_CORE}|sdoh`],
  ],
  Condition: [
    ['diagnoses of encounters', `${CONDITION}|encounter-diagnosis`],
    ['problem list', `${CONDITION}|problem-list-item`],
    ['health concerns', `${US_CORE_CONDITION}|health-concern`],
  ],
};

export interface OfferedPart {
  readonly label: string;
  readonly scope: string;
}

/** The narrower scopes that a person may grant in place of a scope over a whole type. */
export function offerParts(text: string): readonly OfferedPart[] {
  const scope = parseResourceScope(text);
  if (scope === null || scope.filter.length > 0) return [];
  const letters = READING.filter((letter) => scope.letters.has(letter)).join('');
  return (CATEGORIES[scope.type] ?? []).map(([label, category]) => ({
    label,
    scope: `${scope.level}/${scope.type}.${letters}?category=${category}`,
  }));
}
