import { describe, expect, test } from '@jest/globals';
import { startGateway } from '../../src/gateway/index.ts';
import { systemClock } from '../../src/kernel/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { configOf } from '../support/gateway.ts';
import { sqlitePlace } from '../support/new-store.ts';
import { runCommand } from '../support/run-command.ts';
import { stopAfterTest } from '../support/stop-after-test.ts';

const TOKEN = 'operator-'.repeat(5);

async function start() {
  const place = await sqlitePlace();
  stopAfterTest(() => place.remove());
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  const url = `sqlite:${place.database.file}?filesystem=any`;
  const config = configOf(url, { CHARTGATE_ADMIN_TOKEN: TOKEN, CHARTGATE_RETENTION_DAYS: '30' });
  const gateway = await startGateway({ config, clock: systemClock, log: collectLog() });
  stopAfterTest(() => gateway.stop());
  const env = { CHARTGATE_ADMIN_TOKEN: TOKEN, CHARTGATE_PUBLIC_URL: `http://127.0.0.1:${gateway.port}` };
  return { config, file: place.database.file, run: (...args: readonly string[]) => runCommand(args, { env }) };
}

describe('chartgate settings', () => {
  test('shows what is in force, where it comes from, and nothing of a secret', async () => {
    const { config, file, run } = await start();
    const told = await run('settings');
    expect(told.code).toBe(0);
    expect(told.out).toMatch(/^CHARTGATE_RETENTION_DAYS +30 {2}\(environment\)$/m);
    expect(told.out).toMatch(/^CHARTGATE_PORT +\S+ {2}\((default|environment)\)$/m);
    expect(told.out).toMatch(/^CHARTGATE_ADMIN_TOKEN +set {2}\(environment\)$/m);
    expect(told.out).not.toContain('CHARTGATE_OPS_TOKEN');
    expect((await run('settings', '--all')).out).toMatch(/^CHARTGATE_OPS_TOKEN +not set$/m);
    const whole = (await run('settings', '--json')).out;
    const secrets = [...config.keys.data, ...config.keys.audit, config.keys.pseudonym].map((one) => one.reveal());
    for (const secret of [TOKEN, file, ...secrets]) expect(whole).not.toContain(secret);
    expect((await run('settings', 'x')).code).toBe(2);
  });

  test('says since when each key is in use', async () => {
    const { run } = await start();
    const { keys } = JSON.parse((await run('settings', '--json')).out) as {
      keys: { kind: string; id: string; isInUse: boolean; since: string | null; ageDays: number | null }[];
    };
    const inUse = keys.filter(({ isInUse }) => isInUse);
    expect(inUse.map(({ kind }) => kind)).toEqual(['data', 'audit', 'id-token']);
    for (const { kind, since, ageDays } of inUse)
      expect([kind, since === null ? null : ageDays]).toEqual([kind, since === null ? null : 0]);
    expect(inUse.filter(({ since }) => since !== null).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['data', 'id-token']),
    );
    await run('keys', 'rotate');
    expect((await run('settings')).out).toMatch(/id-token key +[0-9a-f]{16} {2}older {2}since \S+Z, 0 days\n/);
  });

  test('says what is weak and how to mend it, what is protected, how far the audit is signed, and which versions', async () => {
    const { run } = await start();
    expect((await run('settings')).out).toMatch(/^weak: CHARTGATE_AUDIT_ANCHOR: .+\n {6}Name a file or folder/m);
    const found = JSON.parse((await run('settings', '--json')).out) as Record<string, unknown>;
    expect(found['weak']).toContainEqual({
      key: 'CHARTGATE_WEBHOOK_HMAC',
      what: 'webhook bodies are not signed: whoever learns the address can send data',
      mend: expect.stringContaining('CHARTGATE_WEBHOOK_HMAC_KEY'),
    });
    expect(found['connections']).toEqual([
      { of: 'listener', isProtected: true, how: 'loopback', certificateUntil: null },
      { of: 'public-address', isProtected: true, how: 'loopback', certificateUntil: null },
      { of: 'ehr', isProtected: true, how: 'loopback', certificateUntil: null },
      { of: 'database', isProtected: true, how: 'file', certificateUntil: null },
    ]);
    expect(found['audit']).toEqual({
      checkpoint: { number: expect.any(Number), at: expect.any(String), records: expect.any(Number) },
      isAnchored: false,
      retentionDays: expect.any(Number),
    });
    expect(found['versions']).toEqual({
      gateway: expect.stringMatching(/^\d+\.\d+\.\d+/),
      node: process.versions.node,
      engine: 'sqlite',
      engineVersion: expect.any(String),
      mappings: expect.any(String),
    });
  });
});
