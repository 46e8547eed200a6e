import { StartError } from '../../kernel/index.ts';
import { NOBODY } from '../kept-keys.ts';
import type { DataKeys, Resealing } from './commands.ts';

/*
 * The note of the last change of the data key stands in a row of `user_key` that is nobody's, as JSON: it is no secret.
 */

type Row = Readonly<Record<string, unknown>>;

const INDEX = Buffer.from('reseal');

export const NOTE = {
  read: 'SELECT key_sealed AS note FROM user_key WHERE tenant = ',
  owner: [NOBODY, INDEX] as const,
} as const;

export const toNote = (resealing: Resealing): Buffer => Buffer.from(JSON.stringify(resealing));
export const fromNote = (row: Row | undefined): Resealing | null =>
  row === undefined ? null : (JSON.parse(Buffer.from(row['note'] as Uint8Array).toString()) as Resealing);

export const toDataKeys = (sealing: string, ids: readonly Row[], last: Resealing | null): DataKeys => ({
  sealing,
  older: ids.map(({ id }) => String(id)).filter((id) => id !== sealing),
  firstUsedAtMs: Object.fromEntries(ids.map((row) => [String(row['id']), Number(row['first_used_at'])])),
  last,
});

/**
 * A key that is on its way out, or is out, does not come back: what it sealed could not be told from what was
 * forgotten.
 */
export function checkNotRetired(last: Resealing | null, sealing: string): void {
  if (last?.from.includes(sealing) === true)
    throw new StartError(
      'store.data-key-retired',
      'The first key of CHARTGATE_DATA_KEY was retired by "keys rotate data" and seals no more. Put the newer key in front.',
    );
}
