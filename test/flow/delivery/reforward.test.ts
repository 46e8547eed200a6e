import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SHIPPED_FOLDER } from '../../../src/mappings/index.ts';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady, type Json } from '../../support/payloads/index.ts';
import { startRig, type Rig } from './rig.ts';

describe.each(PLACES)('what was delivered is forwarded again, on %s', (_name, makePlace) => {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-mappings-'));
  let rig: Rig;
  beforeAll(async () => {
    cpSync(SHIPPED_FOLDER, folder, { recursive: true });
    rig = await startRig(makePlace, { settings: { CHARTGATE_MAPPINGS: folder } });
  });
  afterAll(async () => {
    await rig.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const forward = async (): Promise<unknown> => (await rig.admin('POST', 'replay?state=delivered')).body['count'];
  const allAtRest = async (): Promise<void> => {
    for (const id of ids) expect((await rig.resting(id)).state).toBe('delivered');
  };
  const ids: string[] = [];

  test('with the same mapping data nothing is written', async () => {
    for (const userId of ['user-1', 'user-2', 'user-3']) {
      await rig.enrol(userId);
      ids.push((await rig.deliver(aClinicalReady({ userId, observations: 4 }))).id);
    }
    const before = rig.ehr.log.writes().length;
    expect(await forward()).toBe(3);
    await allAtRest();
    expect(rig.writesSince(before)).toEqual([]);
  });

  test('with new mapping data what differs is updated where it stands, and nothing else', async () => {
    const file = join(folder, 'conceptmap-metrics.json');
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replaceAll('"display": "Body weight"', '"display": "Weight of the body"'),
    );
    expect((await rig.admin('POST', 'mappings/reload')).status).toBe(200);
    const before = rig.ehr.log.writes().length;
    const live = rig.live().length;
    expect(await forward()).toBe(3);
    await allAtRest();
    const wrote = rig.writesSince(before).filter(({ type }) => type === 'Observation');
    expect(wrote.map(({ kind, json }) => [kind, json?.includes('Weight of the body')])).toEqual([
      ['update', true],
      ['update', true],
      ['update', true],
    ]);
    expect(rig.live().filter(({ resourceType }) => resourceType === 'Observation')).toHaveLength(12);
    expect(rig.live().length).toBeGreaterThanOrEqual(live);
    expect(await rig.check()).toEqual([]);
  });

  test('what a person changed since is not overwritten by it', async () => {
    const weight = rig.chart('Patient/pat-mrn-user-1').find((one) => JSON.stringify(one).includes('"29463-7"'));
    rig.ehr.put({ ...weight, note: [{ text: 'checked' }] } as never);
    const file = join(folder, 'conceptmap-metrics.json');
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replaceAll('"display": "Weight of the body"', '"display": "Body weight"'),
    );
    expect((await rig.admin('POST', 'mappings/reload')).status).toBe(200);
    await forward();
    const shown = await Promise.all(
      ids.map((id) => rig.until(id, ({ state }) => state === 'delivered' || state === 'parked')),
    );
    expect(shown.map(({ state, reason }) => `${state} ${reason ?? ''}`)).toEqual([
      'parked conflict',
      'delivered ',
      'delivered ',
    ]);
    const kept = rig.chart('Patient/pat-mrn-user-1').find(({ id }) => id === (weight as Json)['id']);
    expect(kept).toMatchObject({ note: [{ text: 'checked' }] });
    expect(await rig.ledgerAddsUp()).toBe(true);
  });
});

describe.each(PLACES)('what nobody has mapped, on %s', (_name, makePlace) => {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-mappings-'));
  const file = join(folder, 'conceptmap-metrics.json');
  let rig: Rig;
  beforeAll(async () => {
    cpSync(SHIPPED_FOLDER, folder, { recursive: true });
    rig = await startRig(makePlace, { settings: { CHARTGATE_MAPPINGS: folder } });
  });
  afterAll(async () => {
    await rig.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The source begins to call weight by another name. */
  const renamed = (payload: Json): Json =>
    JSON.parse(JSON.stringify(payload).replaceAll('"code":"weight"', '"code":"weight_v2"')) as Json;
  const waiting = async (): Promise<unknown> => {
    const targets = (await rig.admin('GET', 'targets')).body['targets'] as { waiting: { leftOut: number } }[];
    return targets[0]?.waiting.leftOut;
  };
  const observations = (patient: string): number =>
    rig.chart(patient).filter(({ resourceType }) => resourceType === 'Observation').length;

  test('is left out while the rest is written, stays visible, and is written by itself once it is mapped', async () => {
    const patient = await rig.enrol('user-1');
    const first = await rig.deliver(renamed(aClinicalReady({ userId: 'user-1', observations: 4 })));
    expect([first.state, first.reason, observations(patient), await waiting()]).toEqual([
      'delivered',
      'left-out',
      3,
      1,
    ]);
    const listed = (await rig.admin('GET', 'deliveries?state=delivered&reason=left-out')).body['deliveries'] as Json[];
    expect(listed).toMatchObject([
      { id: first.id, detail: expect.stringContaining('is written by itself') as unknown },
    ]);
    expect(String(listed[0]?.['findings'])).toContain('codes.left-out entry[');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"code": "weight"', '"code": "weight_v2"'));
    expect((await rig.admin('POST', 'mappings/reload')).status).toBe(200);
    await rig.until(
      first.id,
      ({ state, reason, steps }) => state === 'delivered' && reason === null && steps.length > 4,
    );
    expect([observations(patient), await waiting()]).toEqual([4, 0]);
    expect(await rig.ledgerAddsUp()).toBe(true);
  });

  test('of an older version waits for nothing once a newer one has come', async () => {
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"code": "weight_v2"', '"code": "weight"'));
    expect((await rig.admin('POST', 'mappings/reload')).status).toBe(200);
    const patient = await rig.enrol('user-2');
    const first = await rig.deliver(renamed(aClinicalReady({ userId: 'user-2', observations: 4 })));
    expect([first.reason, await waiting()]).toEqual(['left-out', 1]);
    const second = await rig.deliver(aClinicalReady({ userId: 'user-2', observations: 4, documentVersion: 2 }));
    expect([second.reason, (await rig.read(first.id)).reason, observations(patient), await waiting()]).toEqual([
      null,
      'newer-version',
      4,
      0,
    ]);
  });

  test('is not left out where something stands in the chart that it would replace', async () => {
    await rig.enrol('user-3');
    await rig.deliver(aClinicalReady({ userId: 'user-3', observations: 4 }));
    const version2 = aClinicalReady({
      userId: 'user-3',
      observations: 4,
      documentVersion: 2,
      values: { weight: 71250, height: 179 },
    });
    const second = await rig.deliver(version2);
    expect([second.state, second.reason]).toEqual(['parked', 'implausible']);
    expect(JSON.stringify(rig.live())).not.toContain('"value":179');
  });
});
