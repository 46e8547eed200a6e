import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLACES, withClient, type Place } from '../../support/new-store.ts';
import { aClinicalReady, type Json } from '../../support/payloads/index.ts';
import { startRig, type Rig } from './rig.ts';

/**
 * What stands in the files or the database now; nobody may be connected. Gives the way back to it, and to the time of
 * it.
 */
async function backUp({ database }: Place): Promise<() => Promise<void>> {
  const EARLIER = 'UPDATE target SET seen_at = seen_at - 3600000';
  if (database.engine === 'sqlite') {
    const [folder, name] = [dirname(database.file), basename(database.file)];
    const parts = readdirSync(folder).filter((one) => one.startsWith(name));
    for (const one of parts) copyFileSync(join(folder, one), join(folder, `backup-${one}`));
    return () => {
      for (const one of readdirSync(folder).filter((file) => file.startsWith(name))) rmSync(join(folder, one));
      for (const one of parts) copyFileSync(join(folder, `backup-${one}`), join(folder, one));
      const db = new DatabaseSync(database.file, { timeout: 5_000 });
      db.exec(EARLIER);
      db.close();
      return Promise.resolve();
    };
  }
  const url = new URL(database.url.reveal());
  const name = url.pathname.slice(1);
  const server = new URL(url);
  server.pathname = '/postgres';
  await withClient(server.href, (client) => client.query(`CREATE DATABASE backup_${name} TEMPLATE ${name}`));
  return async () => {
    await withClient(server.href, async (client) => {
      await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await client.query(`CREATE DATABASE ${name} TEMPLATE backup_${name}`);
      await client.query(`DROP DATABASE backup_${name}`);
    });
    await withClient(url.href, (client) => client.query(EARLIER));
  };
}

describe.each(PLACES)('after a backup of our database was restored, on %s', (_name, makePlace) => {
  let rig: Rig;
  let patient: string;
  const userId = 'user-1';
  const document = (documentVersion: number, values: Record<string, number> = {}): Json =>
    aClinicalReady({ userId, observations: 4, documentVersion, values });
  const weightOf = (): Json | undefined => rig.chart(patient).find((one) => JSON.stringify(one).includes('"29463-7"'));

  beforeAll(async () => {
    rig = await startRig(makePlace);
    patient = await rig.enrol(userId, 'MRN-1');
    let restore = (): Promise<void> => Promise.resolve();
    await rig.restart(async () => {
      restore = await backUp(rig.place);
    });
    // The EHR is told what our restored database will know nothing of.
    expect((await rig.deliver(document(1))).state).toBe('delivered');
    rig.ehr.put({ ...weightOf(), note: [{ text: 'checked' }] } as never);
    await rig.restart(() => restore());
  }, 60_000);
  afterAll(() => rig.stop());

  test('what a person changed since is not overwritten; what nobody changed is recognised and not written twice', async () => {
    const before = rig.ehr.log.writes().length;
    const again = await rig.deliver(document(1, { weight: 69 }));
    expect(again).toMatchObject({ state: 'parked', reason: 'conflict', conflicts: [{ versionId: '2' }] });
    expect(weightOf()).toMatchObject({ note: [{ text: 'checked' }] });
    expect(rig.writesSince(before)).toEqual([]);
    expect((await rig.admin('POST', `deliveries/${again.id}/decide`, { decision: 'keep-theirs' })).status).toBe(200);
    expect((await rig.until(again.id, ({ state }) => state === 'delivered')).state).toBe('delivered');
    expect(weightOf()).toMatchObject({ note: [{ text: 'checked' }] });
    expect(rig.writesSince(before).filter(({ type }) => type === 'Observation')).toEqual([]);
  });

  test('from then on its versions flow as ever, without a look at each', async () => {
    const before = rig.ehr.log.requests().length;
    expect((await rig.deliver(document(2, { weight: 69, height: 179 }))).state).toBe('delivered');
    expect(rig.chart(patient)).toContainEqual(
      expect.objectContaining({ valueQuantity: expect.objectContaining({ value: 179 }) }),
    );
    expect(rig.chart(patient)).toHaveLength(4);
    expect(
      rig.ehr.log
        .requests()
        .slice(before)
        .filter(({ method }) => method === 'GET'),
    ).toEqual([]);
  });
});
