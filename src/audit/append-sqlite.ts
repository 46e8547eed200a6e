import type { SqliteContext } from '../store/index.ts';
import { extendChain, firstLink, type AuditDraft } from './record.ts';

/** The end of the chain of this writer; opens it with its first record. Read anew each time: a command before may have been undone. */
function headOf({ db, writer }: SqliteContext, atMs: number): { seq: number; link: Uint8Array } {
  const last = db.get('SELECT seq, link FROM audit_record WHERE chain = ? ORDER BY seq DESC LIMIT 1', writer);
  if (last !== undefined) return { seq: Number(last['seq']), link: last['link'] as Uint8Array };
  const opened = db.get('SELECT first_link FROM audit_chain WHERE chain = ?', writer);
  if (opened !== undefined) return { seq: 0, link: opened['first_link'] as Uint8Array };
  // Chains of SQLite follow each other, in the order of their numbers: there is one writer at a time. The clock has no say.
  const before = db.get(
    `SELECT c.chain, coalesce((SELECT link FROM audit_record r WHERE r.chain = c.chain ORDER BY seq DESC LIMIT 1), c.first_link) AS link
     FROM audit_chain c ORDER BY n DESC LIMIT 1`,
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
  const { db, vault, writer } = context;
  const head = headOf(context, draft.at.getTime());
  const { seq, record, leaf, link, columns: c } = extendChain(vault, writer, head.seq + 1, head.link, draft);
  db.run(
    `INSERT INTO audit_record (chain, seq, at, tenant, type, outcome, request_id, delivery_id, client, patient, chart, record, leaf, link)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    writer,
    seq,
    c.atMs,
    c.tenant,
    c.type,
    c.outcome,
    c.requestId,
    c.deliveryId,
    c.client,
    c.patient,
    c.chart,
    record,
    leaf,
    link,
  );
  if (c.patient !== null && c.chart !== null)
    db.run(
      'INSERT INTO audit_chart (tenant, patient, chart) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      c.tenant,
      c.patient,
      c.chart,
    );
}
