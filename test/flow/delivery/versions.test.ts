import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady, aStepsEvent, type Json } from '../../support/payloads/index.ts';
import { runCommand } from '../../support/run-command.ts';
import { startRig, type Rig } from './rig.ts';

const withoutHeight = (payload: Json): Json => {
  const { entry } = (payload['clinical_ready'] as { clinical_ready_data: { entry: Json[] } }).clinical_ready_data;
  entry.splice(
    entry.findIndex((one) => JSON.stringify(one).includes('"code":"height"')),
    1,
  );
  return payload;
};

interface Change {
  readonly kind: string;
  readonly what: string | null;
  readonly before: Readonly<Record<string, string>> | null;
  readonly after: Readonly<Record<string, string>> | null;
}

describe.each(PLACES)('versions of a document and whose deliveries wait, on %s', (_engine, makePlace) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(makePlace);
    await rig.enrol('ann', 'mrn-of-ann', 'pat-ann');
  });
  afterAll(() => rig.stop());
  const changes = async (id: string) => (await rig.admin('GET', `deliveries/${id}/changes`)).body;

  test('a version is compared with the one before: what was added, changed and withdrawn', async () => {
    const first = await rig.deliver(aClinicalReady({ userId: 'ann', observations: 4 }));
    expect(await changes(first.id)).toEqual({ id: first.id, before: null, changes: [], unchanged: 0 });
    const second = withoutHeight(
      aClinicalReady({ userId: 'ann', documentVersion: 2, observations: 5, values: { weight: 70 } }),
    );
    const { id } = await rig.deliver(second);
    const found = await changes(id);
    expect(found).toMatchObject({ id, before: { id: first.id, documentVersion: 1 }, unchanged: 2 });
    const told = (found['changes'] as Change[]).map(({ kind, what, before, after }) => [
      kind,
      what,
      before?.['value'] ?? null,
      after?.['value'] ?? null,
    ]);
    expect(told).toEqual([
      ['changed', expect.stringMatching(/weight/i), '71.25', '70'],
      ['added', expect.stringMatching(/./), null, '97.5'],
      ['withdrawn', expect.stringMatching(/height/i), '178', null],
    ]);
    expect(JSON.stringify(found)).not.toContain('anybody');
  });

  test('the commands tell the same in words', async () => {
    const env = {
      CHARTGATE_ADMIN_TOKEN: rig.settings()['CHARTGATE_ADMIN_TOKEN'] ?? '',
      CHARTGATE_PUBLIC_URL: rig.url(''),
    };
    const page = (await rig.admin('GET', 'deliveries?limit=1')).body['deliveries'] as { id: string }[];
    const told = await runCommand(['deliveries', 'changes', page[0]?.id ?? ''], { env });
    expect([told.code, told.out]).toEqual([
      0,
      expect.stringMatching(/since version 1.*value +71\.25 -> 70.*2 say the same/s),
    ]);
    const whose = await runCommand(['deliveries', 'patients', '--state', 'parked', '--why', 'unlinked'], { env });
    expect([whose.code, whose.out]).toEqual([0, 'nobody\n']);
    expect((await runCommand(['deliveries', 'patients', '--state', 'parked'], { env })).code).toBe(2);
    expect((await runCommand(['deliveries', 'changes'], { env })).code).toBe(2);
  });

  test('versions are compared by their number, in whichever order they came', async () => {
    const version = (documentVersion: number, weight: number) =>
      rig.deliver(
        aClinicalReady({ userId: 'ann', bundleId: 'turned', documentVersion, observations: 1, values: { weight } }),
      );
    const [third, second] = [await version(3, 73), await version(2, 72)];
    expect((await changes(third.id))['before']).toMatchObject({ id: second.id, documentVersion: 2 });
    expect(await changes(second.id)).toMatchObject({ before: null });
  });

  test('a delivery that nobody has, and one without a document, have nothing to compare', async () => {
    expect((await rig.admin('GET', 'deliveries/dlv_nobody/changes')).status).toBe(404);
    const { id } = await rig.deliver({ ...aStepsEvent({ userId: 'ann' }), user_id: 'somebody-else' });
    expect(await changes(id)).toMatchObject({ before: null, changes: [] });
  });

  test('a group tells whose its deliveries are, most first, and names nobody who is restricted', async () => {
    for (const [userId, n] of [
      ['bob', 2],
      ['cid', 1],
    ] as const)
      for (let i = 0; i < n; i += 1)
        await rig.deliver(aClinicalReady({ userId, observations: 1, bundleId: `${userId}-${i}` }));
    const group = 'deliveries/groups/patients?state=parked&reason=unlinked';
    const found = (await rig.admin('GET', group)).body;
    expect(found).toMatchObject({
      isWhole: true,
      patients: [
        { userId: 'bob', mrn: null, deliveries: 2, example: expect.stringMatching(/^dlv_/) },
        { userId: 'cid', mrn: null, deliveries: 1 },
      ],
    });
    expect((await rig.admin('GET', `${group}&fault=patient.none`)).body['patients']).toEqual([]);
    // The link is confirmed and the EHR has no such patient: the delivery waits under its MRN.
    await rig.admin('PUT', 'links/cid', { mrn: 'mrn-of-nobody' });
    const waiting = 'deliveries/groups/patients?state=parked&reason=patient&fault=patient.none';
    const patients = async () => (await rig.admin('GET', waiting)).body['patients'] as Json[];
    const [{ example }] = (await rig.admin('GET', group)).body['patients'] as [{ example: string }];
    expect(example).toMatch(/^dlv_/);
    const { id } = await rig.deliver(aClinicalReady({ userId: 'cid', observations: 1, bundleId: 'cid-more' }));
    expect(await rig.read(id)).toMatchObject({ state: 'parked', reason: 'patient' });
    expect(await patients()).toMatchObject([{ userId: 'cid', mrn: 'mrn-of-nobody' }]);
    expect((await rig.admin('PUT', 'patients/mrn-of-nobody/restriction')).status).toBeLessThan(300);
    expect(await patients()).toMatchObject([{ userId: null, mrn: null }]);
  });
});
