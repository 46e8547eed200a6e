import type { UnmappedWord } from '../../inbox/index.ts';
import type { SealedTable, Vault } from '../../store/index.ts';

/** A word of the source that nobody has mapped, and how often it was met. */
export interface Unmapped extends UnmappedWord {
  readonly seq: number;
  /** Its keyed hash in hexadecimal digits. */
  readonly id: string;
  readonly dataStructure: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

type Row = Readonly<Record<string, unknown>>;

export const unmappedSealed: SealedTable = {
  table: 'unmapped',
  columns: ['word_sealed'],
  key: ['seq'],
  place: ['word_index'],
};

/**
 * The name of a test can be whatever somebody wrote into a document: it is kept sealed, and found again by its index.
 */
export const wordIndex = (vault: Vault, { kind, what }: UnmappedWord, dataStructure: string): Buffer =>
  vault.index('unmapped', JSON.stringify([dataStructure, kind, what]));

const placeOf = (index: Uint8Array): string => `unmapped.word_sealed/${Buffer.from(index).toString('hex')}`;
export const sealWord = (vault: Vault, index: Buffer, { what }: UnmappedWord): Buffer =>
  vault.seal(Buffer.from(what), placeOf(index));

export const toUnmapped = (row: Row, vault: Vault): Unmapped => ({
  seq: Number(row['seq']),
  id: Buffer.from(row['word_index'] as Uint8Array).toString('hex'),
  kind: row['kind'] as UnmappedWord['kind'],
  what: vault.open(row['word_sealed'] as Uint8Array, placeOf(row['word_index'] as Uint8Array)).toString(),
  dataStructure: String(row['data_structure']),
  count: Number(row['count']),
  firstAt: Number(row['first_at']),
  lastAt: Number(row['last_at']),
});

export const UNMAPPED_COLUMNS = 'seq, kind, word_index, word_sealed, data_structure, count, first_at, last_at';
