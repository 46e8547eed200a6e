import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../src/kernel/index.ts';
import { startEhr, startService, type DemoEhr, type DemoService } from '../../../sandbox/index.ts';
import { startGateway, type Gateway } from '../../../src/gateway/index.ts';
import { collectLog } from '../../support/collect-log.ts';
import { configOf } from '../../support/gateway.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

const TOKEN = 'operator-'.repeat(5);

describe.each([
  ['lookup', [404, 'enrol.mrn-unknown']],
  ['create', [200, undefined]],
] as const)('CHARTGATE_PATIENT_MODE=%s', (mode, unknown) => {
  let gateway: Gateway;
  let service: DemoService;
  let ehr: DemoEhr;
  let place: Place;
  beforeAll(async () => {
    place = await sqlitePlace();
    if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
    ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
    service = await startService({ host: '127.0.0.1', port: 0, clock: systemClock });
    const { secretKey } = service.putClient({ uuid: 'client-1' });
    gateway = await startGateway({
      config: configOf(`sqlite:${place.database.file}?filesystem=any`, {
        CHARTGATE_ADMIN_TOKEN: TOKEN,
        CHARTGATE_EHR_URL: ehr.url,
        CHARTGATE_PATIENT_MODE: mode,
        CHARTGATE_CLIENT_UUID: 'client-1',
        CHARTGATE_SOURCE_URL: service.url,
        CHARTGATE_SOURCE_SECRET_KEY: secretKey,
      }),
      clock: systemClock,
      log: collectLog(),
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await service.stop();
    await ehr.stop();
    await place.remove();
  });
  const enrol = async (mrn: string, path = 'connections/RingWearable', body?: string): Promise<[number, unknown]> => {
    const answer = await fetch(`http://127.0.0.1:${gateway.port}/admin/api/patients/${mrn}/${path}`, {
      method: 'POST',
      ...(body === undefined ? {} : { body }),
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    return [answer.status, ((await answer.json()) as { code?: string }).code];
  };
  const put = (id: string, value: string, more = {}): void =>
    ehr.put({ resourceType: 'Patient', id, identifier: [{ system: 'urn:example:mrn', value }], ...more });

  test('an MRN that the EHR does not have, and nothing is written there', async () => {
    expect(await enrol('1')).toEqual(unknown);
    expect(
      ehr.log
        .requests()
        .filter(({ method, path }) => method !== 'GET' && !path.includes('_search') && path.includes('Patient')),
    ).toEqual([]);
  });
  test('an MRN that it has', async () => {
    put('a', '2');
    expect(await enrol('2')).toEqual([200, undefined]);
  });
  test('an MRN that leads to several patients, to a closed one, or through a merge to one who stands', async () => {
    put('b', '3');
    put('c', '3');
    put('d', '4', { active: false });
    put('e', '5', { active: false, link: [{ type: 'replaced-by', other: { reference: 'Patient/a' } }] });
    expect([await enrol('3'), await enrol('4'), await enrol('5')]).toEqual([
      [422, 'patient.many'],
      [422, 'patient.inactive'],
      [200, undefined],
    ]);
  });
  test('what the service cannot be asked for enrols nobody: no address for documents is configured', async () => {
    put('f', '7');
    expect(await enrol('7', 'labs?timezone=Z', '%PDF-1.4')).toEqual([503, 'source.not-configured']);
    const answer = await fetch(`http://127.0.0.1:${gateway.port}/admin/api/links?mrn=7`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(await answer.json()).toMatchObject({ links: [] });
  });
  test('an EHR that cannot be asked enrols nobody', async () => {
    ehr.board.setRules([{ path: '/Patient', status: 500 }]);
    expect(await enrol('6')).toEqual([503, 'ehr.failed']);
    ehr.board.setRules([]);
  });
});
