/** A sealed index of the patients with a confirmed link, by which they are found by name and birth date. */
export { personSet, type PersonReads, type PersonRow, type PersonWrites, type ReadPerson } from './commands.ts';
export { followLinks, orderLinks } from './commands/follow-link.ts';
export {
  factsOf,
  FIELD,
  fieldsOf,
  NAME_PARTS,
  toPerson,
  VALUE,
  type Condition,
  type Person,
  type PersonFacts,
} from './facts.ts';
export { foldText } from './fold-text.ts';
export { makePersons, type Persons, type WantedPersons } from './make-persons.ts';
export { readMatch, type CertainMatch } from './match-certainly.ts';
export { type FoundPersons } from './memory-index.ts';
export { PERSON_SORTS, type PersonPlace } from './order-persons.ts';
export { type ReadByMrn } from './read-due.ts';
export { refreshPersons } from './refresh-persons.ts';
export { personSealed } from './rows.ts';
export { wordsAre } from './words-are.ts';
