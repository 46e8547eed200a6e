import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../src/kernel/index.ts';
import { startEhr, type DemoEhr, type Resource } from '../../../sandbox/index.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

let ehr: DemoEhr;
let rig: SmartRig;

beforeAll(async () => {
  ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  const put = (resourceType: string, id: string, more: object): void => {
    ehr.put({ resourceType, id, ...more });
  };
  put('Patient', 'a', { identifier: [{ system: 'urn:example:mrn', value: 'mrn-a' }] });
  put('Patient', 'c', { identifier: [{ system: 'urn:example:mrn', value: 'mrn-c' }] });
  put('Practitioner', 'doc', { name: [{ family: 'Doctor', given: ['Ada'] }], identifier: [{ value: 'npi-1' }] });
  put('Practitioner', 'entangled', { name: [{ family: 'Doctor' }], contained: [{ resourceType: 'Patient', id: 'x' }] });
  put('Organization', 'org', { name: 'Hospital', address: [{ city: 'Springfield', postalCode: '12345' }] });
  put('PractitionerRole', 'role', {
    practitioner: { reference: 'Practitioner/doc' },
    organization: { reference: 'Organization/org' },
    specialty: [{ coding: [{ system: 'urn:s', code: 'cardio' }] }],
  });
  put('Location', 'ward', { name: 'Ward 7', address: { city: 'Springfield' } });
  for (const [id, patient] of [
    ['cov-a', 'a'],
    ['cov-c', 'c'],
  ] as const)
    put('Coverage', id, {
      status: 'active',
      beneficiary: { reference: `Patient/${patient}` },
      payor: [{ display: 'x' }],
    });
  put('RelatedPerson', 'rel-a', { patient: { reference: 'Patient/a' } });
  rig = await startSmart(ehr.url, { capability: 'probed' });
  await rig.link('mrn-a');
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});

async function ask(path: string, scope = 'user/*.rs', patient?: string): Promise<[number, string[]]> {
  const answer = await rig.get(`/fhir/${path}`, rig.token(aGrant(scope, patient === undefined ? {} : { patient })));
  const { entry = [] } = (await answer.json()) as { entry?: { resource: Resource }[] };
  return [answer.status, entry.map(({ resource }) => `${resource.resourceType}/${resource.id ?? ''}`)];
}

describe('what is nobody’s', () => {
  test.each<[string, string[]]>([
    ['Practitioner?name=doc', ['Practitioner/doc']],
    ['Practitioner?family=Doctor&given=ada', ['Practitioner/doc']],
    ['Practitioner?identifier=npi-1', ['Practitioner/doc']],
    ['Organization?name=hosp', ['Organization/org']],
    ['Organization?address-city=spring', ['Organization/org']],
    ['PractitionerRole?practitioner=doc', ['PractitionerRole/role']],
    [
      'PractitionerRole?practitioner=Practitioner/doc&_include=PractitionerRole:practitioner',
      ['PractitionerRole/role', 'Practitioner/doc'],
    ],
    ['PractitionerRole?specialty=urn:s|cardio', ['PractitionerRole/role']],
    ['PractitionerRole?organization=org', ['PractitionerRole/role']],
    ['Location?name=ward', ['Location/ward']],
    ['Location?address-city=Springfield', ['Location/ward']],
  ])('%s is found, as scope allows', async (path, expected) => {
    expect(await ask(path)).toEqual([200, expected]);
    expect(await ask(path, 'patient/*.rs', 'a')).toEqual([200, expected]);
    expect((await ask(path, 'user/Patient.rs user/Observation.rs'))[0]).toBe(403);
  });

  test('is not listed whole', async () => {
    for (const path of ['Practitioner', 'Location?status=active', 'PractitionerRole?_count=5'])
      expect((await ask(path))[0]).toBe(403);
  });
});

describe('a type of the standard set', () => {
  test('is its patient’s, and nobody else’s', async () => {
    expect(await ask('Coverage?patient=a')).toEqual([200, ['Coverage/cov-a']]);
    expect(await ask('Coverage?patient=c')).toEqual([200, []]);
    expect(await ask('RelatedPerson?patient=a', 'patient/*.rs', 'a')).toEqual([200, ['RelatedPerson/rel-a']]);
    expect((await ask('Coverage/cov-c'))[0]).toBe(404);
  });
});

test('a refusal says what to do, and names the parameter', async () => {
  const answer = await rig.get('/fhir/Observation', rig.token(aGrant('user/*.rs')));
  expect(await answer.json()).toMatchObject({
    issue: [{ details: { text: expect.stringContaining('add patient=ID') }, expression: ['patient'] }],
  });
});
