import type { PostgresOperations } from '../store/index.ts';
import { appendPostgres } from './bridge.ts';
import type { AuditReads, AuditWrites, FoundRecord } from './commands.ts';
import {
  BULK,
  conditionsOf,
  DROPPED,
  ENDS,
  endsOf,
  FIRST_PAIR,
  mergeFound,
  ONE_RECORD,
  ORDER,
  PAIRS,
  PAIRS_OF,
  personOf,
  RECORD,
  ROTATIONS,
  sameAs,
  STRAY,
  toDropped,
  toFound,
  toNote,
  toPair,
  toStoredChain,
  toStoredCheckpoint,
  toStoredRecord,
  toStray,
  type Condition,
} from './rows.ts';

/** The same text with numbered places. */
function numbered(sql: string): string {
  let n = 0;
  return sql.replaceAll('?', () => `$${(n += 1)}`);
}

export const writes: PostgresOperations<AuditWrites> = {
  'audit.append': async (context, draft) => {
    await appendPostgres(context, [draft]);
    return null;
  },
  'audit.append-many': async (context, drafts) => {
    await appendPostgres(context, drafts);
    return null;
  },
  'audit.checkpoint': async ({ db }, { n, at, records, note, frontier, heads }) => {
    // Two replicas that come together: the second waits for the first, and then finds the number taken.
    const { changes } = await db.run(
      `INSERT INTO audit_checkpoint (n, at, records, note, frontier) SELECT $1, $2, $3, $4, $5
       WHERE (SELECT coalesce(max(n), 0) FROM audit_checkpoint) = $1::bigint - 1 ON CONFLICT DO NOTHING`,
      n,
      at.getTime(),
      records,
      note,
      frontier,
    );
    if (changes === 0) return 'overtaken';
    await db.run(
      `UPDATE audit_chain c SET covered = h.seq FROM unnest($1::text[], $2::bigint[]) AS h(chain, seq) WHERE c.chain = h.chain`,
      heads.map(({ chain }) => chain),
      heads.map(({ seq }) => seq),
    );
    return 'stored';
  },
  'audit.close-segment': async ({ db }, { checkpoint, namedBy, digest, heads }) => {
    await db.run(
      `INSERT INTO audit_segment (checkpoint, named_by, chain, upto, digest)
       SELECT $1, $2, h.chain, h.seq, $3 FROM unnest($4::text[], $5::bigint[]) AS h(chain, seq) ON CONFLICT DO NOTHING`,
      checkpoint,
      namedBy,
      digest,
      heads.map(({ chain }) => chain),
      heads.map(({ seq }) => seq),
    );
    return null;
  },
  'audit.drop': async ({ db }, { limit }) => {
    const rows = await db.all(
      `DELETE FROM audit_record WHERE (chain, seq) IN (
         SELECT r.chain, r.seq FROM (SELECT chain, max(upto) AS upto FROM audit_segment GROUP BY chain) s
         JOIN audit_record r ON r.chain = s.chain AND r.seq <= s.upto
         WHERE r.seq < (SELECT max(seq) FROM audit_record m WHERE m.chain = r.chain)
         ORDER BY r.chain, r.seq LIMIT $1) RETURNING chain, seq, link`,
      limit,
    );
    for (const { chain, seq, link } of endsOf(rows))
      await db.run(
        `INSERT INTO audit_dropped (chain, seq, link) VALUES ($1, $2, $3)
         ON CONFLICT (chain) DO UPDATE SET seq = excluded.seq, link = excluded.link WHERE audit_dropped.seq < excluded.seq`,
        chain,
        seq,
        link,
      );
    return { count: rows.length };
  },
};

export const reads: PostgresOperations<AuditReads> = {
  'audit.search': async ({ db, vault }, f) => {
    const find = async (more: readonly Condition[]): Promise<FoundRecord[]> => {
      const all = [...conditionsOf(f), ...more];
      const where = all.map(([sql]) => sql).join(' AND ');
      const rows = await db.all(
        numbered(`SELECT at, chain, seq, record FROM audit_record WHERE ${where} ${ORDER}`),
        ...all.flatMap(([, ...values]) => values),
        f.limit,
      );
      return rows.map((row) => toFound(row, vault, f.sealed));
    };
    const person = personOf(vault, f);
    if (person === null) return find([]);
    const ways = sameAs(person, await db.all(numbered(PAIRS_OF[person.by]), f.tenant, person.name));
    const lists: FoundRecord[][] = [];
    for (const way of ways) lists.push(await find([way]));
    return mergeFound(lists, f.limit);
  },
  'audit.last': async ({ db }, { tenant, type }) => {
    const row = await db.get(
      numbered(`SELECT record FROM audit_record WHERE tenant = ? AND type = ? AND type NOT IN ${BULK} ${ORDER}`),
      tenant,
      type,
      1,
    );
    return row === undefined ? null : String(row['record']);
  },
  'audit.uncovered': async ({ db }, { limit }) => {
    const last = await db.get('SELECT n, at, records, note, frontier FROM audit_checkpoint ORDER BY n DESC LIMIT 1');
    // One statement, one snapshot: of each chain it sees a beginning without a gap, since each has a single writer.
    const rows = await db.all(
      `SELECT r.chain, r.seq, r.leaf, r.link FROM audit_chain c
       JOIN audit_record r ON r.chain = c.chain AND r.seq > c.covered ORDER BY r.chain, r.seq LIMIT $1`,
      limit,
    );
    return {
      last: last === undefined ? null : toStoredCheckpoint(last),
      records: rows.map((row) => ({
        chain: String(row['chain']),
        seq: Number(row['seq']),
        leaf: row['leaf'] as Uint8Array,
        link: row['link'] as Uint8Array,
      })),
    };
  },
  'audit.chains': async ({ db }) =>
    (await db.all('SELECT chain, previous, first_link, covered FROM audit_chain ORDER BY n')).map(toStoredChain),
  'audit.chain': async ({ db }, { chain, after, limit }) =>
    (
      await db.all(`SELECT ${RECORD} FROM audit_record WHERE chain = $1 AND seq > $2 ORDER BY seq LIMIT $3`, chain, after, limit)
    ).map(toStoredRecord),
  'audit.checkpoints': async ({ db }, { after, limit }) =>
    (
      await db.all('SELECT n, at, records, note, frontier FROM audit_checkpoint WHERE n > $1 ORDER BY n LIMIT $2', after, limit)
    ).map(toStoredCheckpoint),
  'audit.pairs': async ({ db }, { after, limit }) => {
    const { tenant, patient, chart } = after ?? FIRST_PAIR;
    return (await db.all(numbered(PAIRS), tenant, patient, chart, limit)).map(toPair);
  },
  'audit.record': async ({ db, vault }, { tenant, chain, seq }) => {
    const row = await db.get(numbered(ONE_RECORD), tenant, chain, seq);
    return row === undefined ? null : toFound(row, vault, 'open');
  },
  'audit.rotations': async ({ db }) => (await db.all(ROTATIONS)).map(toNote),
  'audit.dropped': async ({ db }) => toDropped(await db.get(DROPPED), await db.all(ENDS)),
  'audit.stray': async ({ db }) => toStray(await db.get(STRAY)),
};
