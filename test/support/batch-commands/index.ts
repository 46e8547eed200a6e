import { fileBeside } from '../../../src/kernel/index.ts';
import type { InboxWrites } from '../../../src/inbox/index.ts';
import type { CommandSet, Operations } from '../../../src/store/index.ts';

type Put = InboxWrites['inbox.put'];
/** A place that nothing journaled has, for SQLite, where a delivery has the place of its entry. */
type PutAt = { readonly args: Put['args'] & { readonly place: number }; readonly out: Put['out'] };

/** Deliveries that are put as usual by commands that are wrong. */
export type BatchWrites = {
  'batch.put-and-throw': { args: PutAt['args']; out: never };
  /** Catches an error of the database and goes on as if nothing had been. */
  'batch.put-and-swallow': PutAt;
};

export const batchSet: CommandSet<BatchWrites, Operations> = {
  sqlite: fileBeside(import.meta.url, './all'),
  postgres: () => import('./all.ts'),
};
