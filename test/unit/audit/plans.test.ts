import { expect, test } from '@jest/globals';
import { DatabaseSync } from 'node:sqlite';
import { auditSet } from '../../../src/audit/index.ts';
import { MIGRATIONS } from '../../../src/store/migrations/index.ts';
import { loadCommands } from '../../../src/store/sqlite/load-commands.ts';
import { migrate } from '../../../src/store/sqlite/migrate.ts';
import { makeStatements } from '../../../src/store/sqlite/statements.ts';
import { makeVault } from '../../../src/store/vault.ts';
import { makeWriterMemory } from '../../../src/store/writer-memory.ts';

/** How SQLite goes about what a query asks of the records. */
async function plansOf(name: string, args: unknown): Promise<string[][]> {
  const real = new DatabaseSync(':memory:');
  migrate(real, MIGRATIONS, 0);
  const texts: string[] = [];
  const db = makeStatements(
    new Proxy(real, {
      get: (of, key) =>
        key === 'prepare'
          ? (sql: string) => {
              texts.push(sql);
              return of.prepare(sql);
            }
          : (Reflect.get(of, key, of) as unknown),
    }),
  );
  const vault = makeVault({ data: [new Uint8Array(32)], pseudonym: new Uint8Array(32) });
  const reads = await loadCommands([auditSet.sqlite.href], 'reads');
  const context = { db, vault, writer: 'test.0', memory: makeWriterMemory(), engine: 'sqlite' } as const;
  reads.get(name)?.(context, args);
  const plans = texts
    .filter((text) => text.includes('audit_record'))
    .map((text) =>
      real
        .prepare(`EXPLAIN QUERY PLAN ${text}`)
        .all()
        .map(({ detail }) => String(detail)),
    );
  real.close();
  return plans;
}

test('a checkpoint reads the records that it covers, and walks along no others', async () => {
  expect(await plansOf('audit.uncovered', { limit: 10 })).toEqual([
    ['SCAN c USING INDEX sqlite_autoindex_audit_chain_1', 'SEARCH r USING PRIMARY KEY (chain=? AND seq>?)'],
  ]);
});

const search = {
  ...{ tenant: 't', patient: null, chart: null, actors: null, client: null, delivery: null, request: null },
  ...{ types: null, tellingOf: [], outcome: null, fromMs: null, toMs: null, before: null, limit: 10, sealed: 'leave' },
};
const count = { tenant: 't', fromMs: 0, toMs: 10, widthMs: 1, most: 10 };

test.each([
  ['audit.last', { tenant: 't', type: 'config' }, 'audit_seldom'],
  ['audit.search', { ...search, types: ['config'] }, 'audit_seldom'],
  ['audit.search', { ...search, actors: ['somebody'] }, 'audit_by_actor'],
  ['audit.counts', { ...count, by: 'actor' }, 'audit_acts'],
  ['audit.counts', { ...count, by: 'app' }, 'audit_looks'],
  ['audit.counts', { ...count, by: 'patient' }, 'audit_looks'],
])('%s %j is led by %s', async (name, args, index) => {
  const [plan = []] = await plansOf(name, args);
  expect(plan.filter((step) => step.includes('audit_record')).join()).toMatch(new RegExp(`INDEX ${index}\\b`));
});
