import type { NewEvent } from '../../../src/events/index.ts';
import { fileBeside } from '../../../src/kernel/index.ts';
import type { CommandSet } from '../../../src/store/index.ts';

export type EventWrites = { 'event-test.put': { args: readonly NewEvent[]; out: null } };

/** Puts events into the queue as the commands do that change a chart. */
export const eventTestSet: CommandSet<EventWrites, Record<string, never>> = {
  sqlite: fileBeside(import.meta.url, './all'),
  postgres: () => import('./all.ts'),
};
