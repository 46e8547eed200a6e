import { createHash } from 'node:crypto';
import type { SqliteContext, SqliteOperations } from '../../../src/store/index.ts';
import type { ProbeReads, ProbeWrites } from './index.ts';

function put({ db, vault, writer }: SqliteContext, args: ProbeWrites['probe.put']['args']): { seq: number } {
  const digest = createHash('sha256').update(args.body).digest();
  const user = args.user === undefined ? null : vault.index('user_id', args.user);
  const { lastId } = db.run(
    `INSERT INTO delivery (tenant, id, hook, received_at, request_id, receiver, sender, state, state_at, body_bytes, raw_digest, user_index)
     VALUES ('default', ?, 'data', ?, 'req_probe', 'ins_probe', 'probe', 'received', ?, ?, ?, ?)`,
    args.id,
    args.atMs,
    args.atMs,
    args.body.byteLength,
    digest,
    user,
  );
  db.run(
    'INSERT INTO delivery_body (seq, sealed) VALUES (?, ?)',
    lastId,
    vault.seal(args.body, `delivery_body.sealed/${args.id}`),
  );
  db.run(
    `INSERT INTO audit_record (chain, seq, at, tenant, type, outcome, request_id, record, leaf, link) VALUES (?, ?, ?, 'default', 'hook.accept', '0', 'req_probe', ?, ?, ?)`,
    writer,
    lastId,
    args.atMs,
    JSON.stringify({ v: 1, deliv: args.id }),
    digest,
    digest,
  );
  return { seq: lastId };
}

export const writes: SqliteOperations<ProbeWrites> = {
  'probe.put': put,
  'probe.put-and-throw': (context, args) => {
    put(context, args);
    throw new RangeError('the connection was closed on purpose');
  },
  'probe.put-and-swallow': (context, args) => {
    const out = put(context, args);
    try {
      context.db.run('INSERT INTO delivery_body (seq, sealed) VALUES (?, ?)', out.seq, new Uint8Array(1));
    } catch {
      // On purpose.
    }
    return out;
  },
  'probe.replace-audit': ({ db }, { id }) => {
    db.run(
      `INSERT OR REPLACE INTO audit_record (chain, seq, at, tenant, type, outcome, request_id, record, leaf, link) SELECT chain, seq, at, tenant, type, outcome, request_id, '{}', leaf, link FROM audit_record WHERE record LIKE ?`,
      `%${id}%`,
    );
    return null;
  },
  'probe.rewrite-audit': ({ db }, { id }) => {
    db.run(`UPDATE audit_record SET record = '{}' WHERE record LIKE ?`, `%${id}%`);
    return null;
  },
  'probe.remove-audit': ({ db }, { id }) => {
    db.run('DELETE FROM audit_record WHERE record LIKE ?', `%${id}%`);
    return null;
  },
  'probe.touch-checkpoint': ({ db }) => ({
    checkpoints: Number(db.get('SELECT count(*) AS n FROM audit_checkpoint')?.['n']),
  }),
  'probe.who': ({ writer }) => ({ writer }),
};

const sealedOf = ({ db }: SqliteContext, id: string): Uint8Array | undefined =>
  db.get('SELECT b.sealed FROM delivery d JOIN delivery_body b USING (seq) WHERE d.id = ?', id)?.['sealed'] as
    Uint8Array | undefined;

export const reads: SqliteOperations<ProbeReads> = {
  'probe.body': (context, { id }) => {
    const sealed = sealedOf(context, id);
    return sealed === undefined ? null : { body: context.vault.open(sealed, `delivery_body.sealed/${id}`) };
  },
  'probe.sealed': (context, { id }) => {
    const sealed = sealedOf(context, id);
    return sealed === undefined ? null : { sealed };
  },
  'probe.by-user': ({ db, vault }, { user }) => ({
    ids: db
      .all(
        `SELECT id FROM delivery WHERE tenant = 'default' AND user_index = ? ORDER BY seq`,
        vault.index('user_id', user),
      )
      .map((row) => String(row['id'])),
  }),
  'probe.count': ({ db }) => {
    const count = (table: string): number => Number(db.get(`SELECT count(*) AS n FROM ${table}`)?.['n']);
    return { deliveries: count('delivery'), bodies: count('delivery_body'), audits: count('audit_record') };
  },
  'probe.throw': () => {
    throw new RangeError('on purpose');
  },
};
