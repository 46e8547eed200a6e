import type { StoredRecord } from './commands.ts';
import type { AuditSource } from './verify.ts';

const PAGE = 2_000;

interface Ahead {
  page: readonly StoredRecord[];
  from: number;
  next: Promise<readonly StoredRecord[]> | null;
}

/** The records of each chain in their order; while some are looked at, the next ones are on their way. */
export function makeReadAhead(source: Pick<AuditSource, 'records'>) {
  const chains = new Map<string, Ahead>();

  function ask(chain: string, after: number): Promise<readonly StoredRecord[]> {
    const asked = source.records(chain, after, PAGE);
    // Where a flaw ends the whole before this is looked at, nobody waits for it any more.
    asked.catch(() => undefined);
    return asked;
  }

  async function turn(chain: string, after: number, ahead: Ahead | undefined): Promise<Ahead> {
    const early = (await ahead?.next) ?? [];
    // What was asked for early may have been written since then.
    const page = early.length > 0 ? early : await ask(chain, after);
    const last = page.at(-1);
    return { page, from: 0, next: last !== undefined && page.length === PAGE ? ask(chain, last.seq) : null };
  }

  /** Those behind `after`, at most so many; none where there is no more. Asked for in order, without a gap. */
  return async (chain: string, after: number, limit: number): Promise<readonly StoredRecord[]> => {
    const known = chains.get(chain);
    const ahead = known === undefined || known.from >= known.page.length ? await turn(chain, after, known) : known;
    const some = ahead.page.slice(ahead.from, ahead.from + limit);
    ahead.from += some.length;
    if (some.length === 0) chains.delete(chain);
    else chains.set(chain, ahead);
    return some;
  };
}
