import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../src/kernel/index.ts';
import { startEhr, type DemoEhr } from '../../../sandbox/index.ts';
import { startNarrowEhr } from '../../support/narrow-ehr.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

/** An EHR that searches by little: conditions that it does not know hold all the same, or are refused by their name. */
const MRN_SYSTEM = 'urn:example:mrn';
let ehr: DemoEhr;
let narrow: Awaited<ReturnType<typeof startNarrowEhr>>;
let rig: SmartRig;

beforeAll(async () => {
  ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  for (const [id, family, gender] of [
    ['ana', 'Smith', 'female'],
    ['ben', 'Smithson', 'male'],
  ] as const)
    ehr.put({
      resourceType: 'Patient',
      id,
      identifier: [{ system: MRN_SYSTEM, value: `mrn-${id}` }],
      name: [{ family }],
      gender,
      address: [{ city: 'Paris' }],
    });
  for (const [id, code] of [
    ['1', 'x'],
    ['2', 'y'],
  ] as const)
    ehr.put({
      resourceType: 'Observation',
      id,
      status: 'final',
      code: { coding: [{ system: 'urn:codes', code }] },
      subject: { reference: 'Patient/ana' },
      effectiveDateTime: '2026-01-01T00:00:00Z',
    });
  narrow = await startNarrowEhr({ Patient: ['address-city', 'name', 'family', 'gender'], Observation: ['combo-code'] });
  rig = await startSmart(narrow.before(ehr.url), { capability: 'probed' });
  for (const id of ['ana', 'ben']) await rig.link(`mrn-${id}`);
  await rig.refresh();
});
afterAll(async () => {
  await rig.stop();
  await narrow.stop();
  await ehr.stop();
});

const ask = async (path: string, grant = aGrant('user/*.rs')) => {
  narrow.asked.length = 0;
  const answer = await rig.get(`/fhir/${path}`, rig.token(grant));
  const body = (await answer.json()) as {
    readonly total?: number;
    readonly entry?: readonly { readonly resource: { readonly id: string } }[];
    readonly issue?: readonly { readonly expression?: readonly string[] }[];
  };
  return { status: answer.status, body, ids: (body.entry ?? []).map(({ resource }) => resource.id) };
};

test('the index refuses a condition that it cannot look at, whether the EHR knows it or not', async () => {
  const { status, body } = await ask('Patient?name=smi&address-city=Rome&_count=1&_sort=-_id');
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('address-city')]);
  expect((await ask('Patient?name=smi&_count=1&_sort=-_id')).body.total).toBe(2);
});

test.each([
  ['identifier=urn:example:mrn%7Cmrn-ana&name=smi', ['ana']],
  ['identifier=urn:example:mrn%7Cmrn-ana&name=other', []],
  ['identifier=urn:example:mrn%7Cmrn-ana,urn:example:mrn%7Cmrn-ben&gender=male', ['ben']],
  ['_id=ana&family=smith', ['ana']],
  ['_id=ana&family=other', []],
])('Patient?%s: what the EHR lacks is looked at here, and not held against it', async (query, expected) => {
  const { status, ids } = await ask(`Patient?${query}`);
  expect([status, ids]).toEqual([200, expected]);
  expect(narrow.asked.filter((one) => /[?&](name|family|gender)=/.test(one))).toEqual([]);
  expect(rig.smart.unmetConditions()).toEqual({});
});

test('$lastn takes a code by what the EHR lacks, and has no operation of the EHR cut it first', async () => {
  const { status, ids } = await ask('Observation/$lastn?patient=ana&combo-code=y');
  expect([status, ids]).toEqual([200, ['2']]);
  expect(narrow.asked.filter((one) => one.includes('$lastn'))).toEqual([]);
});
