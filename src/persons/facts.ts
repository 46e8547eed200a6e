import { isObject } from '../kernel/index.ts';
import { foldText } from './fold-text.ts';

/**
 * What is known of one Patient of the EHR. Names and identifiers are one text each, in which every field stands between
 * marks: with a hundred thousand patients in memory, and looked through at every search, small objects would cost more
 * than what they hold.
 */
export interface PersonFacts {
  /** At the EHR. */
  readonly id: string;
  /** `‹f›Family‹›`, `‹g›Given‹›`, also prefixes, suffixes and whole texts; the name that is shown comes first. */
  readonly names: string;
  /** `‹system›‹=›value‹›`. */
  readonly identifiers: string;
  readonly birthDate: string;
  readonly gender: string;
  /** With its time, where the EHR has one. */
  readonly deathDate: string;
  readonly isActive: boolean;
  /** Family name, then given names, of the name that is shown; without case and accents. */
  readonly sortName: string;
}

/** Neither can stand in a field: control characters are taken out. */
export const FIELD = '\u0001';
export const VALUE = '\u0002';

/** Which part of a name a field is, by one letter. */
export const NAME_PARTS = { family: 'f', given: 'g', prefix: 'p', suffix: 's', text: 't' } as const;

type Json = Readonly<Record<string, unknown>>;
const text = (value: unknown): string =>
  typeof value === 'string'
    ? value
        .replace(/[\p{Cc}]/gu, ' ')
        .trim()
        .normalize('NFC')
    : '';
const objects = (value: unknown): Json[] => (Array.isArray(value) ? (value as unknown[]).filter(isObject) : []);
const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value]).map(text).filter((one) => one !== '');

/** The official name, else the first that is not an old one: by it people are sorted and shown. */
function namesInOrder(patient: Json): Json[] {
  const names = objects(patient['name']);
  const shown = names.find(({ use }) => use === 'official') ?? names.find(({ use }) => use !== 'old');
  return shown === undefined ? names : [shown, ...names.filter((one) => one !== shown)];
}

const namesOf = (patient: Json): string =>
  namesInOrder(patient)
    .flatMap((name) =>
      Object.entries(NAME_PARTS).flatMap(([part, letter]) => texts(name[part]).map((one) => `${letter}${one}`)),
    )
    .map((field) => `${FIELD}${field}`)
    .join('') + FIELD;

function sortNameOf(patient: Json): string {
  const [name = {}] = namesInOrder(patient);
  const parts = [...texts(name['family']), ...texts(name['given'])];
  return foldText((parts.length === 0 ? texts(name['text']) : parts).join(' '));
}

const identifiersOf = (patient: Json): string =>
  objects(patient['identifier'])
    .map(({ system, value }) => `${FIELD}${text(system)}${VALUE}${text(value)}`)
    .join('') + FIELD;

/** Null for what is no Patient with an id. */
export function factsOf(patient: unknown): PersonFacts | null {
  if (!isObject(patient) || patient['resourceType'] !== 'Patient' || typeof patient['id'] !== 'string') return null;
  return {
    id: patient['id'],
    names: namesOf(patient),
    identifiers: identifiersOf(patient),
    birthDate: text(patient['birthDate']),
    gender: text(patient['gender']),
    deathDate: text(patient['deceasedDateTime']),
    isActive: patient['active'] !== false,
    sortName: sortNameOf(patient),
  };
}

/** A Patient as it is searched: its facts, and what they come to without case and accents. */
export interface Person extends PersonFacts {
  readonly folded: string;
}

/** What somebody who is looked for must meet. */
export type Condition = (person: Person) => boolean;

export const fieldsOf = (names: string): string[] => names.split(FIELD).filter((field) => field !== '');

/** Every one of a hundred thousand need not have a text of its own. */
const GENDERS: ReadonlyMap<string, string> = new Map(
  ['male', 'female', 'other', 'unknown', ''].map((code) => [code, code]),
);

export function toPerson(facts: PersonFacts): Person {
  const folded =
    fieldsOf(facts.names)
      .map((field) => `${FIELD}${field.charAt(0)}${foldText(field.slice(1))}`)
      .join('') + FIELD;
  return { ...facts, gender: GENDERS.get(facts.gender) ?? facts.gender, folded };
}
