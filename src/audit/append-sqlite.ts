import type { SqliteContext } from '../store/index.ts';
import { extendChain, firstLink, type AuditDraft } from './record.ts';

/** The end of the chain of this writer; opens it with its first record. Read anew each time: a command before may have been undone. */
function headOf({ db, writer }: SqliteContext, atMs: number): { seq: number; link: Uint8Array } {
  const last = db.get('SELECT seq, link FROM audit_record WHERE chain = ? ORDER BY seq DESC LIMIT 1', writer);
  if (last !== undefined) return { seq: Number(last['seq']), link: last['link'] as Uint8Array };
  const opened = db.get('SELECT first_link FROM audit_chain WHERE chain = ?', writer);
  if (opened !== undefined) return { seq: 0, link: opened['first_link'] as Uint8Array };
  // Chains of SQLite follow each other: there is one writer at a time.
  const before = db.get(
    `SELECT c.chain, (SELECT link FROM audit_record r WHERE r.chain = c.chain ORDER BY seq DESC LIMIT 1) AS link
     FROM audit_chain c ORDER BY opened_at DESC, chain DESC LIMIT 1`,
  );
  const link = firstLink(writer, (before?.['link'] ?? null) as Uint8Array | null);
  db.run(
    'INSERT INTO audit_chain (chain, opened_at, previous, first_link) VALUES (?, ?, ?, ?)',
    writer,
    atMs,
    before?.['chain'] ?? null,
    link,
  );
  return { seq: 0, link };
}

/** Appends inside the command that it belongs to: both are stored, or neither. */
export function appendSqlite(context: SqliteContext, draft: AuditDraft): void {
  const atMs = draft.at.getTime();
  const head = headOf(context, atMs);
  const { seq, record, leaf, link } = extendChain(context.writer, head.seq + 1, head.link, draft);
  context.db.run(
    'INSERT INTO audit_record (chain, seq, at, record, leaf, link) VALUES (?, ?, ?, ?, ?, ?)',
    context.writer,
    seq,
    atMs,
    record,
    leaf,
    link,
  );
}
