import type { Pair, StoredRecord } from './commands.ts';
import { Flawed } from './flaw.ts';

const PAGE = 5_000;

export type ReadPairs = (after: Pair | null, limit: number) => Promise<readonly Pair[]>;

async function readAll(pairs: ReadPairs): Promise<Set<string>> {
  const all = new Set<string>();
  for (let after: Pair | null = null; ;) {
    const page: readonly Pair[] = await pairs(after, PAGE);
    for (const { tenant, patient, chart } of page) all.add(`${tenant}\n${patient}\n${chart}`);
    const last = page.at(-1);
    if (last === undefined) return all;
    after = last;
  }
}

/**
 * Which MRN is which Patient stands beside the records, so that a question by one finds both. Each pair comes with a
 * record that names the two: a pair that is gone would hide what was seen of somebody, and one more would show
 * another's. They are read before the records and after them, since more may be written meanwhile.
 */
export async function gatherPairs(pairs: ReadPairs | null) {
  const before = pairs === null ? new Set<string>() : await readAll(pairs);
  const said = new Map<string, { readonly chain: string; readonly seq: number }>();
  return {
    see(chain: string, { seq, columns }: StoredRecord): void {
      if (columns === null || columns.patient === null || columns.chart === null) return;
      const name = `${columns.tenant}\n${columns.patient}\n${columns.chart}`;
      if (!said.has(name)) said.set(name, { chain, seq });
    },
    /** `dropped`: records are gone that may have said what no other does. */
    async check(records: 'all' | 'dropped'): Promise<void> {
      if (pairs === null) return;
      if (records === 'all' && [...before].some((name) => !said.has(name))) throw new Flawed('pairs-changed');
      const after = await readAll(pairs);
      const missing = [...said].find(([name]) => !after.has(name));
      if (missing !== undefined) throw new Flawed('pairs-changed', missing[1]);
    },
  };
}
