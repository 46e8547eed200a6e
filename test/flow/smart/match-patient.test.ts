import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../src/kernel/index.ts';
import { startEhr, type DemoEhr } from '../../../sandbox/index.ts';
import { eventually } from '../../support/eventually.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

const MRN_SYSTEM = 'urn:example:mrn';
let ehr: DemoEhr;
let rig: SmartRig;
let all: SmartRig;

const patient = (id: string, family: string, given: string[], birthDate: string, gender: string) => ({
  resourceType: 'Patient',
  id,
  identifier: [
    { system: MRN_SYSTEM, value: `mrn-${id}` },
    { system: 'urn:ssn', value: `ssn-${id}` },
  ],
  name: [{ use: 'official', family, given }],
  birthDate,
  gender,
});
const ANA = { family: 'Doe', given: ['Ana', 'Maria'] };

/** All but `eve` are linked. */
beforeAll(async () => {
  ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  ehr.put(patient('ana', 'Doe', ['Ana', 'Maria'], '1970-05-12', 'female'));
  ehr.put(patient('twin-1', 'Twin', ['Tom'], '1985-01-01', 'male'));
  ehr.put(patient('twin-2', 'Twin', ['Tom'], '1985-01-01', 'male'));
  ehr.put(patient('eve', 'Roe', ['Eve'], '1990-02-03', 'female'));
  rig = await startSmart(ehr.url, { capability: 'probed' });
  for (const id of ['ana', 'twin-1', 'twin-2']) await rig.link(`mrn-${id}`);
  await rig.refresh();
  all = await startSmart(ehr.url, { capability: 'probed', patients: 'all' });
});
afterAll(async () => {
  await rig.stop();
  await all.stop();
  await ehr.stop();
});

interface Answered {
  readonly status: number;
  readonly body: {
    readonly total?: number;
    readonly entry?: readonly { readonly resource: { readonly id: string }; readonly search: unknown }[];
  };
}
async function match(resource: object, on = rig, token = on.token(aGrant('user/Patient.rs'))): Promise<Answered> {
  const answer = await on.post('/fhir/Patient/$match', token, JSON.stringify(resource));
  return { status: answer.status, body: (await answer.json()) as Answered['body'] };
}
const parameters = (resource: object, ...more: object[]) => ({
  resourceType: 'Parameters',
  parameter: [{ name: 'resource', resource }, ...more],
});
const found = async (of: object, on = rig): Promise<string[]> =>
  ((await match(parameters({ resourceType: 'Patient', ...of }), on)).body.entry ?? []).map(
    ({ resource }) => resource.id,
  );
const ssn = (id: string) => [{ system: 'urn:ssn', value: `ssn-${id}` }];

describe.each<['linked' | 'all', () => SmartRig]>([
  ['linked', () => rig],
  ['all', () => all],
])('$match among %s patients', (mode, on) => {
  test.each<[string, object, string[]]>([
    ['an identifier', { identifier: ssn('ana') }, ['ana']],
    ['an identifier, and a birth date that fits', { identifier: ssn('ana'), birthDate: '1970-05-12' }, ['ana']],
    ['an identifier, and a birth date that does not', { identifier: ssn('ana'), birthDate: '1970-05-13' }, []],
    ['an identifier, and the name of another', { identifier: ssn('ana'), name: [{ family: 'Roe' }] }, []],
    ['a number without its system', { identifier: [{ value: 'ssn-ana' }] }, []],
    ['an identifier of nobody', { identifier: ssn('nobody') }, []],
    ['a whole name, birth date and gender', { name: [ANA], birthDate: '1970-05-12', gender: 'female' }, ['ana']],
    [
      'a name without its second given name',
      { name: [{ ...ANA, given: ['Ana'] }], birthDate: '1970-05-12', gender: 'female' },
      [],
    ],
    ['a name in other letters', { name: [{ ...ANA, family: 'doe' }], birthDate: '1970-05-12', gender: 'female' }, []],
    ['a name and a birth date without gender', { name: [ANA], birthDate: '1970-05-12' }, []],
    ['a year', { name: [ANA], birthDate: '1970', gender: 'female' }, []],
    [
      'what fits, and an identifier that does not',
      { name: [ANA], birthDate: '1970-05-12', gender: 'female', identifier: ssn('eve') },
      [],
    ],
    [
      'what two people are',
      { name: [{ family: 'Twin', given: ['Tom'] }], birthDate: '1985-01-01', gender: 'male' },
      [],
    ],
    ['one of two by an identifier', { identifier: ssn('twin-2') }, ['twin-2']],
    ['nothing', {}, []],
  ])('%s', async (_name, of, expected) => {
    expect(await found(of, on())).toEqual(expected);
  });

  test('one without a link', async () => {
    expect(await found({ identifier: ssn('eve') }, on())).toEqual(mode === 'all' ? ['eve'] : []);
  });
});

