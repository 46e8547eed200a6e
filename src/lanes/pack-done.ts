import { chartEvents } from './chart-events.ts';
import type { Finish } from './commands.ts';
import { packWritten } from './ledger-document.ts';
import type { RetractedRow, WrittenRow } from './ledger-rows.ts';

/** What an attempt did to resources, in the form in which its end is told to the store. */
export const packDone = (
  { written, retracted }: { readonly written: readonly WrittenRow[]; readonly retracted: readonly RetractedRow[] },
  at: Date,
  deliverySeq: number,
): Pick<Finish, 'at' | 'written' | 'events'> => ({
  at,
  written: packWritten(written, at, deliverySeq),
  events: chartEvents(written, retracted),
});
