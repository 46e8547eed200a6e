import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady, type Json } from '../../support/payloads/index.ts';
import { startRig, type Rig } from './rig.ts';

const TOKEN = 'admin-token-0123456789abcdef0123456789';
const MRN = 'mrn-of-ann';
const REASON = 'Asked for by the ward, ticket 7';

interface Page {
  readonly deliveries: readonly { readonly id: string; readonly userId: string | null; readonly mrn: string | null }[];
  readonly next: string | null;
  readonly total?: { readonly count: number; readonly isExact: boolean };
}
interface Recorded {
  readonly why?: string;
  readonly outcome: string;
  readonly reason?: string;
  readonly deliveryId?: string;
  readonly actor?: string;
}

describe.each(PLACES)('a delivery as an operator finds and opens it, on %s', (_engine, makePlace) => {
  let rig: Rig;
  let written: string;
  let refused: string;
  let foreign: string;
  let keys = 0;
  const sent: Json = aClinicalReady({ userId: 'ann', observations: 2 });

  beforeAll(async () => {
    rig = await startRig(makePlace);
    await rig.enrol('ann', MRN, 'pat-ann');
    await rig.enrol('bob', 'mrn-of-bob', 'pat-bob');
    written = (await rig.deliver(sent)).id;
    foreign = (await rig.deliver(aClinicalReady({ userId: 'bob', observations: 1, bundleId: 'of-bob' }))).id;
    rig.ehr.board.setRules([{ method: 'POST', path: '/fhir', status: 422 }]);
    refused = (
      await rig.deliver(aClinicalReady({ userId: 'ann', observations: 1, bundleId: 'refused', day: '2026-09-03' }))
    ).id;
    rig.ehr.board.setRules([]);
  });
  afterAll(() => rig.stop());

  const get = (path: string, headers: Record<string, string> = {}, token = TOKEN) =>
    fetch(rig.url(`/admin/api/${path}`), { headers: { authorization: `Bearer ${token}`, ...headers } });
  const list = async (query: string): Promise<Page> =>
    (await rig.admin('GET', `deliveries?${query}`)).body as unknown as Page;
  const idsOf = async (query: string): Promise<string[]> => (await list(query)).deliveries.map(({ id }) => id);
  const keyWith = async (permissions: readonly string[]): Promise<string> => {
    const answer = await fetch(rig.url('/admin/api/keys'), {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `key-${(keys += 1)}`, permissions }),
    });
    return String(((await answer.json()) as Json)['key']);
  };

  test('is found by the MRN of its patient, by its request and by its time, and shows whose it is', async () => {
    expect(await idsOf(`mrn=${MRN}`)).toEqual([refused, written]);
    expect(await idsOf('mrn=mrn-of-nobody')).toEqual([]);
    const { requestId, receivedAt } = (await rig.admin('GET', `deliveries/${written}`)).body as Record<string, string>;
    expect(await idsOf(`request_id=${requestId ?? ''}`)).toEqual([written]);
    const until = encodeURIComponent(receivedAt ?? '');
    expect(await idsOf(`received_from=${until}`)).toEqual([refused, foreign, written]);
    expect(await idsOf(`received_to=${until}`)).toEqual([]);
    const { deliveries, total } = await list('with_total=true');
    expect(total).toEqual({ count: 3, isExact: true });
    expect(deliveries.map(({ userId, mrn }) => [userId, mrn])).toEqual([
      ['ann', MRN],
      ['bob', 'mrn-of-bob'],
      ['ann', MRN],
    ]);
    const seen = (await rig.admin('GET', 'audit?type=admin&patient=mrn-of-bob')).body['records'] as Recorded[];
    expect(seen.map(({ why }) => why)).toContain('deliveries');
  });

  test('is not found by a cursor of another list', async () => {
    const { next } = await list(`mrn=${MRN}&limit=1`);
    expect((await idsOf(`mrn=${MRN}&limit=1&cursor=${next ?? ''}`)).length).toBe(1);
    for (const other of ['', '&state=parked', '&mrn=mrn-of-bob']) {
      const answer = await rig.admin('GET', `deliveries?limit=1${other}&cursor=${next ?? ''}`);
      expect([answer.status, answer.body['code'], answer.body['at']]).toEqual([400, 'admin.cursor', 'cursor']);
    }
  });

  test('tells nobody whose it is who may not see patients', async () => {
    const key = await keyWith(['deliveries.read']);
    const page = (await (await get('deliveries', {}, key)).json()) as Page;
    expect(page.deliveries.map(({ userId, mrn }) => [userId, mrn])).toEqual([
      [null, null],
      [null, null],
      [null, null],
    ]);
    const one = (await (await get(`deliveries/${written}`, {}, key)).json()) as Json;
    expect([one['userId'], one['mrn']]).toEqual([null, null]);
    expect((one['wrote'] as Json[]).map(({ reference }) => reference)).toEqual(expect.arrayContaining([null]));
    expect((await get(`deliveries?mrn=${MRN}`, {}, key)).status).toBe(403);
  });

  test('shows its attempts and what it wrote, with versions', async () => {
    const { body } = await rig.admin('GET', `deliveries/${written}`);
    expect(body['attempts']).toEqual([
      {
        id: expect.stringMatching(/^att_/),
        kind: 'deliver',
        startedAt: expect.any(String),
        endedAt: expect.any(String),
        durationMs: expect.any(Number),
        outcome: 'delivered',
        faultCode: null,
        httpStatus: 200,
        issues: [],
      },
    ]);
    const chart = rig.chart('Patient/pat-ann').map((one) => `${String(one['resourceType'])}/${String(one['id'])}`);
    const wrote = body['wrote'] as { reference: string; versionId: string | null; retractedAt: string | null }[];
    expect(wrote.map(({ reference }) => reference)).toEqual(expect.arrayContaining(chart));
    expect(wrote.every(({ versionId, retractedAt }) => versionId === '1' && retractedAt === null)).toBe(true);
  });

  test('tells of a refusal what the EHR said: codes, and nothing of its texts', async () => {
    const { body } = await rig.admin('GET', `deliveries/${refused}`);
    expect(body['attempts']).toEqual([
      expect.objectContaining({
        outcome: 'parked',
        faultCode: 'ehr.rejected',
        httpStatus: 422,
        issues: [{ code: expect.any(String), at: null }],
      }),
    ]);
    expect(body['wrote']).toEqual([]);
    expect(body['mrn']).toBe(MRN);
  });

  describe('its bytes', () => {
    const records = async (): Promise<readonly Recorded[]> =>
      ((await rig.admin('GET', `audit?type=admin&delivery=${written}`)).body['records'] as Recorded[]).filter(
        ({ why }) => why === 'raw',
      );

    test('are given as they were received, to be saved, and the audit keeps who wanted them and why', async () => {
      const answer = await get(`deliveries/${written}/raw`, { 'chartgate-reason': REASON });
      expect([answer.status, await answer.text()]).toEqual([200, JSON.stringify(sent)]);
      expect(answer.headers.get('content-type')).toBe('application/octet-stream');
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${written}.body"`);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect((await records())[0]).toMatchObject({ outcome: '0', reason: REASON, actor: 'operator' });
      const ofPatient = (await rig.admin('GET', `audit?type=admin&patient=${MRN}`)).body['records'] as Recorded[];
      expect(ofPatient.map(({ why }) => why)).toContain('raw');
    });

    test('are refused without a reason, and the refusal is recorded', async () => {
      const before = (await records()).length;
      const answer = await get(`deliveries/${written}/raw`);
      expect([answer.status, ((await answer.json()) as Json)['code']]).toEqual([403, 'admin.reason-needed']);
      const after = await records();
      expect(after.length).toBe(before + 1);
      expect(after[0]).toMatchObject({ outcome: '4', deliveryId: written });
      expect(after[0]?.reason).toBeUndefined();
    });

    test('are not for a reason that says nothing, nor for a key without the permission by name', async () => {
      const short = await get(`deliveries/${written}/raw`, { 'chartgate-reason': 'x' });
      const problem = (await short.json()) as Json;
      expect([short.status, problem['code'], problem['at']]).toEqual([400, 'admin.parameter', 'Chartgate-Reason']);
      const asked = { 'chartgate-reason': REASON };
      expect((await get(`deliveries/${written}/raw`, asked, await keyWith(['deliveries.read']))).status).toBe(403);
      expect((await get(`deliveries/${written}/raw`, asked, await keyWith(['deliveries.raw']))).status).toBe(200);
    });

    test('of a delivery that is not there, or whose bytes are gone, are not', async () => {
      const asked = { 'chartgate-reason': REASON };
      expect((await get('deliveries/dlv_none/raw', asked)).status).toBe(404);
      await rig.place.tamper(
        `DELETE FROM delivery_body WHERE seq = (SELECT seq FROM delivery WHERE id = '${foreign}')`,
      );
      const gone = await get(`deliveries/${foreign}/raw`, asked);
      expect([gone.status, ((await gone.json()) as Json)['code']]).toEqual([410, 'delivery.no-body']);
    });
  });

  describe('of a patient who is restricted', () => {
    const asked = { 'chartgate-reason': REASON };
    beforeAll(async () => {
      await rig.admin('PUT', `patients/${MRN}/restriction`);
    });
    afterAll(async () => {
      await rig.admin('DELETE', `patients/${MRN}/restriction`);
    });

    const LOOKS = [
      `deliveries?mrn=${MRN}`,
      'deliveries?user_id=ann',
      'deliveries/ID',
      'deliveries/ID/explain',
      `links?mrn=${MRN}`,
      'links?user_id=ann',
      'links/ann',
      'links/ann/charted',
      `patients/${MRN}/connections`,
      'restrictions',
    ];
    test.each(LOOKS)('%s is shown to who says why, and to nobody else', async (path) => {
      const refused = await get(path.replace('ID', written));
      expect([refused.status, ((await refused.json()) as Json)['code']]).toEqual([403, 'admin.reason-needed']);
      const shown = await get(path.replace('ID', written), asked);
      expect([path, shown.status]).toEqual([path, 200]);
      const seen = (await (await get(`audit?type=admin&patient=${MRN}&limit=2`, asked)).json()) as Json;
      expect((seen['records'] as Recorded[]).map(({ outcome, reason }) => [outcome, reason])).toEqual([
        ['0', REASON],
        ['4', undefined],
      ]);
    });

    test('the list of all shows the delivery, and not whose it is', async () => {
      const { deliveries } = await list('');
      expect(deliveries.map(({ id, userId, mrn }) => [id, userId, mrn])).toEqual([
        [refused, null, null],
        [foreign, 'bob', 'mrn-of-bob'],
        [written, null, null],
      ]);
      const page = (await (await get('deliveries', asked)).json()) as Page;
      expect(page.deliveries.map(({ mrn }) => mrn)).toEqual([MRN, 'mrn-of-bob', MRN]);
    });

    test('the list of all links shows the link, and not whose it is; who says why is shown it', async () => {
      const whose = async (headers: Record<string, string>) => {
        const { links } = (await (await get('links', headers)).json()) as { links: Json[] };
        return links.map(({ userId, mrn, evidence, isWithheld }) => [userId, mrn, evidence, isWithheld]);
      };
      expect(await whose({})).toEqual([
        ['bob', 'mrn-of-bob', expect.any(String), false],
        [null, null, null, true],
      ]);
      expect(await whose(asked)).toEqual([
        ['bob', 'mrn-of-bob', expect.any(String), false],
        ['ann', MRN, expect.any(String), false],
      ]);
      const seen = (await (await get(`audit?type=admin&patient=${MRN}&limit=1`, asked)).json()) as Json;
      expect((seen['records'] as Recorded[]).map(({ outcome, reason }) => [outcome, reason])).toEqual([['0', REASON]]);
    });

    test('a caller who may not see patients is asked why too, where they name the user', async () => {
      const key = await keyWith(['deliveries.read']);
      expect((await get('deliveries?user_id=ann', {}, key)).status).toBe(403);
      const page = (await (await get('deliveries?user_id=ann', asked, key)).json()) as Page;
      expect(page.deliveries.map(({ userId, mrn }) => [userId, mrn])).toEqual([
        [null, null],
        [null, null],
      ]);
    });

    test('others are shown as before, and so is the patient once it is lifted', async () => {
      expect((await get(`deliveries/${foreign}`)).status).toBe(200);
      await rig.admin('DELETE', `patients/${MRN}/restriction`);
      expect((await get(`deliveries/${written}`)).status).toBe(200);
      await rig.admin('PUT', `patients/${MRN}/restriction`);
      expect((await get(`deliveries/${written}`)).status).toBe(403);
    });
  });
});
