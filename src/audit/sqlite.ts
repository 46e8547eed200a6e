import type { SqliteOperations } from '../store/index.ts';
import { appendSqlite } from './bridge.ts';
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

export const writes: SqliteOperations<AuditWrites> = {
  'audit.append': (context, draft) => {
    appendSqlite(context, draft);
    return null;
  },
  'audit.append-many': (context, drafts) => {
    for (const draft of drafts) appendSqlite(context, draft);
    return null;
  },
  'audit.checkpoint': ({ db }, { n, at, records, note, frontier, heads }) => {
    if (Number(db.get('SELECT coalesce(max(n), 0) AS n FROM audit_checkpoint')?.['n']) !== n - 1) return 'overtaken';
    db.run(
      'INSERT INTO audit_checkpoint (n, at, records, note, frontier) VALUES (?, ?, ?, ?, ?)',
      n,
      at.getTime(),
      records,
      note,
      frontier,
    );
    for (const { chain, seq } of heads) db.run('UPDATE audit_chain SET covered = ? WHERE chain = ?', seq, chain);
    return 'stored';
  },
  'audit.close-segment': ({ db }, { checkpoint, namedBy, digest, heads }) => {
    for (const { chain, seq } of heads)
      db.run(
        'INSERT INTO audit_segment (checkpoint, named_by, chain, upto, digest) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
        checkpoint,
        namedBy,
        chain,
        seq,
        digest,
      );
    return null;
  },
  'audit.drop': ({ db }, { limit }) => {
    const rows = db.all(
      `SELECT r.chain, r.seq, r.link FROM (SELECT chain, max(upto) AS upto FROM audit_segment GROUP BY chain) s
       JOIN audit_record r ON r.chain = s.chain AND r.seq <= s.upto
       WHERE r.seq < (SELECT max(seq) FROM audit_record m WHERE m.chain = r.chain) ORDER BY r.chain, r.seq LIMIT ?`,
      limit,
    );
    for (const row of rows) db.run('DELETE FROM audit_record WHERE chain = ? AND seq = ?', row['chain'] ?? '', row['seq'] ?? 0);
    for (const { chain, seq, link } of endsOf(rows))
      db.run(
        'INSERT INTO audit_dropped (chain, seq, link) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET seq = excluded.seq, link = excluded.link',
        chain,
        seq,
        link,
      );
    return { count: rows.length };
  },
};

export const reads: SqliteOperations<AuditReads> = {
  'audit.search': ({ db, vault }, f) => {
    const find = (more: readonly Condition[]): FoundRecord[] => {
      const all = [...conditionsOf(f), ...more];
      const where = all.map(([sql]) => sql).join(' AND ');
      return db
        .all(
          `SELECT at, chain, seq, record FROM audit_record WHERE ${where} ${ORDER}`,
          ...all.flatMap(([, ...values]) => values),
          f.limit,
        )
        .map((row) => toFound(row, vault, f.sealed));
    };
    const person = personOf(vault, f);
    if (person === null) return find([]);
    const ways = sameAs(person, db.all(PAIRS_OF[person.by], f.tenant, person.name));
    return mergeFound(
      ways.map((way) => find([way])),
      f.limit,
    );
  },
  'audit.last': ({ db }, { tenant, type }) => {
    const row = db.get(
      `SELECT record FROM audit_record WHERE tenant = ? AND type = ? AND type NOT IN ${BULK} ${ORDER}`,
      tenant,
      type,
      1,
    );
    return row === undefined ? null : String(row['record']);
  },
  'audit.uncovered': ({ db }, { limit }) => {
    const last = db.get('SELECT n, at, records, note, frontier FROM audit_checkpoint ORDER BY n DESC LIMIT 1');
    return {
      last: last === undefined ? null : toStoredCheckpoint(last),
      records: db
        .all(
          `SELECT r.chain, r.seq, r.leaf, r.link FROM audit_chain c JOIN audit_record r ON r.chain = c.chain AND r.seq > c.covered
           ORDER BY r.chain, r.seq LIMIT ?`,
          limit,
        )
        .map((row) => ({
          chain: String(row['chain']),
          seq: Number(row['seq']),
          leaf: row['leaf'] as Uint8Array,
          link: row['link'] as Uint8Array,
        })),
    };
  },
  'audit.chains': ({ db }) =>
    db.all('SELECT chain, previous, first_link, covered FROM audit_chain ORDER BY n').map(toStoredChain),
  'audit.chain': ({ db }, { chain, after, limit }) =>
    db
      .all(`SELECT ${RECORD} FROM audit_record WHERE chain = ? AND seq > ? ORDER BY seq LIMIT ?`, chain, after, limit)
      .map(toStoredRecord),
  'audit.checkpoints': ({ db }, { after, limit }) =>
    db
      .all('SELECT n, at, records, note, frontier FROM audit_checkpoint WHERE n > ? ORDER BY n LIMIT ?', after, limit)
      .map(toStoredCheckpoint),
  'audit.pairs': ({ db }, { after, limit }) => {
    const { tenant, patient, chart } = after ?? FIRST_PAIR;
    return db.all(PAIRS, tenant, patient, chart, limit).map(toPair);
  },
  'audit.record': ({ db, vault }, { tenant, chain, seq }) => {
    const row = db.get(ONE_RECORD, tenant, chain, seq);
    return row === undefined ? null : toFound(row, vault, 'open');
  },
  'audit.rotations': ({ db }) => db.all(ROTATIONS).map(toNote),
  'audit.dropped': ({ db }) => toDropped(db.get(DROPPED), db.all(ENDS)),
  'audit.stray': ({ db }) => toStray(db.get(STRAY)),
};
