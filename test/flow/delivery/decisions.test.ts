import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady, type Json } from '../../support/payloads/index.ts';
import { runCommand } from '../../support/run-command.ts';
import { startRig, type Rig, type Shown } from './rig.ts';

const WEIGHT = '"29463-7"';
const HEIGHT = '"8302-2"';

function withoutHeight(payload: Json): Json {
  const { entry } = (payload['clinical_ready'] as { clinical_ready_data: { entry: Json[] } }).clinical_ready_data;
  entry.splice(
    entry.findIndex((one) => JSON.stringify(one).includes('"code":"height"')),
    1,
  );
  return payload;
}

describe.each(PLACES)('what a person decides, on %s', (_name, makePlace) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(makePlace);
  });
  afterAll(() => rig.stop());

  const measured = (patient: string, code: string): Json | undefined =>
    rig.chart(patient).find((one) => JSON.stringify(one).includes(code));
  const valueOf = (patient: string, code: string): unknown =>
    (measured(patient, code)?.['valueQuantity'] as { value?: unknown } | undefined)?.value;
  function touch(patient: string, code: string, text: string): void {
    rig.ehr.put({ ...measured(patient, code), note: [{ text }] } as never);
  }
  const replay = async (id: string, body?: object): Promise<number> =>
    (await rig.admin('POST', `deliveries/${id}/${body === undefined ? 'replay' : 'decide'}`, body)).status;
  /** Where it comes to rest after a replay: the state before it does not count. */
  async function replayed(id: string, body?: object): Promise<Shown> {
    const before = (await rig.read(id)).steps.length;
    expect(await replay(id, body)).toBe(200);
    return rig.until(
      id,
      ({ state, steps }) => steps.length > before + 2 && (state === 'parked' || state === 'delivered'),
    );
  }

  /** A document is written, a person changes the weight, and a newer version wants to change weight and height. */
  async function inConflict(userId: string): Promise<{ patient: string; parked: Shown }> {
    const patient = await rig.enrol(userId);
    await rig.deliver(aClinicalReady({ userId, observations: 4 }));
    touch(patient, WEIGHT, 'checked');
    const second = aClinicalReady({ userId, documentVersion: 2, observations: 4, values: { weight: 70, height: 179 } });
    return { patient, parked: await rig.deliver(second) };
  }

  test('theirs is kept, the rest is written, and what says otherwise later waits for a person again', async () => {
    const { patient, parked } = await inConflict('user-keep');
    expect(parked).toMatchObject({ state: 'parked', reason: 'conflict' });
    expect(parked.conflicts).toEqual([expect.objectContaining({ resourceType: 'Observation', versionId: '2' })]);
    expect(await replayed(parked.id, { decision: 'keep-theirs' })).toMatchObject({ state: 'delivered' });
    expect(measured(patient, WEIGHT)).toMatchObject({ note: [{ text: 'checked' }], valueQuantity: { value: 71.25 } });
    expect(valueOf(patient, HEIGHT)).toBe(179);
    const version = (documentVersion: number, values: Readonly<Record<string, number>>): Promise<Shown> =>
      rig.deliver(aClinicalReady({ userId: 'user-keep', documentVersion, observations: 4, values }));
    // The same statement that the person saw asks nobody again.
    expect(await version(3, { weight: 70, height: 180 })).toMatchObject({ state: 'delivered' });
    expect([valueOf(patient, WEIGHT), valueOf(patient, HEIGHT)]).toEqual([71.25, 180]);
    // Another one does, with both sides, and the rest of the document is written.
    const fourth = await version(4, { weight: 69, height: 181 });
    expect(fourth).toMatchObject({ state: 'parked', reason: 'conflict' });
    expect(fourth.conflicts).toEqual([
      expect.objectContaining({
        ours: expect.objectContaining({ value: '69', unit: 'kg' }),
        theirs: expect.objectContaining({ value: '71.25', unit: 'kg', notes: 'checked' }),
      }),
    ]);
    expect([valueOf(patient, WEIGHT), valueOf(patient, HEIGHT)]).toEqual([71.25, 181]);
    expect(await replayed(fourth.id, { decision: 'overwrite' })).toMatchObject({ state: 'delivered' });
    expect(valueOf(patient, WEIGHT)).toBe(69);
    // Since then nobody keeps anything.
    expect([(await version(5, { weight: 68, height: 181 })).state, valueOf(patient, WEIGHT)]).toEqual([
      'delivered',
      68,
    ]);
  });

  test('what a person keeps although its document dropped it stays kept when it is dropped again, and is asked about when it is said again', async () => {
    const userId = 'user-kept-dropped';
    const patient = await rig.enrol(userId);
    const dropped = (documentVersion: number): Json =>
      withoutHeight(aClinicalReady({ userId, documentVersion, observations: 4 }));
    await rig.deliver(aClinicalReady({ userId, observations: 4 }));
    touch(patient, HEIGHT, 'checked');
    const parked = await rig.deliver(dropped(2));
    expect(parked).toMatchObject({ conflicts: [{ ours: null, theirs: { notes: 'checked' } }] });
    expect(await replayed(parked.id, { decision: 'keep-theirs' })).toMatchObject({ state: 'delivered' });
    expect(await rig.deliver(dropped(3))).toMatchObject({ state: expect.stringMatching(/delivered|duplicate/) });
    expect(measured(patient, HEIGHT)).toMatchObject({ note: [{ text: 'checked' }] });
    const again = await rig.deliver(
      aClinicalReady({ userId, documentVersion: 4, observations: 4, values: { height: 182 } }),
    );
    expect(again).toMatchObject({ state: 'parked', reason: 'conflict' });
    expect(measured(patient, HEIGHT)).toMatchObject({ note: [{ text: 'checked' }] });
  });

  test('what a person keeps leaves a wrong chart like everything else', async () => {
    const { patient, parked } = await inConflict('user-kept-moved');
    await replayed(parked.id, { decision: 'keep-theirs' });
    expect(rig.chart(patient)).toHaveLength(4);
    const right = await rig.enrol('user-kept-moved', 'MRN-kept-right');
    await rig.until(parked.id, () => rig.chart(right).length === 4 && rig.chart(patient).length === 0);
    expect(valueOf(right, WEIGHT)).toBe(70);
  });

  test('ours is written over the version that was shown', async () => {
    const { patient, parked } = await inConflict('user-over');
    expect(await replayed(parked.id, { decision: 'overwrite' })).toMatchObject({ state: 'delivered' });
    expect([valueOf(patient, WEIGHT), valueOf(patient, HEIGHT)]).toEqual([70, 179]);
  });

  test.each(['overwrite', 'keep-theirs'])(
    'a decision to %s is about the version that was shown, and no later one',
    async (decision) => {
      const { patient, parked } = await inConflict(`user-late-${decision}`);
      touch(patient, WEIGHT, 'checked again');
      const again = await replayed(parked.id, { decision });
      expect(again).toMatchObject({ state: 'parked', reason: 'conflict' });
      expect(again.conflicts).toEqual([expect.objectContaining({ versionId: '3' })]);
      expect(measured(patient, WEIGHT)).toMatchObject({ note: [{ text: 'checked again' }] });
      expect(await replayed(parked.id, { decision })).toMatchObject({ state: 'delivered' });
    },
  );

  test('everything that somebody changed is shown at once', async () => {
    const userId = 'user-all';
    const patient = await rig.enrol(userId);
    await rig.deliver(aClinicalReady({ userId, observations: 4 }));
    touch(patient, WEIGHT, 'one');
    touch(patient, HEIGHT, 'two');
    const values = { weight: 70, height: 179, bmi: 23 };
    const parked = await rig.deliver(aClinicalReady({ userId, documentVersion: 2, observations: 4, values }));
    expect(parked.conflicts).toHaveLength(2);
    expect(await replayed(parked.id, { decision: 'keep-theirs' })).toMatchObject({ state: 'delivered' });
    expect([valueOf(patient, WEIGHT), valueOf(patient, HEIGHT)]).toEqual([71.25, 178]);
  });

  test('what somebody removed comes back only when a person wants it', async () => {
    const userId = 'user-removed';
    const patient = await rig.enrol(userId);
    await rig.deliver(aClinicalReady({ userId, observations: 4 }));
    await fetch(`${rig.ehr.url}/Observation/${String(measured(patient, WEIGHT)?.['id'])}`, { method: 'DELETE' });
    const parked = await rig.deliver(
      aClinicalReady({ userId, documentVersion: 2, observations: 4, values: { weight: 70 } }),
    );
    expect(parked).toMatchObject({ state: 'parked', reason: 'conflict', conflicts: [{ versionId: null }] });
    expect(valueOf(patient, WEIGHT)).toBeUndefined();
    expect(await replayed(parked.id, { decision: 'overwrite' })).toMatchObject({ state: 'delivered' });
    expect(valueOf(patient, WEIGHT)).toBe(70);
  });

  test.each([
    ['keep-theirs', 4],
    ['overwrite', 3],
  ])('what is gone from its document, and was changed by somebody: %s leaves %d', async (decision, left) => {
    const userId = `user-gone-${decision}`;
    const patient = await rig.enrol(userId);
    await rig.deliver(aClinicalReady({ userId, observations: 4 }));
    touch(patient, HEIGHT, 'checked');
    const parked = await rig.deliver(withoutHeight(aClinicalReady({ userId, documentVersion: 2, observations: 4 })));
    expect(parked).toMatchObject({ state: 'parked', reason: 'conflict' });
    expect(await replayed(parked.id, { decision })).toMatchObject({ state: 'delivered' });
    expect(rig.chart(patient)).toHaveLength(left);
  });

  test('why somebody decided is kept in the audit', async () => {
    const { parked } = await inConflict('user-why');
    const env = {
      CHARTGATE_ADMIN_TOKEN: rig.settings()['CHARTGATE_ADMIN_TOKEN'] ?? '',
      CHARTGATE_PUBLIC_URL: rig.url(''),
    };
    const decide = (...more: string[]) =>
      runCommand(['deliveries', 'decide', parked.id, 'keep-theirs', ...more], { env });
    expect((await decide('--reason', 'x')).code).toBe(1);
    expect((await decide('--reason', 'Weighed at the ward')).code).toBe(0);
    const { steps } = await rig.until(parked.id, ({ state }) => state === 'delivered');
    expect(steps).toContainEqual(expect.objectContaining({ from: 'parked', to: 'received', reason: 'keep-theirs' }));
    const found = (await rig.admin('GET', `audit?type=admin&delivery=${parked.id}`)).body['records'] as Json[];
    expect(found.filter(({ why }) => why === 'decision')).toMatchObject([{ reason: 'Weighed at the ward' }]);
    expect((await runCommand(['deliveries', 'replay', parked.id, '--reason', 'no'], { env })).code).toBe(2);
  });

  test('a decision that does not fit is refused', async () => {
    const { parked } = await inConflict('user-refused');
    expect(await replay(parked.id, { decision: 'maybe' })).toBe(400);
    expect(await replay('dlv_nobody', { decision: 'overwrite' })).toBe(404);
    const done = await rig.deliver(aClinicalReady({ userId: 'user-over', documentVersion: 9, observations: 4 }));
    expect(await replay(done.id, { decision: 'overwrite' })).toBe(409);
    expect(await replay(done.id, { decision: 'approve' })).toBe(409);
    expect(await replay(parked.id, { decision: 'approve' })).toBe(409);
    expect(await rig.read(parked.id)).toMatchObject({ state: 'parked', reason: 'conflict' });
  });

  test('a replay of what waits for a decision approves nothing, and says so', async () => {
    const userId = 'user-undecided';
    const patient = await rig.enrol(userId);
    await rig.deliver(aClinicalReady({ userId, observations: 6 }));
    const { id } = await rig.deliver(aClinicalReady({ userId, documentVersion: 2, observations: 1 }));
    expect((await rig.admin('POST', `deliveries/${id}/replay`)).body).toEqual({ id, undecided: true });
    const again = await rig.until(id, ({ state, steps }) => state === 'parked' && steps.length > 5);
    expect(again).toMatchObject({ reason: 'suspicious' });
    expect(await replay(id, { decision: 'overwrite' })).toBe(409);
    expect(rig.chart(patient)).toHaveLength(6);
    expect(await replayed(id, { decision: 'approve' })).toMatchObject({ state: 'delivered' });
    expect(rig.chart(patient)).toHaveLength(1);
  });

  test('many suspicious ones at once go on only when it is said so', async () => {
    const users = ['user-s1', 'user-s2'];
    const parked: string[] = [];
    for (const userId of users) {
      await rig.enrol(userId);
      await rig.deliver(aClinicalReady({ userId, observations: 6 }));
      const second = await rig.deliver(aClinicalReady({ userId, documentVersion: 2, observations: 1 }));
      expect(second).toMatchObject({ state: 'parked', reason: 'suspicious' });
      parked.push(second.id);
    }
    const many = async (path: string): Promise<number> => (await rig.admin('POST', path)).status;
    const lengths = await Promise.all(parked.map(async (id) => (await rig.read(id)).steps.length));
    expect(await many('replay?state=parked&reason=suspicious')).toBe(200);
    for (const [i, id] of parked.entries())
      expect(
        await rig.until(id, ({ state, steps }) => steps.length > (lengths[i] ?? 0) + 2 && state === 'parked'),
      ).toMatchObject({ state: 'parked', reason: 'suspicious' });
    expect(users.map((user) => rig.chart(`Patient/pat-mrn-${user}`).length)).toEqual([6, 6]);
    expect([await many('replay?state=parked&approve=true'), await many('approve?reason=unlinked')]).toEqual([400, 400]);
    expect(await many('approve?reason=suspicious')).toBe(200);
    for (const id of parked)
      expect((await rig.until(id, ({ state }) => state === 'delivered')).state).toBe('delivered');
    expect(users.map((user) => rig.chart(`Patient/pat-mrn-${user}`).length)).toEqual([1, 1]);
  });

  test('the ledger adds up after all of it', async () => {
    expect(await rig.ledgerAddsUp()).toBe(true);
  });
});
