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

const sameFilter = (a: ResourceScope['filter'], b: ResourceScope['filter']): boolean =>
  a.length === b.length && a.every(([name, value]) => b.some(([other, of]) => other === name && of === value));

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
