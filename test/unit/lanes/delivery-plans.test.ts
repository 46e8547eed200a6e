import { expect, test } from '@jest/globals';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { auditSet } from '../../../src/audit/index.ts';
import { identitySet } from '../../../src/identity/index.ts';
import { inboxSet } from '../../../src/inbox/index.ts';
import { deliverSet, laneSet } from '../../../src/lanes/index.ts';
import { MIGRATIONS } from '../../../src/store/migrations/index.ts';
import { loadCommands } from '../../../src/store/sqlite/load-commands.ts';
import { migrate } from '../../../src/store/sqlite/migrate.ts';
import { makeRunBatch } from '../../../src/store/sqlite/run-batch.ts';
import { makeVault } from '../../../src/store/vault.ts';
import { begunBy, finishAsk, linkAsk, putAsk, settleAsk } from '../../support/delivery-asks.ts';

/** Of what the statement was given. */
const GIVEN = /^SCAN (json_each|u$|CONSTANT ROW)/;
/** Looks nothing up, although its plan names the tables that refer to it. */
const PLAIN_INSERT = /^\s*INSERT INTO \w+ \([^)]*\)\s*VALUES/;
const OF_TRANSACTIONS = /^(BEGIN|COMMIT|SAVEPOINT|RELEASE|ROLLBACK)/;
/** All of a tenant, or of a target. */
const WALK = /^SCAN |\(tenant=\?( AND target=\?)?\)$/;
const IS_TARGET = /^SEARCH t USING PRIMARY KEY/;

test('no statement of a delivery walks along more than what is the delivery’s own', async () => {
  const real = new DatabaseSync(':memory:');
  migrate(real, MIGRATIONS, Date.now());
  const texts = new Set<string>();
  const db = new Proxy(real, {
    get(of, name) {
      if (name === 'prepare')
        return (sql: string): StatementSync => {
          texts.add(sql);
          return of.prepare(sql);
        };
      const found: unknown = Reflect.get(of, name, of);
      return typeof found === 'function' ? (found as () => unknown).bind(of) : found;
    },
  });
  const vault = makeVault({ data: [new Uint8Array(32)], pseudonym: new Uint8Array(32) });
  const sets = [auditSet, inboxSet, identitySet, deliverSet, laneSet];
  const commands = await loadCommands(
    sets.map((set) => set.sqlite.href),
    'writes',
  );
  const runBatch = makeRunBatch(db, { vault, writer: 'test.0' }, commands, { broken: () => undefined, aside: () => 0 });
  const done = (...asks: Parameters<typeof runBatch>[0]): unknown[] =>
    runBatch(asks).outcomes.map((one) => {
      if (!one.done) throw new Error(one.error.message);
      return one.out;
    });
  done(linkAsk(1));
  texts.clear();
  done(putAsk(1, new Uint8Array(10)));
  const [settled] = done(settleAsk(1, 1));
  expect(done(finishAsk(1, begunBy(settled)))).toEqual(['done']);

  const asked = [...texts].filter((text) => !PLAIN_INSERT.test(text) && !OF_TRANSACTIONS.test(text));
  expect(asked.length).toBeGreaterThan(10);
  const walks = asked.flatMap((text) =>
    real
      .prepare(`EXPLAIN QUERY PLAN ${text}`)
      .all()
      .map(({ detail }) => String(detail))
      .filter((detail) => WALK.test(detail) && !GIVEN.test(detail) && !IS_TARGET.test(detail))
      .map((detail) => `${detail}: ${text}`),
  );
  expect(walks).toEqual([]);
  real.close();
});
