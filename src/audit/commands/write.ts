import { all, get, insert, performPostgres, rowsOf, run, type PostgresMany, type Programs } from '../../store/index.ts';
import { append } from '../append.ts';
import type { AuditWrites } from '../commands.ts';
import { endsOf } from '../rows.ts';

const AUDIT_SEGMENT = rowsOf(
  'audit_segment',
  { checkpoint: 'bigint', named_by: 'bigint', chain: 'text', upto: 'bigint', digest: 'bytea' },
  'ON CONFLICT DO NOTHING',
);
const AUDIT_DROPPED = rowsOf(
  'audit_dropped',
  { chain: 'text', seq: 'bigint', link: 'bytea' },
  'ON CONFLICT (chain) DO UPDATE SET seq = excluded.seq, link = excluded.link WHERE audit_dropped.seq < excluded.seq',
);

export const writes: Programs<AuditWrites> = {
  *'audit.append'(context, draft) {
    yield* append(context, [draft]);
    return null;
  },
  *'audit.append-many'(context, drafts) {
    yield* append(context, drafts);
    return null;
  },
  *'audit.checkpoint'(_, { n, at, records, note, frontier, heads }) {
    // Two replicas that come together: the second waits for the first, and then finds the number taken.
    const last = yield* get`SELECT coalesce(max(n), 0) AS n FROM audit_checkpoint`;
    if (Number(last?.['n']) !== n - 1) return 'overtaken';
    const stored = yield* run`
      INSERT INTO audit_checkpoint (n, at, records, note, frontier)
        VALUES (${n}, ${at.getTime()}, ${records}, ${note}, ${frontier})
      ON CONFLICT DO NOTHING`;
    if (stored === 0) return 'overtaken';
    for (const { chain, seq } of heads) yield* run`UPDATE audit_chain SET covered = ${seq} WHERE chain = ${chain}`;
    return 'stored';
  },
  *'audit.close-segment'(_, { checkpoint, namedBy, digest, heads }) {
    yield* insert(
      AUDIT_SEGMENT,
      heads.map(({ chain, seq }) => ({ checkpoint, named_by: namedBy, chain, upto: seq, digest })),
    );
    return null;
  },
  *'audit.drop'(_, { limit }) {
    const rows = yield* all`
      DELETE FROM audit_record WHERE (chain, seq) IN (
        SELECT r.chain, r.seq FROM (SELECT chain, max(upto) AS upto FROM audit_segment GROUP BY chain) s
        JOIN audit_record r ON r.chain = s.chain AND r.seq <= s.upto
        WHERE r.seq < (SELECT max(seq) FROM audit_record m WHERE m.chain = r.chain)
        ORDER BY r.chain, r.seq LIMIT ${limit})
      RETURNING chain, seq, link`;
    yield* insert(AUDIT_DROPPED, endsOf(rows));
    return { count: rows.length };
  },
};

/** Reads come in crowds, and each waits for its record: those of one batch go in one statement. */
export const writesMany: PostgresMany<AuditWrites> = {
  async 'audit.append'(context, drafts) {
    await performPostgres(context, append(context, drafts));
    return drafts.map(() => null);
  },
};
