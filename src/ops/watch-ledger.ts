import { safeError, type Log, type Result } from '../kernel/index.ts';
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

/**
 * Looks whether the ledger adds up, and now and then whether it says what the rows say. A mismatch makes the service
 * unready.
 */
export function watchLedger(deps: {
  readonly inbox: Read;
  readonly tenant: string;
  readonly log: Log;
  readonly everyMs?: number;
}) {
  let state: 'equal' | 'unequal' = 'equal';
  let recountIn = 0;
  let doRowsAgree = true;

  async function look(): Promise<void> {
    const before = await deps.inbox.read('inbox.ledger', { tenant: deps.tenant });
    if (!before.ok) return;
    if (recountIn === 0 || !doRowsAgree) {
      const rows = await deps.inbox.read('inbox.recount', { tenant: deps.tenant });
      const after = await deps.inbox.read('inbox.ledger', { tenant: deps.tenant });
      // Only a quiet moment can be compared; after a busy one it is tried again at the next look.
      if (rows.ok && after.ok && areEqual(before.value, after.value)) {
        doRowsAgree = areEqual(rows.value, after.value);
        recountIn = RECOUNT_EVERY;
      }
    } else recountIn -= 1;
    const isEqual = addsUp(before.value) && doRowsAgree;
    const next = isEqual ? 'equal' : 'unequal';
    if (next === state) return;
    state = next;
    if (next === 'unequal') deps.log.error('ledger.unequal');
    else deps.log.info('ledger.equal');
  }

  const lookSafely = (): void =>
    void look().catch((thrown: unknown) => deps.log.error('ledger.unequal', { error: safeError(thrown) }));
  let timer: NodeJS.Timeout | undefined;
  return {
    state: () => state,
    look,
    start(): void {
      timer = setInterval(lookSafely, deps.everyMs ?? EVERY_MS).unref();
    },
    stop: (): void => clearInterval(timer),
  };
}
