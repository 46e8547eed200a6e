import type { PostgresContext } from '../store/index.ts';
import { extendChain, firstLink, type AuditDraft, type Columns, type Link } from './record.ts';

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
  const { db, vault, writer } = context;
  let head = await headOf(context, first.at.getTime());
  const links: Link[] = [];
  for (const draft of drafts) {
    const next = extendChain(vault, writer, head.seq + 1, head.link, draft);
    links.push(next);
    head = next;
  }
  const column = <K extends keyof Columns>(name: K): Columns[K][] => links.map(({ columns }) => columns[name]);
  await db.run(
    `INSERT INTO audit_record (chain, seq, at, tenant, type, outcome, request_id, delivery_id, client, patient, chart, record, leaf, link)
     SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
       $10::text[], $11::text[], $12::text[], $13::bytea[], $14::bytea[])`,
    writer,
    links.map(({ seq }) => seq),
    column('atMs'),
    column('tenant'),
    column('type'),
    column('outcome'),
    column('requestId'),
    column('deliveryId'),
    column('client'),
    column('patient'),
    column('chart'),
    links.map(({ record }) => record),
    links.map(({ leaf }) => leaf),
    links.map(({ link }) => link),
  );
  const pairs = links.map(({ columns }) => columns).filter(({ patient, chart }) => patient !== null && chart !== null);
  if (pairs.length > 0)
    await db.run(
      // In one order for all writers: two that know the same people would otherwise wait for each other.
      `INSERT INTO audit_chart (tenant, patient, chart)
       SELECT DISTINCT * FROM unnest($1::text[], $2::text[], $3::text[]) AS p(tenant, patient, chart) ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING`,
      pairs.map(({ tenant }) => tenant),
      pairs.map(({ patient }) => patient),
      pairs.map(({ chart }) => chart),
    );
}
