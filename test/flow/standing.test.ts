import { afterEach, expect, test } from '@jest/globals';
import { startGateway, type Gateway } from '../../src/gateway/index.ts';
import { systemClock } from '../../src/kernel/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { eventually } from '../support/eventually.ts';
import { configOf } from '../support/gateway.ts';
import { PLACES, sqlitePlace, type Place } from '../support/new-store.ts';
import { makePostgresServer } from '../support/postgres-server.ts';
import { stopAfterTest } from '../support/stop-after-test.ts';

let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

const urlOf = ({ database }: Place): string =>
  database.engine === 'sqlite' ? `sqlite:${database.file}?filesystem=any` : database.url.reveal();

async function start(url: string, more: Record<string, string> = {}): Promise<() => Promise<string>> {
  gateway = await startGateway({ config: configOf(url, more), clock: systemClock, log: collectLog() });
  const { port } = gateway;
  return async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

test.each(PLACES)('on %s subscriptions and exports are counted by state', async (engine, makePlace) => {
  const place = await makePlace();
  stopAfterTest(place.remove);
  const scrape = await start(urlOf(place));
  const bytes = engine === 'sqlite' ? "x'00'" : "'\\x00'";
  const row = (id: string, state: string, failingSince: string): string =>
    `('default', '${id}', 'app', ${bytes}, 'chart', '[]', 'any', 'empty', '${state}', ${bytes}, 1, 1, 9000000000000000, ${failingSince})`;
  await place.tamper(`INSERT INTO subscription (tenant, id, client_id, owner_index, topic, filters, patients, content,
    state, settings_sealed, made_at, changed_at, next_at, failing_since)
    VALUES ${[row('a', 'error', '1'), row('b', 'active', '1'), row('c', 'active', 'NULL'), row('d', 'off', '1')].join(', ')}`);
  const text = await scrape();
  for (const line of [
    'chartgate_subscriptions{state="requested"} 0',
    'chartgate_subscriptions{state="active"} 2',
    'chartgate_subscriptions{state="error"} 1',
    'chartgate_subscriptions{state="off"} 1',
    'chartgate_subscriptions_failing 2',
    'chartgate_exports{state="running"} 0',
    'chartgate_exports{state="failed"} 0',
    'chartgate_ehr_paused 0',
    'chartgate_ledger_equal 1',
  ])
    expect(text).toContain(`${line}\n`);
});

test('an anchor that cannot be written is seen', async () => {
  const place = await sqlitePlace();
  stopAfterTest(place.remove);
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  // Below a file there is no folder.
  const scrape = await start(urlOf(place), { CHARTGATE_AUDIT_ANCHOR: `${place.database.file}/anchor/` });
  const text = await scrape();
  expect(text).toContain('chartgate_audit_anchor_failing 1\n');
  expect(text).toMatch(/^chartgate_audit_signed_seconds \d/m);
});

test('a scrape comes to its end while PostgreSQL is away, without what nobody knows', async () => {
  const server = await makePostgresServer();
  stopAfterTest(server.remove);
  const scrape = await start(server.url('postgres'));
  await server.stop('immediate');
  const text = await scrape();
  expect(text).toMatch(/^chartgate_store_ready [01]$/m);
  expect(text).not.toMatch(/^chartgate_deliveries\{/m);
  expect(text).not.toMatch(/^chartgate_delivery_lag_seconds \d/m);
  await server.start();
  const isWhole = (shown: string): boolean => /^chartgate_delivery_lag_seconds 0$/m.test(shown);
  expect(await eventually(scrape, isWhole)).toMatch(/^chartgate_deliveries\{state="received"\} 0$/m);
});
