import {
  all,
  among,
  get,
  insert,
  rowsOf,
  send,
  type CommandContext,
  type Memorable,
  type Program,
} from '../store/index.ts';
import type { NewEvent, QueuedEvent } from './event.ts';
import { sealItems, toQueued } from './rows.ts';

const EVENTS = rowsOf('event', {
  tenant: 'text',
  at: 'bigint',
  user_index: 'bytea',
  patient_index: 'bytea',
  items_sealed: 'bytea',
});

/** Tenants by whether they have subscriptions, in whatever state, as far as this writer has looked. */
const SUBSCRIBED: Memorable<Map<string, boolean>> = { fresh: () => new Map() };

/**
 * Whether there may be a subscription. The writer of SQLite sees every one that is made, and an event that is committed
 * before the first of them is owed to nobody. On PostgreSQL another process may commit one at this moment.
 */
function* hasSubscriptions({ engine, memory }: CommandContext, tenant: string): Program<boolean> {
  if (engine === 'postgres') return true;
  const subscribed = memory.recall(SUBSCRIBED);
  const known = subscribed.get(tenant);
  if (known !== undefined) return known;
  const found = yield* get`SELECT 1 AS one FROM subscription WHERE tenant = ${tenant} LIMIT 1`;
  subscribed.set(tenant, found !== undefined);
  return found !== undefined;
}

/** To be called in the command that makes a subscription. */
export const noteSubscription = ({ memory }: CommandContext, tenant: string): void =>
  void memory.recall(SUBSCRIBED).set(tenant, true);

/**
 * Puts what a command did into the queue, in the commit of that command. What did nothing puts nothing, and where
 * nobody has ever subscribed nothing is put.
 */
export function* putEvents(context: CommandContext, events: readonly NewEvent[]): Program<void> {
  const rows = [];
  for (const event of events)
    if (event.items !== null && (yield* hasSubscriptions(context, event.tenant)))
      rows.push({
        tenant: event.tenant,
        at: event.at.getTime(),
        user_index: event.user,
        patient_index: event.patient,
        items_sealed: sealItems(context.vault, event, event.items),
      });
  yield* insert(EVENTS, rows);
}

/**
 * The oldest of the queue. Whoever takes them in one commit after the other has them in the order of commits: what was
 * committed before another event began stands before it or was taken earlier, and what is committed later is found
 * later, whatever its place.
 */
export function* queuedEvents(context: CommandContext, tenant: string, limit: number): Program<readonly QueuedEvent[]> {
  const rows = yield* all`
    SELECT seq, at, user_index, patient_index, items_sealed FROM event
    WHERE tenant = ${tenant} ORDER BY seq LIMIT ${limit}`;
  return rows.map((row) => toQueued(context.vault, row));
}

/** Takes them out of the queue. */
export function* forgetEvents(seqs: readonly number[]): Program<void> {
  if (seqs.length > 0) yield* send`DELETE FROM event WHERE seq ${among('bigint', seqs)}`;
}
