import type { Journaled } from '../store/index.ts';
import type { InboxReads, InboxWrites } from './commands.ts';

/** A delivery that was journaled has the place of its entry for its own. */
export const journaled: { readonly 'inbox.put': Journaled<InboxWrites['inbox.put']> } = {
  'inbox.put': {
    answer: (seq) => ({ seq, state: 'accepted' }),
    check: ({ at }) => void at.toISOString(),
    // Another delivery is no worse for it.
    whenPutAside: 'go-on',
  },
};

/** Whoever looks for the next page is not kept waiting for those behind it. */
export const receivedUpTo = (
  { between, limit, journaled: which }: InboxReads['inbox.received']['args'],
  carried: number,
): number => (which === 'too' ? Math.min((between[1] ?? Infinity) - 1, carried + limit) : 0);
