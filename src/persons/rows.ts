import type { SealedTable, Vault } from '../store/index.ts';
import type { PersonRow } from './commands.ts';
import type { PersonFacts } from './facts.ts';

/** A row of either engine. */
export type Row = Readonly<Record<string, unknown>>;

/** What is sealed by the data key here. */
export const personSealed: readonly SealedTable[] = [
  { table: 'person', columns: ['facts_sealed'], key: ['tenant', 'mrn_index'], place: ['mrn_index'] },
];

const bytes = (value: unknown): Uint8Array => value as Uint8Array;
export const hexOf = (row: Row): string => Buffer.from(bytes(row['mrn_index'])).toString('hex');
const place = (mrnIndex: string): string => `person.facts_sealed/${mrnIndex}`;

/** As a list without names, since the same ones would stand in every row. */
type Listed = readonly [string, string, string, string, string, boolean, string, string];

const toListed = (f: PersonFacts): Listed => [
  f.id,
  f.names,
  f.identifiers,
  f.birthDate,
  f.gender,
  f.isActive,
  f.sortName,
  f.deathDate,
];
const fromListed = ([
  id,
  names,
  identifiers,
  birthDate,
  gender,
  isActive,
  sortName,
  deathDate,
]: Listed): PersonFacts => ({
  id,
  names,
  identifiers,
  birthDate,
  gender,
  deathDate,
  isActive,
  sortName,
});

export const textOf = (facts: readonly PersonFacts[]): string => JSON.stringify(facts.map(toListed));
export const sealFacts = (vault: Vault, mrnIndex: string, text: string): Buffer =>
  vault.seal(Buffer.from(text), place(mrnIndex));
/** Null where nothing is known yet, or any more. */
export const openText = (vault: Vault, row: Row): string | null =>
  row['facts_sealed'] === null ? null : vault.open(bytes(row['facts_sealed']), place(hexOf(row))).toString();
export const openFacts = (vault: Vault, row: Row): readonly PersonFacts[] =>
  (JSON.parse(openText(vault, row) ?? '[]') as Listed[]).map(fromListed);

export const toPersonRow = (vault: Vault, row: Row): PersonRow => ({
  mrnIndex: hexOf(row),
  version: Number(row['version']),
  facts: openFacts(vault, row),
});
