import { hash } from 'node:crypto';
import { append } from '../../audit/index.ts';
import { dropBytes } from '../../kernel/index.ts';
import {
  fragment,
  insertOne,
  RETURNING_SEQ,
  run,
  type CommandContext,
  type Fragment,
  type Program,
} from '../../store/index.ts';
import type { InboxWrites, PutDelivery } from '../commands.ts';
import { auditOfPut } from '../move.ts';
import { ACKNOWLEDGED, bodyPlace, makeDeliveryKey } from '../rows.ts';
import { count } from './move.ts';

export type PutOutcome = InboxWrites['inbox.put']['out'];

/** A delivery as it was kept. */
export interface Kept {
  readonly seq: number;
  readonly state: 'received' | 'duplicate';
  readonly digest: Buffer;
}

/** The same bytes came before: nothing of them is kept a second time. */
function* markDuplicate(d: PutDelivery, seq: number, digest: Uint8Array): Program<void> {
  yield* run`
    UPDATE delivery SET state = 'duplicate', reason = 'same-bytes',
      duplicate_of = (SELECT g.seq FROM delivery_digest g WHERE g.tenant = ${d.tenant} AND g.kind = ${d.hook}
      AND g.digest = ${digest})
    WHERE seq = ${seq}`;
}

function* keepBody(context: CommandContext, d: PutDelivery, seq: number): Program<void> {
  const key = makeDeliveryKey(context, d.id);
  yield* run`INSERT INTO unclaimed_key (seq, key_sealed) VALUES (${seq}, ${key.sealed})`;
  const sealed = key.sealer.seal(d.body, bodyPlace(d.id));
  yield* run`INSERT INTO delivery_body (seq, sealed) VALUES (${seq}, ${sealed})`;
  dropBytes(sealed);
}

/** What is journaled has its place already; elsewhere the database gives it one. */
const placeOf = ({ place = null }: CommandContext): { readonly column: Fragment; readonly value: Fragment } =>
  place === null ? { column: fragment``, value: fragment`` } : { column: fragment`seq,`, value: fragment`${place},` };

/** Its digest decides, also among replicas, whether it was there before. */
export function* keepDelivery(context: CommandContext, d: PutDelivery): Program<Kept> {
  const atMs = d.at.getTime();
  const digest = hash('sha256', d.body, 'buffer');
  const { column, value } = placeOf(context);
  const seq = yield* insertOne`
    INSERT INTO delivery (${column} tenant, id, hook, received_at, request_id, trace_id, receiver, sender, state, state_at,
      body_bytes, raw_digest)
    VALUES (${value} ${d.tenant}, ${d.id}, ${d.hook}, ${atMs}, ${d.requestId}, ${d.traceId ?? null}, ${d.receiver},
    ${d.sender}, 'received', ${atMs},
      ${d.body.byteLength}, ${digest})
    ${RETURNING_SEQ}`;
  const fresh = yield* run`
    INSERT INTO delivery_digest (tenant, kind, digest, seq)
      VALUES (${d.tenant}, ${d.hook}, ${digest}, ${seq}) ON CONFLICT DO NOTHING`;
  const state = fresh === 1 ? 'received' : 'duplicate';
  if (state === 'received') yield* keepBody(context, d, seq);
  else yield* markDuplicate(d, seq, digest);
  yield* count(context, d.tenant, [
    [ACKNOWLEDGED, 1],
    [state, 1],
  ]);
  return { state, seq, digest };
}

/** Keeps a delivery before it is acknowledged. */
export function* put(context: CommandContext, d: PutDelivery): Program<PutOutcome> {
  const { state, seq, digest } = yield* keepDelivery(context, d);
  yield* append(context, [auditOfPut(d, digest, state)]);
  return { state, seq };
}
