import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { startRig, type Rig } from '../flow/delivery/rig.ts';
import { PLACES } from '../support/new-store.ts';
import { aClinicalReady } from '../support/payloads/index.ts';
import { runCommand } from '../support/run-command.ts';

jest.setTimeout(120_000);

const USER = 'user-handled';
const MRN = 'MRN-handled';

describe.each(PLACES)('handles on %s', (_engine, makePlace) => {
  let rig: Rig;
  let mrn: string;
  let user: string;
  let id: string;
  beforeAll(async () => {
    rig = await startRig(makePlace);
    await rig.enrol(USER, MRN);
    id = (await rig.deliver(aClinicalReady({ userId: USER, observations: 1 }))).id;
    const made = await rig.admin('POST', 'handles', { mrns: [MRN], users: [USER] });
    [mrn, user] = [String((made.body['mrns'] as unknown[])[0]), String((made.body['users'] as unknown[])[0])];
  });
  afterAll(() => rig.stop());
  const run = (...args: string[]) =>
    runCommand(args, {
      env: { CHARTGATE_ADMIN_TOKEN: rig.settings()['CHARTGATE_ADMIN_TOKEN'] ?? '', CHARTGATE_PUBLIC_URL: rig.url('') },
    });

  test('stand for the MRN and the user in path, query and body', async () => {
    const listed = await rig.admin('GET', `deliveries?mrn=${mrn}`);
    expect(listed.body).toMatchObject({ deliveries: [{ id, mrn: MRN, userId: USER }] });
    expect((await rig.admin('GET', `deliveries?user_id=${user}`)).body).toEqual(listed.body);
    const links = { links: [{ userId: USER, mrn: MRN }] };
    expect((await rig.admin('GET', `links?mrn=${mrn}`)).body).toMatchObject(links);
    expect((await rig.admin('GET', `links/${user}`)).body).toMatchObject(links);
    expect((await rig.admin('GET', `patients/${mrn}/timeline`)).body).toMatchObject({ events: { length: 2 } });
    expect(await rig.admin('PUT', `links/${user}`, { mrn })).toMatchObject({ body: { change: 'unchanged' } });
  });

  test('open to who may see patients, which the audit keeps under the patient', async () => {
    expect(await rig.admin('POST', 'handles/open', { handles: [mrn] })).toMatchObject({ body: { mrns: [MRN] } });
    const seen = await rig.admin('GET', `audit?patient=${mrn}&type=admin`);
    expect(seen.body['records']).toContainEqual(expect.objectContaining({ why: 'handles opened' }));
    expect((await rig.admin('GET', `audit?patient=${MRN}&type=admin`)).body['records']).toContainEqual(
      expect.objectContaining({ why: 'handles opened' }),
    );
  });

  test('are the same after a start anew, and serve the command line as they are', async () => {
    await rig.restart();
    const listed = await run('deliveries', 'list', '--mrn', mrn, '--json');
    expect([listed.code, listed.out]).toEqual([0, expect.stringContaining(id)]);
    const links = await run('links', 'list', '--mrn', mrn);
    expect([links.code, links.out]).toEqual([0, expect.stringContaining(USER)]);
    expect(await run('links', 'history', user)).toMatchObject({ code: 0, out: expect.stringContaining(MRN) });
  });

  test('that were forged are refused, with the name of the field', async () => {
    const forged = `${mrn.slice(0, -1)}${mrn.endsWith('A') ? 'B' : 'A'}`;
    const refused = (at: string) => ({ status: 400, body: { code: 'admin.parameter', at } });
    expect(await rig.admin('GET', `deliveries?mrn=${forged}`)).toMatchObject(refused('mrn'));
    expect(await rig.admin('GET', `audit?patient=${forged}`)).toMatchObject(refused('patient'));
    expect(await rig.admin('GET', `patients/${forged}/timeline`)).toMatchObject(refused('mrn'));
    expect(await rig.admin('GET', `links/${mrn}`)).toMatchObject(refused('user_id'));
    expect(await rig.admin('PUT', `links/${user}`, { mrn: user })).toMatchObject(refused('mrn'));
    expect(await rig.admin('POST', 'handles/open', { handles: [forged] })).toMatchObject(refused('handles'));
    expect(await rig.admin('POST', 'handles', { mrns: Array.from({ length: 201 }, String) })).toMatchObject(
      refused('mrns'),
    );
  });

  test('of a patient who is restricted open to who says why', async () => {
    await rig.admin('PUT', `patients/${mrn}/restriction`);
    expect(await rig.admin('POST', 'handles/open', { handles: [mrn] })).toMatchObject({
      status: 403,
      body: { code: 'admin.reason-needed' },
    });
    expect(await rig.admin('DELETE', `patients/${mrn}/restriction`)).toMatchObject({ status: 200 });
  });

  test('an MRN or a user that looks like one is still reached as it is', async () => {
    await rig.enrol('~u.looks', '~m.looks', 'pat-looks');
    expect((await rig.admin('GET', 'links?mrn=~m.looks')).body).toMatchObject({ links: [{ userId: '~u.looks' }] });
    expect(await rig.admin('GET', 'links/~u.looks')).toMatchObject({ status: 200 });
  });

  test('hide the patient: no log line has an MRN or a handle', () => {
    expect(JSON.stringify(rig.log.lines)).not.toMatch(/MRN-handled|~[mu]\./);
  });
});
