import { all, among, insert, rowsOf, send, type CommandContext, type Program } from '../store/index.ts';
import type { NewEvent, QueuedEvent } from './event.ts';
import { sealItems, toQueued } from './rows.ts';

const EVENTS = rowsOf('event', {
  tenant: 'text',
  at: 'bigint',
  user_index: 'bytea',
  patient_index: 'bytea',
  items_sealed: 'bytea',
});

/** Puts what a command did into the queue, in the commit of that command. What did nothing puts nothing. */
export function* putEvents({ vault }: CommandContext, events: readonly NewEvent[]): Program<void> {
  yield* insert(
    EVENTS,
    events
      .filter(({ items }) => items.length > 0)
      .map((event) => ({
        tenant: event.tenant,
        at: event.at.getTime(),
        user_index: event.user,
        patient_index: event.patient,
        items_sealed: sealItems(vault, event),
      })),
  );
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
