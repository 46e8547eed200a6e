import pg from 'pg';
import { fail, fault, ok, type Result } from '../../kernel/index.ts';
import type { AnyCommandSet } from '../commands.ts';
import { makeVault } from '../vault.ts';
import { makeWriterMemory } from '../writer-memory.ts';
import { clientConfig, endClient, makeDb } from './connect.ts';
import { storeFault } from './errors.ts';
import { gatherCommands } from './gather-commands.ts';

/** Keys that open nothing: whoever only reads needs none. */
const NO_KEYS = { data: [new Uint8Array(32)], pseudonym: new Uint8Array(32) };
const STATEMENT_MS = 600_000;

/** One connection that can only read, and may take its time. */
export async function readPostgres(url: string, sets: readonly AnyCommandSet[]) {
  const { one } = gatherCommands(await Promise.all(sets.map((set) => set.postgres())), 'reads');
  const client = new pg.Client({
    ...clientConfig(url, 'chartgate/look'),
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS,
  });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('SET default_transaction_read_only = on');
  const context = {
    db: makeDb(client),
    vault: makeVault(NO_KEYS),
    writer: '',
    memory: makeWriterMemory(),
    engine: 'postgres',
  } as const;
  return {
    async read(name: string, args: unknown): Promise<Result<unknown>> {
      const query = one.get(name);
      if (query === undefined) throw new Error(`no query is named ${name}`);
      try {
        return ok(await query(context, args));
      } catch (thrown) {
        const code = storeFault(thrown);
        if (code === null) throw thrown;
        return fail(fault(code, { cause: thrown }));
      }
    },
    close: () => endClient(client),
  };
}
