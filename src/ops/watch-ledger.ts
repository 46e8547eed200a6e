import type { Log, Result } from '../kernel/index.ts';
import type { LedgerCounts } from '../inbox/index.ts';
import { addsUp } from './adds-up.ts';

interface Read {
  read(name: 'inbox.ledger' | 'inbox.recount', args: { readonly tenant: string }): Promise<Result<LedgerCounts>>;
}

const EVERY_MS = 10_000;
/** Counting row by row costs more, so it is done less often. */
const RECOUNT_EVERY = 30;

const areEqual = (a: LedgerCounts, b: LedgerCounts): boolean =>
  a.acknowledged === b.acknowledged &&
  Object.entries(a.byState).every(([state, count]) => b.byState[state as keyof typeof b.byState] === count);

/** Looks whether the ledger adds up, and now and then whether it says what the rows say. A mismatch makes the service unready. */
export function watchLedger(deps: {
  readonly inbox: Read;
  readonly tenant: string;
  readonly log: Log;
  readonly everyMs?: number;
}) {
  let state: 'equal' | 'unequal' = 'equal';
  let turn = 0;

  async function look(): Promise<void> {
    const isRecount = turn % RECOUNT_EVERY === 0;
    turn += 1;
    const before = await deps.inbox.read('inbox.ledger', { tenant: deps.tenant });
    if (!before.ok) return;
    let isEqual = addsUp(before.value);
    if (isEqual && isRecount) {
      const rows = await deps.inbox.read('inbox.recount', { tenant: deps.tenant });
      const after = await deps.inbox.read('inbox.ledger', { tenant: deps.tenant });
      // Only a quiet moment can be compared; a busy one comes round again.
      if (rows.ok && after.ok && areEqual(before.value, after.value)) isEqual = areEqual(rows.value, after.value);
    }
    const next = isEqual ? 'equal' : 'unequal';
    if (next === state) return;
    state = next;
    if (next === 'unequal') deps.log.error('ledger.unequal');
    else deps.log.info('ledger.equal');
  }

  const timer = setInterval(() => void look(), deps.everyMs ?? EVERY_MS).unref();
  return { state: () => state, look, stop: () => clearInterval(timer) };
}
