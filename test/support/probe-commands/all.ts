import { createHash } from 'node:crypto';
import {
  all,
  get,
  part,
  run,
  words,
  type CommandContext,
  type PostgresMany,
  type Program,
  type Programs,
} from '../../../src/store/index.ts';
import type { ProbeReads, ProbeWrites } from './index.ts';
import { putMany } from './put-many.ts';

type Put = ProbeWrites['probe.put'];

function* put({ vault, writer }: CommandContext, { id, body, atMs, user }: Put['args']): Program<Put['out']> {
  const digest = createHash('sha256').update(body).digest();
  const row = yield* get`
    INSERT INTO delivery (tenant, id, hook, received_at, request_id, receiver, sender, state, state_at, body_bytes,
      raw_digest, user_index)
    VALUES ('default', ${id}, 'data', ${atMs}, 'req_probe', 'ins_probe', 'probe', 'received', ${atMs},
      ${body.byteLength}, ${digest}, ${user === undefined ? null : vault.index('user_id', user)})
    RETURNING seq`;
  const seq = Number(row?.['seq']);
  yield* run`
    INSERT INTO delivery_body (seq, sealed) VALUES (${seq}, ${vault.seal(body, `delivery_body.sealed/${id}`)})`;
  yield* run`
    INSERT INTO audit_record (chain, seq, at, tenant, type, outcome, request_id, record, leaf, link)
    VALUES (${writer}, ${seq}, ${atMs}, 'default', 'hook.accept', '0', 'req_probe',
      ${JSON.stringify({ v: 1, deliv: id })}, ${digest}, ${digest})`;
  return { seq };
}

const REPLACING = part('OR REPLACE', '');
const INSTEAD = part('', 'ON CONFLICT (chain, seq) DO UPDATE SET record = excluded.record');

export const writes: Programs<ProbeWrites> = {
  'probe.put': put,
  *'probe.put-and-throw'(context, args) {
    yield* put(context, args);
    throw new RangeError('the connection was closed on purpose');
  },
  *'probe.put-and-swallow'(context, args) {
    const out = yield* put(context, args);
    try {
      yield* run`INSERT INTO delivery_body (seq, sealed) VALUES (${out.seq}, ${new Uint8Array(1)})`;
    } catch {
      // On purpose.
    }
    return out;
  },
  *'probe.replace-audit'(_, { id }) {
    yield* run`
      INSERT ${REPLACING} INTO audit_record (chain, seq, at, tenant, type, outcome, request_id, record, leaf, link)
      SELECT chain, seq, at, tenant, type, outcome, request_id, '{}', leaf, link FROM audit_record
      WHERE record LIKE ${`%${id}%`} ${INSTEAD}`;
    return null;
  },
  *'probe.rewrite-audit'(_, { id }) {
    yield* run`UPDATE audit_record SET record = '{}' WHERE record LIKE ${`%${id}%`}`;
    return null;
  },
  *'probe.remove-audit'(_, { id }) {
    yield* run`DELETE FROM audit_record WHERE record LIKE ${`%${id}%`}`;
    return null;
  },
  *'probe.touch-checkpoint'() {
    return { checkpoints: Number((yield* get`SELECT count(*) AS n FROM audit_checkpoint`)?.['n']) };
  },
  *'probe.who'({ writer }) {
    return { writer };
  },
};

export const writesMany: PostgresMany<ProbeWrites> = { 'probe.put': putMany };

function* sealedOf(id: string): Program<Uint8Array | undefined> {
  const row = yield* get`SELECT b.sealed FROM delivery d JOIN delivery_body b USING (seq) WHERE d.id = ${id}`;
  return row?.['sealed'] as Uint8Array | undefined;
}

const [DELIVERIES, BODIES, AUDITS] = [words('delivery'), words('delivery_body'), words('audit_record')];

function* count(table: typeof DELIVERIES): Program<number> {
  return Number((yield* get`SELECT count(*) AS n FROM ${table}`)?.['n']);
}

export const reads: Programs<ProbeReads> = {
  *'probe.body'({ vault }, { id }) {
    const sealed = yield* sealedOf(id);
    return sealed === undefined ? null : { body: vault.open(sealed, `delivery_body.sealed/${id}`) };
  },
  *'probe.sealed'(_, { id }) {
    const sealed = yield* sealedOf(id);
    return sealed === undefined ? null : { sealed };
  },
  *'probe.by-user'({ vault }, { user }) {
    const rows = yield* all`
      SELECT id FROM delivery WHERE tenant = 'default' AND user_index = ${vault.index('user_id', user)} ORDER BY seq`;
    return { ids: rows.map((row) => String(row['id'])) };
  },
  *'probe.count'() {
    return { deliveries: yield* count(DELIVERIES), bodies: yield* count(BODIES), audits: yield* count(AUDITS) };
  },
  *'probe.throw'() {
    throw new RangeError('on purpose');
  },
};
