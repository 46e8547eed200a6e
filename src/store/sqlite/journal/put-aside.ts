import { serialize } from 'node:v8';
import type { SqliteDb } from '../../commands.ts';
import type { Sealer } from '../../vault.ts';
import type { Entry } from './format.ts';

export const sealAside = (vault: Sealer, { place, args }: Pick<Entry, 'place' | 'args'>): Buffer =>
  vault.seal(serialize(args), `journal_aside.args_sealed/${place}`);

/** What was acknowledged and cannot be carried out is kept, for whoever mends why. */
export function putAside(db: SqliteDb, vault: Sealer, entry: Entry, atMs: number): void {
  db.run(
    'INSERT INTO journal_aside (place, name, args_sealed, aside_at) VALUES (?, ?, ?, ?)',
    ...[entry.place, entry.name, sealAside(vault, entry), atMs],
  );
}
