import { actorOf, type Actor, type AuditDraft, type RecordedStep } from '../audit/index.ts';
import type { PutDelivery } from './commands.ts';
import { mayFollow, type State } from './state.ts';

/** One change of state, and who made it when. */
export interface Move extends Actor {
  readonly tenant: string;
  readonly seq: number;
  readonly id: string;
  readonly from: State;
  readonly to: State;
  readonly reason: string | null;
  /** The fault that it rests on, where there was one; `reason` is the class that it falls into. */
  readonly faultCode?: string | null;
  readonly at: Date;
  readonly requestId: string;
}

/** A change that the table of states does not know is a bug, and nothing of its command is stored. */
export function checkMove({ from, to }: Move): void {
  if (!mayFollow(from, to)) throw new Error(`${from} is not followed by ${to}`);
}

const stepOf = ({ from, to, reason }: Move): RecordedStep => ({
  from,
  to,
  ...(reason === null ? {} : { why: reason }),
});

const auditOfMove = (m: Move): AuditDraft => ({
  at: m.at,
  type: 'delivery.change',
  tenant: m.tenant,
  requestId: m.requestId,
  action: 'U',
  outcome: '0',
  ...actorOf(m),
  deliveryId: m.id,
  from: m.from,
  to: m.to,
  ...(m.reason === null ? {} : { why: m.reason }),
});

const isOneAct = (a: Move, b: Move): boolean =>
  a.actor === b.actor && a.requestId === b.requestId && a.at.getTime() === b.at.getTime();

/** Of the changes of one delivery that are written together: one record that names each. */
export function auditOfMoves(moves: readonly [Move, ...Move[]]): AuditDraft[] {
  const [first] = moves;
  const last = moves.at(-1) ?? first;
  if (moves.length === 1 || !moves.every((one) => isOneAct(first, one))) return moves.map(auditOfMove);
  return [{ ...auditOfMove(last), from: first.from, steps: moves.map(stepOf) }];
}

/** The record of what brought these changes of its delivery names each of them. */
export function withMoves(record: AuditDraft, moves: readonly Move[]): AuditDraft {
  if (moves.length === 0) return record;
  if (moves.some(({ id, actor }) => id !== record.deliveryId || actor !== record.actor))
    throw new Error('a record names the changes of its own delivery, by who made them');
  return { ...record, steps: moves.map(stepOf) };
}

export const auditOfPut = (d: PutDelivery, digest: Buffer, state: 'received' | 'duplicate'): AuditDraft => ({
  at: d.at,
  type: 'hook.accept',
  tenant: d.tenant,
  requestId: d.requestId,
  action: 'C',
  outcome: '0',
  actor: 'source',
  deliveryId: d.id,
  bodyDigest: digest.toString('hex'),
  to: state,
  ...(d.traceId === undefined ? {} : { traceId: d.traceId }),
});