describe('$match', () => {
  test('answers a searchset that says how certain it is, and is in the audit', async () => {
    const only = { name: 'onlyCertainMatches', valueBoolean: true };
    const of = { resourceType: 'Patient', identifier: ssn('ana') };
    const { status, body } = await match(parameters(of, only, { name: 'count', valueInteger: 3 }));
    expect([status, body]).toEqual([
      200,
      {
        resourceType: 'Bundle',
        type: 'searchset',
        total: 1,
        entry: [
          {
            fullUrl: `${rig.base}/Patient/ana`,
            resource: expect.objectContaining({ id: 'ana' }),
            search: {
              extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/match-grade', valueCode: 'certain' }],
              mode: 'match',
              score: 1,
            },
          },
        ],
      },
    ]);
    expect((await match(of)).body.total).toBe(1);
    expect((await rig.audits()).at(-1)).toMatchObject({
      type: 'fhir.search',
      interaction: 'operation',
      why: 'match',
      count: 1,
    });
  });

  test.each<[string, object]>([
    ['a resource of another type', parameters({ resourceType: 'Practitioner' })],
    ['no resource', { resourceType: 'Parameters', parameter: [] }],
    ['a parameter that nobody knows', parameters({ resourceType: 'Patient' }, { name: 'x', valueString: 'y' })],
    ['a count of nothing', parameters({ resourceType: 'Patient' }, { name: 'count', valueInteger: 0 })],
    ['a text for a boolean', parameters({ resourceType: 'Patient' }, { name: 'onlyCertainMatches', valueString: 'y' })],
  ])('refuses %s', async (_name, body) => {
    expect((await match(body)).status).toBe(400);
  });

  test('needs a scope to search patients, and shows a token of one patient no other', async () => {
    const of = parameters({ resourceType: 'Patient', identifier: ssn('ana') });
    const tokenOf = (scope: string, id?: string) => rig.token(aGrant(scope, id === undefined ? {} : { patient: id }));
    expect((await match(of, rig, tokenOf('user/Patient.r'))).status).toBe(403);
    expect((await match(of, rig, tokenOf('patient/Patient.rs', 'ana'))).body.total).toBe(1);
    expect((await match(of, rig, tokenOf('patient/Patient.rs', 'twin-1'))).body.total).toBe(0);
  });

  test('says nothing that the EHR does not say any more', async () => {
    ehr.put(patient('twin-1', 'Twin', ['Tim'], '1985-01-01', 'male'));
    const tom = { name: [{ family: 'Twin', given: ['Tom'] }], birthDate: '1985-01-01', gender: 'male' };
    expect(await found({ ...tom, identifier: ssn('twin-1') })).toEqual(['twin-1']);
    // What the EHR said of him just now is written once the answer has gone.
    const isFound = (one: readonly string[]): boolean => one.length > 0;
    expect(await eventually(() => found(tom), isFound)).toEqual(['twin-2']);
  });
});
