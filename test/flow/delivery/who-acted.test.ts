import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Browser, GOOD_PASSWORD, PUBLIC_URL } from '../../support/operator-desk.ts';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady } from '../../support/payloads/index.ts';
import { startRig, type Rig } from './rig.ts';

jest.setTimeout(120_000);

interface Shown {
  readonly type: string;
  readonly why?: string;
  readonly actor?: string;
  readonly roles?: readonly string[];
  readonly to?: string;
}
const ROLES = ['engineer', 'registrar', 'auditor', 'administrator'];

describe.each(PLACES)('who acted, as the audit names them, on %s', (_engine, makePlace) => {
  let rig: Rig;
  let ada: Browser;
  beforeAll(async () => {
    const settings = { CHARTGATE_PUBLIC_URL: PUBLIC_URL, CHARTGATE_OPERATOR_SECOND_FACTOR: 'nobody' };
    rig = await startRig(makePlace, { settings });
    const made = await rig.admin('POST', 'operators', { name: 'ada', displayName: 'Ada Example', roles: ROLES });
    ada = new Browser(rig.url(''));
    const [, link = ''] = String(made.body['link']).split('#link=');
    await ada.session('POST', '/link', { link, password: GOOD_PASSWORD });
    expect((await ada.signIn('ada')).body['stage']).toBe('signed-in');
    expect((await ada.session('POST', '/proof', { password: GOOD_PASSWORD })).status).toBe(200);
  });
  afterAll(() => rig.stop());

  const records = async (question: string): Promise<readonly Shown[]> =>
    (await rig.admin('GET', `audit?${question}`)).body['records'] as Shown[];

  test('one name at the sign-in and everywhere else, so that counts have one line for a person', async () => {
    await ada.ask('GET', '/admin/api/audit/key');
    await ada.ask('POST', '/admin/api/operators', { name: 'bea', displayName: 'Bea Example', roles: ['viewer'] });
    const { names } = (await rig.admin('GET', 'audit/counts?by=actor')).body as { names: { name: string }[] };
    expect(names.map(({ name }) => name).sort()).toEqual(['ada', 'operator']);
    for (const { actor, roles } of await records('type=operator.sign-in'))
      expect([actor, roles]).toEqual(['ada', ROLES]);
  });

  test('what a command of a person records names their roles', async () => {
    const waiting = (await rig.deliver(aClinicalReady({ userId: 'user-one', observations: 2 }))).id;
    const given = (await rig.deliver(aClinicalReady({ userId: 'user-two', observations: 2 }))).id;
    await ada.ask('POST', `/admin/api/deliveries/${waiting}/notes`, { text: 'Asked the ward.' });
    await ada.ask('POST', `/admin/api/deliveries/${waiting}/replay`);
    await ada.ask('POST', `/admin/api/targets/ehr/pause`);
    await ada.ask('POST', `/admin/api/targets/ehr/resume`);
    await ada.ask('PUT', '/admin/api/patients/MRN-7/restriction');
    await ada.ask('POST', '/admin/api/accounts', {
      username: 'ann',
      name: 'Ann Example',
      fhirUser: 'Practitioner/1',
      password: 'a long made-up sentence',
    });
    const filter = { state: 'parked', reason: 'unlinked' };
    const preview = { act: 'discard', filter, reason: 'Sent by mistake' };
    const job = await ada.ask('POST', '/admin/api/jobs/preview', preview);
    expect(job.body['deliveries']).toEqual({ count: 2, isExact: true });
    expect((await ada.ask('POST', '/admin/api/jobs', { preview: job.body['id'], confirm: 2 })).status).toBe(201);
    await rig.until(given, ({ state }) => state === 'discarded');
    const acts = (await records('limit=200')).filter(({ actor }) => actor === 'ada');
    expect(acts.filter(({ roles }) => roles === undefined)).toEqual([]);
    const done = acts.map(({ type, why, to }) => `${type} ${why ?? ''} ${to ?? ''}`.trim());
    for (const act of ['admin note', 'admin target paused', 'admin restrict restricted', 'admin job.start discard'])
      expect(done).toContain(act);
    expect(done).toContain('delivery.change Sent by mistake discarded');
    // A machine is not told by roles.
    for (const { actor, roles } of await records('limit=200')) if (actor === 'operator') expect(roles).toBeUndefined();
  });
});
