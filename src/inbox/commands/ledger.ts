import { all, type Program } from '../../store/index.ts';
import type { LedgerCounts } from '../commands.ts';
import { toCounts } from '../rows.ts';

/** By counters that every change keeps, however many deliveries there are. */
export function* ledgerCounts(tenant: string): Program<LedgerCounts> {
  const rows = yield* all`SELECT state, sum(count) AS count FROM ledger_count WHERE tenant = ${tenant} GROUP BY state`;
  return toCounts(rows);
}
