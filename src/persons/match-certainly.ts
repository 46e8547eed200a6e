import { isObject } from '../kernel/index.ts';
import { factsOf, FIELD, fieldsOf, NAME_PARTS, toPerson, VALUE, type Condition } from './facts.ts';

/** What somebody knows of a person whom they look for. */
export interface CertainMatch {
  /** Whether a person is certainly the one. */
  readonly is: Condition;
  readonly identifiers: readonly { readonly system: string; readonly value: string }[];
  /** Null where name, birth date and gender are not all known. */
  readonly demographics: { readonly family: string; readonly birthDate: string; readonly gender: string } | null;
}

const { family: FAMILY, given: GIVEN } = NAME_PARTS;

/** Family name and given names of one name, which stand side by side. */
function fullNameOf(names: string): { readonly family: string; readonly text: string } | null {
  const [first = '', ...rest] = fieldsOf(names);
  const end = rest.findIndex((field) => !field.startsWith(GIVEN));
  const given = end < 0 ? rest : rest.slice(0, end);
  if (!first.startsWith(FAMILY) || given.length === 0) return null;
  return { family: first.slice(1), text: [first, ...given].map((field) => `${FIELD}${field}`).join('') + FIELD };
}

/**
 * Certain is who has an identifier that was given, or the same whole name, birth date and gender, letter by letter; and
 * of whom nothing that was given says otherwise. Null for what is no Patient.
 */
export function readMatch(wanted: unknown): CertainMatch | null {
  const facts = factsOf(isObject(wanted) ? { ...wanted, id: 'wanted' } : null);
  if (facts === null) return null;
  const { birthDate, gender } = facts;
  const { folded } = toPerson(facts);
  const identifiers = fieldsOf(facts.identifiers).flatMap((field) => {
    const [system = '', value = ''] = field.split(VALUE);
    return system === '' || value === '' ? [] : [{ system, value }];
  });
  const families = fieldsOf(folded).filter((field) => field.startsWith(FAMILY));
  const full = fullNameOf(facts.names);
  const isWhole = full !== null && /^\d{4}-\d\d-\d\d$/.test(birthDate) && gender !== '';

  const isEqualOrUnknown = (given: string, known: string): boolean => given === '' || known === '' || given === known;
  const has = (known: string, { system, value }: (typeof identifiers)[number]): boolean =>
    known.includes(`${FIELD}${system}${VALUE}${value}${FIELD}`);
  const isContradicted: Condition = (person) =>
    !isEqualOrUnknown(birthDate, person.birthDate) ||
    !isEqualOrUnknown(gender, person.gender) ||
    (families.length > 0 && !families.some((field) => person.folded.includes(`${FIELD}${field}${FIELD}`))) ||
    identifiers.some(
      (one) => !has(person.identifiers, one) && person.identifiers.includes(`${FIELD}${one.system}${VALUE}`),
    );
  /** No given name more than was asked for. */
  const hasFullName = (names: string): boolean => {
    const at = full === null ? -1 : names.indexOf(full.text);
    return full !== null && at >= 0 && names.charAt(at + full.text.length) !== GIVEN;
  };
  const isSame: Condition = (person) =>
    isWhole && hasFullName(person.names) && person.birthDate === birthDate && person.gender === gender;
  return {
    is: (person) =>
      (identifiers.some((one) => has(person.identifiers, one)) || isSame(person)) && !isContradicted(person),
    identifiers,
    demographics: isWhole ? { family: full.family, birthDate, gender } : null,
  };
}
