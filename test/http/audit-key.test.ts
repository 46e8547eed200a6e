import { expect, test } from '@jest/globals';
import { systemClock } from '../../src/kernel/index.ts';
import { startGateway } from '../../src/wire.ts';
import { collectLog } from '../support/collect-log.ts';
import { configOf } from '../support/gateway.ts';
import { sqlitePlace, someKey } from '../support/new-store.ts';

test('a start with another audit key is refused', async () => {
  const place = await sqlitePlace();
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  const keys = { CHARTGATE_DATA_KEY: someKey().reveal(), CHARTGATE_PSEUDONYM_KEY: someKey().reveal() };
  const url = `sqlite:${place.database.file}?filesystem=any`;
  const start = (more: Record<string, string>) =>
    startGateway({ config: configOf(url, { ...keys, ...more }), clock: systemClock, log: collectLog() });
  try {
    const audit = { CHARTGATE_AUDIT_KEY: someKey().reveal() };
    await (await start(audit)).stop();
    await expect(start({})).rejects.toMatchObject({ code: 'audit.key' });
    await (await start(audit)).stop();
  } finally {
    await place.remove();
  }
});
