import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady, type ClinicalReadyOverrides, type Json } from '../../support/payloads/index.ts';
import { startRig, type Rig } from './rig.ts';

/** The same document before the source has finished it. */
function unfinished(overrides: ClinicalReadyOverrides): Json {
  const { clinical_ready: content, ...envelope } = aClinicalReady(overrides) as {
    clinical_ready: { metadata: Json };
  } & Json;
  return { ...envelope, clinical_ready: { ...content, metadata: { ...content.metadata, fhir_export_ready: false } } };
}

describe.each(PLACES)('a document that its source has not finished, on %s', (_name, makePlace) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(makePlace);
  });
  afterAll(() => rig.stop());
  const stateOf = async (id: string): Promise<unknown> => {
    const { state, reason } = (await rig.admin('GET', `deliveries/${id}`)).body as { state: string; reason: string };
    return [state, reason];
  };

  test('waits, writes nothing and takes nothing back; the next version takes its place', async () => {
    const userId = 'user-unfinished';
    const patient = await rig.enrol(userId);
    await rig.deliver(aClinicalReady({ userId, observations: 6 }));
    const before = rig.ehr.log.writes().length;
    const second = await rig.deliver(
      unfinished({ userId, documentVersion: 2, observations: 1, values: { weight: 60 } }),
    );
    expect(second).toMatchObject({ state: 'parked', reason: 'not-ready' });
    expect(rig.ehr.log.writes(before)).toEqual([]);
    expect(rig.chart(patient)).toHaveLength(6);
    const third = await rig.deliver(
      aClinicalReady({ userId, documentVersion: 3, observations: 6, values: { weight: 70.5 } }),
    );
    expect(third.state).toBe('delivered');
    expect(await stateOf(second.id)).toEqual(['superseded', 'newer-version']);
    expect(rig.chart(patient)).toHaveLength(6);
  });

  test('its own version goes on once it is finished, though it says the same', async () => {
    const userId = 'user-finished';
    const patient = await rig.enrol(userId);
    const first = await rig.deliver(unfinished({ userId, observations: 3 }));
    expect(first).toMatchObject({ state: 'parked', reason: 'not-ready' });
    expect((await rig.deliver(aClinicalReady({ userId, observations: 3 }))).state).toBe('delivered');
    expect(await stateOf(first.id)).toEqual(['superseded', 'newer-version']);
    expect(rig.chart(patient)).toHaveLength(3);
  });

  test('that comes after its finished self is out of date', async () => {
    const userId = 'user-overtaken';
    await rig.enrol(userId);
    await rig.deliver(aClinicalReady({ userId, observations: 3 }));
    const late = await rig.deliver(unfinished({ userId, observations: 2 }));
    expect(late).toMatchObject({ state: 'superseded', reason: 'older-version' });
  });

  test('waits again after a replay, and is found by its reason', async () => {
    const userId = 'user-again';
    await rig.enrol(userId);
    const { id } = await rig.deliver(unfinished({ userId, observations: 3 }));
    await rig.admin('POST', `deliveries/${id}/replay`);
    await rig.until(id, ({ state }) => state === 'parked');
    const list = (await rig.admin('GET', 'deliveries?state=parked&reason=not-ready')).body as {
      deliveries: { id: string }[];
    };
    expect(list.deliveries.map((one) => one.id)).toEqual([id]);
    const explained = (await rig.admin('GET', `deliveries/${id}/explain`)).body as { trouble: string };
    expect(explained.trouble).toBe('not-ready');
  });
});
