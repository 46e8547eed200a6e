import type { LinkHead } from '../../identity/index.ts';
import { parseEntries } from '../ledger-document.ts';
import type { Charting } from './commands.ts';

type Row = Readonly<Record<string, unknown>>;
type Charted = Charting['resources'][number];

const orderOf = ({ day, resourceType, group }: Charted): string => JSON.stringify([day ?? '', resourceType, group]);

/** How much of each kind stands in rows of the ledger. */
function countCharted(rows: readonly Row[]): Charted[] {
  const counts = new Map<string, Charted>();
  for (const { entries } of rows)
    for (const { resourceType, group, chartDay: day, retractedAt } of parseEntries(String(entries), {})) {
      // What devices and the like say of themselves is nobody's measurement, and stays.
      if (retractedAt !== null || group === 'support') continue;
      const one = { resourceType, group, day, count: 1 };
      const key = orderOf(one);
      counts.set(key, { ...one, count: (counts.get(key)?.count ?? 0) + 1 });
    }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, charted]) => charted);
}

export const toCharting = (link: LinkHead | null, rows: readonly Row[], waits: Row | undefined): Charting => ({
  linkId: link?.id ?? null,
  resources: countCharted(rows),
  waiting: Number(waits?.['count'] ?? 0),
});
