import type { PostgresContext } from '../store/index.ts';
import { extendChain, firstLink, type AuditDraft, type Link } from './record.ts';

/** Each writing connection has a chain of its own, so that no two wait for each other's end. */
async function headOf({ db, writer }: PostgresContext, atMs: number): Promise<{ seq: number; link: Uint8Array }> {
  const last = await db.get(
    `SELECT coalesce(r.seq, 0) AS seq, coalesce(r.link, c.first_link) AS link FROM audit_chain c
     LEFT JOIN LATERAL (SELECT seq, link FROM audit_record WHERE chain = c.chain ORDER BY seq DESC LIMIT 1) r ON true WHERE c.chain = $1`,
    writer,
  );
  if (last !== undefined) return { seq: Number(last['seq']), link: last['link'] as Uint8Array };
  const link = firstLink(writer, null);
  await db.run('INSERT INTO audit_chain (chain, opened_at, previous, first_link) VALUES ($1, $2, NULL, $3)', writer, atMs, link);
  return { seq: 0, link };
}

/** Appends inside the command that they belong to: all are stored, or none. */
export async function appendPostgres(context: PostgresContext, drafts: readonly AuditDraft[]): Promise<void> {
  const [first] = drafts;
  if (first === undefined) return;
  let head = await headOf(context, first.at.getTime());
  const links: (Link & { atMs: number })[] = [];
  for (const draft of drafts) {
    const next = extendChain(context.writer, head.seq + 1, head.link, draft);
    links.push({ ...next, atMs: draft.at.getTime() });
    head = next;
  }
  await context.db.run(
    `INSERT INTO audit_record (chain, seq, at, record, leaf, link)
     SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::bytea[], $6::bytea[])`,
    context.writer,
    links.map(({ seq }) => seq),
    links.map(({ atMs }) => atMs),
    links.map(({ record }) => record),
    links.map(({ leaf }) => leaf),
    links.map(({ link }) => link),
  );
}
