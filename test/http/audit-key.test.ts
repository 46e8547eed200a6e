import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSigningKey } from '../../src/audit/index.ts';
import { secret, systemClock } from '../../src/kernel/index.ts';
import { startGateway } from '../../src/gateway/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { configOf } from '../support/gateway.ts';
import { sqlitePlace, someKey, type Place } from '../support/new-store.ts';
import { runCommand } from '../support/run-command.ts';
import { stopAfterTest } from '../support/stop-after-test.ts';

const TOKEN = 'operator-'.repeat(5);
const keys = { CHARTGATE_DATA_KEY: someKey().reveal(), CHARTGATE_PSEUDONYM_KEY: someKey().reveal() };
const [first, second] = [someKey().reveal(), someKey().reveal()];
const publicOf = (key: string): string => makeSigningKey(secret(key)).text;

let place: Place;
let folder: string;
beforeEach(async () => {
  place = await sqlitePlace();
  folder = mkdtempSync(join(tmpdir(), 'chartgate-anchor-'));
});
afterEach(async () => {
  await place.remove();
  rmSync(folder, { recursive: true, force: true });
});

const file = (): string => (place.database.engine === 'sqlite' ? place.database.file : '');
const start = async (auditKey: string) => {
  const gateway = await startGateway({
    config: configOf(`sqlite:${file()}?filesystem=any`, {
      ...keys,
      CHARTGATE_AUDIT_KEY: auditKey,
      CHARTGATE_AUDIT_ANCHOR: `${folder}/`,
      CHARTGATE_ADMIN_TOKEN: TOKEN,
    }),
    clock: systemClock,
    log: collectLog(),
  });
  stopAfterTest(() => gateway.stop());
  return gateway;
};

test('a start with another audit key is refused', async () => {
  await (await start(first)).stop();
  await expect(start(second)).rejects.toMatchObject({ code: 'audit.key' });
  await (await start(first)).stop();
});

test('a start with both keys changes it for good, and either public key proves all of it offline', async () => {
  await (await start(first)).stop();
  const gateway = await start(`${second},${first}`);
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/admin/api/audit/key`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  expect(await answer.json()).toMatchObject({ key: publicOf(second), earlier: [{ key: publicOf(first), until: 3 }] });
  const verified = await fetch(`http://127.0.0.1:${gateway.port}/admin/api/audit/verify`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  expect(await verified.json()).toMatchObject({ sound: true, key: publicOf(second), anchor: 'read' });
  await gateway.stop();
  await expect(start(first)).rejects.toMatchObject({ code: 'audit.key' });
}, 60_000);

test('offline, with the anchor, after the change', async () => {
  await (await start(first)).stop();
  await (await start(`${second},${first}`)).stop();
  // The old one is no longer needed.
  await (await start(second)).stop();
  expect(readdirSync(folder).length).toBeGreaterThanOrEqual(4);
  for (const key of [publicOf(first), publicOf(second), `${publicOf(first)},${publicOf(second)}`]) {
    const ran = await runCommand([
      'audit',
      'verify',
      '--database',
      `sqlite:${file()}`,
      '--key',
      key,
      '--checkpoint',
      `${folder}/`,
    ]);
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining(publicOf(second))]);
  }
  const other = publicOf(someKey().reveal());
  expect((await runCommand(['audit', 'verify', '--database', `sqlite:${file()}`, '--key', other])).code).toBe(1);
}, 60_000);
