import type { Rows } from './rows.ts';
import { insert, type Addition, type Program, type Value } from './statement.ts';

type Counter = Readonly<Record<string, Value>>;

/** Each counter once, with all that is added to it. */
function sumUp(columns: readonly string[], counters: readonly Counter[]): Counter[] {
  const sums = new Map<string, Counter>();
  for (const one of counters) {
    const key = columns.map((column) => (column === 'count' ? '' : String(one[column]))).join('\0');
    sums.set(key, { ...one, count: Number(one['count']) + Number(sums.get(key)?.['count'] ?? 0) });
  }
  return [...sums.values()].filter(({ count }) => count !== 0);
}

/** Writes what commands have added to counters, one statement a table. */
export function* writeAdditions(additions: readonly Addition[]): Program<void> {
  const byTable = new Map<Rows<string>, Counter[]>();
  for (const { to, counters } of additions) byTable.set(to, [...(byTable.get(to) ?? []), ...counters]);
  for (const [to, counters] of byTable) yield* insert(to, sumUp(to.columns, counters));
}
