import { actorOf, type Actor, type AuditDraft } from '../audit/index.ts';
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

export const auditOfMove = (m: Move): AuditDraft => ({
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
