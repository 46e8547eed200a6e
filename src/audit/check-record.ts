import type { StoredRecord } from './commands.ts';
import { Flawed } from './flaw.ts';
import { columnsOf, leafOf, linkOf, type AuditRecord, type Columns } from './record.ts';

export const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

const isEqual = (a: Columns, b: Columns): boolean =>
  (Object.keys(a) as (keyof Columns)[]).every((name) => a[name] === b[name]);

function parse(text: string): AuditRecord | null {
  try {
    return JSON.parse(text) as AuditRecord;
  } catch {
    return null;
  }
}

/** Checks one record against the one before it, and answers its leaf. */
export function checkRecord(chain: string, seq: number, previous: Uint8Array, stored: StoredRecord): Buffer {
  const at = { chain, seq };
  if (stored.seq > seq) throw new Flawed('record-missing', at);
  if (stored.seq < seq) throw new Flawed('record-moved', at);
  const leaf = leafOf(stored.record);
  if (stored.leaf !== null && !isSame(leaf, stored.leaf)) throw new Flawed('record-changed', at);
  if (!isSame(linkOf(previous, leaf), stored.link))
    throw new Flawed(stored.leaf === null ? 'record-changed' : 'link-broken', at);
  const record = parse(stored.record);
  if (record === null) throw new Flawed('record-changed', at);
  if (record.chain !== chain || record.seq !== seq) throw new Flawed('record-moved', at);
  if (stored.columns !== null && !isEqual(columnsOf(record), stored.columns)) throw new Flawed('columns-changed', at);
  return leaf;
}
