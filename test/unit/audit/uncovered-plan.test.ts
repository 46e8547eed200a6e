import { expect, test } from '@jest/globals';
import { DatabaseSync } from 'node:sqlite';
import { auditSet } from '../../../src/audit/index.ts';
import { MIGRATIONS } from '../../../src/store/migrations/index.ts';
import { loadCommands } from '../../../src/store/sqlite/load-commands.ts';
import { migrate } from '../../../src/store/sqlite/migrate.ts';
import { makeStatements } from '../../../src/store/sqlite/statements.ts';
import { makeVault } from '../../../src/store/vault.ts';
import { makeWriterMemory } from '../../../src/store/writer-memory.ts';

test('a checkpoint reads the records that it covers, and walks along no others', async () => {
  const real = new DatabaseSync(':memory:');
  migrate(real, MIGRATIONS, 0);
  const texts: string[] = [];
  const db = makeStatements(
    new Proxy(real, {
      get: (of, name) =>
        name === 'prepare'
          ? (sql: string) => {
              texts.push(sql);
              return of.prepare(sql);
            }
          : (Reflect.get(of, name, of) as unknown),
    }),
  );
  const vault = makeVault({ data: [new Uint8Array(32)], pseudonym: new Uint8Array(32) });
  const reads = await loadCommands([auditSet.sqlite.href], 'reads');
  const context = { db, vault, writer: 'test.0', memory: makeWriterMemory(), engine: 'sqlite' } as const;
  expect(reads.get('audit.uncovered')?.(context, { limit: 10 })).toEqual({ last: null, records: [] });

  const plans = texts
    .filter((text) => text.includes('audit_record'))
    .map((text) => real.prepare(`EXPLAIN QUERY PLAN ${text}`).all());
  expect(plans.map((plan) => plan.map(({ detail }) => detail))).toEqual([
    ['SCAN c USING INDEX sqlite_autoindex_audit_chain_1', 'SEARCH r USING PRIMARY KEY (chain=? AND seq>?)'],
  ]);
  real.close();
});
