import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../src/kernel/index.ts';
import { startEhr, type DemoEhr, type Resource } from '../../../sandbox/index.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

/** Compartments, `$lastn` and `$docref` in front of the demo EHR: searches by a patient in other words. */
const MRN_SYSTEM = 'urn:example:mrn';
const LOINC = 'http://loinc.org';
let ehr: DemoEhr;
let rig: SmartRig;

interface Entry {
  readonly resource: Resource & { id: string };
  readonly search: { readonly mode: string };
}
interface Bundle {
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly Entry[];
}

const observation = (id: string, patient: string, code: string, day: string, more: object = {}) => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  category: [{ coding: [{ code: 'vital-signs' }] }],
  code: { coding: [{ system: LOINC, code }] },
  subject: { reference: `Patient/${patient}` },
  effectiveDateTime: `2026-01-${day}T08:00:00Z`,
  ...more,
});
const document = (id: string, patient: string, code: string, day: string, more: object = {}) => ({
  resourceType: 'DocumentReference',
  id,
  status: 'current',
  type: { coding: [{ system: LOINC, code }] },
  subject: { reference: `Patient/${patient}` },
  date: `2026-01-${day}T08:00:00Z`,
  context: { period: { start: `2026-01-${day}`, end: `2026-01-${day}` } },
  content: [{ attachment: { contentType: 'text/plain', data: 'eA==' } }],
  ...more,
});

beforeAll(async () => {
  ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  for (const id of ['a', 'b', 'c'])
    ehr.put({ resourceType: 'Patient', id, active: true, identifier: [{ system: MRN_SYSTEM, value: `mrn-${id}` }] });
  const both = {
    code: {
      coding: [
        { system: LOINC, code: '29463-7' },
        { system: 'urn:local', code: 'weight' },
      ],
    },
  };
  for (const one of [
    observation('hr-1', 'a', '8867-4', '01'),
    observation('hr-3', 'a', '8867-4', '03'),
    observation('hr-2', 'a', '8867-4', '02'),
    observation('hr-tie', 'a', '8867-4', '03'),
    observation('hr-wrong', 'a', '8867-4', '09', { status: 'entered-in-error' }),
    observation('w-1', 'a', '29463-7', '01'),
    observation('w-2', 'a', '29463-7', '02', both),
    observation('w-3', 'a', '', '03', { code: { coding: [{ system: 'urn:local', code: 'weight' }] } }),
    observation('b-hr', 'b', '8867-4', '08'),
    observation('c-hr', 'c', '8867-4', '08'),
    document('ccd-old', 'a', '34133-9', '01'),
    document('ccd', 'a', '34133-9', '05'),
    document('ccd-replaced', 'a', '34133-9', '07', { status: 'superseded' }),
    document('note', 'a', '11506-3', '03'),
    document('b-ccd', 'b', '34133-9', '06'),
  ])
    ehr.put(one);
  rig = await startSmart(ehr.url, { capability: 'probed' });
  await rig.link('mrn-a');
  await rig.link('mrn-b');
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});

const patientA = (scope = 'patient/*.rs') => rig.token(aGrant(scope, { patient: 'a' }));
const clinician = (scope = 'user/*.rs') => rig.token(aGrant(scope));
const find = async (path: string, token = patientA()): Promise<[number, string[]]> => {
  const answer = await rig.get(`/fhir/${path}`, token);
  return [answer.status, idsOf((await answer.json()) as Bundle)];
};
const idsOf = ({ entry = [] }: Bundle): string[] => entry.map(({ resource }) => resource.id);

describe('a compartment', () => {
  test('is a search by its patient, by GET and by POST, with its own parameters', async () => {
    const [status, ids] = await find('Patient/a/Observation?code=8867-4&_sort=-date&_count=2');
    expect([status, ids.length]).toEqual([200, 2]);
    const posted = await rig.post('/fhir/Patient/a/Observation/_search', patientA(), 'date=ge2026-01-03&code=8867-4', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    const bundle = (await posted.json()) as Bundle;
    expect([posted.status, idsOf(bundle).sort()]).toEqual([200, ['hr-3', 'hr-tie', 'hr-wrong']]);
    expect(bundle.link[0]?.url).toBe(`${rig.base}/Observation?patient=a&date=ge2026-01-03&code=8867-4`);
  });

  test('is decided by the scope of what is searched, not by that of Patient', async () => {
    expect((await find('Patient/a/Observation', patientA('patient/Patient.rs')))[0]).toBe(403);
    expect((await find('Patient/a/Observation', patientA('patient/Observation.s')))[0]).toBe(200);
  });

  test('of somebody else is as empty as that of nobody', async () => {
    expect((await find('Patient/b/Observation'))[0]).toBe(403);
    expect(await find('Patient/c/Observation', clinician())).toEqual([200, []]);
    expect(await find('Patient/nobody/Observation', clinician())).toEqual([200, []]);
    expect(await find('Patient/b/Observation', clinician())).toEqual([200, ['b-hr']]);
  });

  test.each(['Patient/a/*', 'Patient/a/Practitioner', 'Patient/a/Patient', 'Patient/a/Task', 'Patient/a/observation'])(
    '%s is not there',
    async (path) => {
      expect((await rig.get(`/fhir/${path}`, patientA())).status).toBe(404);
    },
  );

  test('that names another patient as well is refused', async () => {
    expect((await rig.get('/fhir/Patient/a/Observation?patient=b', clinician())).status).toBe(400);
  });

  test('is in the audit as a search of what it is about', async () => {
    await find('Patient/a/Condition?_has:x=1');
    expect((await rig.audits()).at(-1)).toMatchObject({
      type: 'fhir.deny',
      interaction: 'search-type',
      resourceType: 'Condition',
    });
    await find('Patient/a/Condition');
    expect((await rig.audits()).at(-1)).toMatchObject({
      type: 'fhir.search',
      interaction: 'search-type',
      resourceType: 'Condition',
      outcome: '0',
    });
  });
});

describe('$lastn', () => {
  test('shows of each thing the latest, those that tie for it too, and nothing entered in error', async () => {
    expect(await find('Observation/$lastn?patient=a&category=vital-signs')).toEqual([200, ['hr-3', 'hr-tie', 'w-3']]);
  });

  test('shows as many as are asked for, newest first, joined by any code that they share', async () => {
    expect(await find('Observation/$lastn?patient=Patient/a&category=vital-signs&max=3')).toEqual([
      200,
      ['hr-3', 'hr-tie', 'hr-2', 'w-3', 'w-2', 'w-1'],
    ]);
    expect(await find(`Observation/$lastn?patient=a&code=${LOINC}|8867-4&max=1`)).toEqual([200, ['hr-3', 'hr-tie']]);
  });

  test('takes our patient where none is named, and the subject', async () => {
    expect((await find('Observation/$lastn?code=8867-4'))[1]).toEqual(['hr-3', 'hr-tie']);
    expect((await find('Observation/$lastn?code=8867-4', clinician()))[0]).toBe(400);
    expect((await find('Observation/$lastn?subject=Patient/b&code=8867-4', clinician()))[1]).toEqual(['b-hr']);
    expect(await find('Observation/$lastn?patient=c&code=8867-4', clinician())).toEqual([200, []]);
    expect((await find('Observation/$lastn?patient=b&code=8867-4'))[0]).toBe(403);
  });

  test('takes Parameters by POST', async () => {
    const answer = await rig.post(
      '/fhir/Observation/$lastn',
      patientA(),
      JSON.stringify({
        resourceType: 'Parameters',
        parameter: [
          { name: 'patient', valueId: 'a' },
          { name: 'code', valueCoding: { system: LOINC, code: '8867-4' } },
          { name: 'max', valuePositiveInt: 3 },
        ],
      }),
    );
    expect([answer.status, idsOf((await answer.json()) as Bundle)]).toEqual([200, ['hr-3', 'hr-tie', 'hr-2']]);
  });

  test.each([
    ['patient=a', 'code'],
    ['patient=a&code=1&max=0', 'max'],
    ['patient=a&code=1&max=1&max=2', 'max'],
    ['patient=a&code=1&_count=5', '_count'],
    ['patient=a&code=1&_include=Observation:device', '_include'],
  ])('%s is refused by the name of %s', async (query, at) => {
    const answer = await rig.get(`/fhir/Observation/$lastn?${query}`, patientA());
    const outcome = (await answer.json()) as { issue: { expression?: string[] }[] };
    expect([answer.status, outcome.issue[0]?.expression]).toEqual([400, [at]]);
  });

  test('is in the audit with its question', async () => {
    await find('Observation/$lastn?patient=a&code=8867-4');
    expect((await rig.audits()).at(-1)).toMatchObject({
      type: 'fhir.search',
      interaction: 'operation',
      resourceType: 'Observation',
      outcome: '0',
      count: 2,
    });
    expect((await find('Observation/$lastn?patient=a&code=1', patientA('patient/Condition.rs')))[0]).toBe(403);
  });
});

describe('$docref', () => {
  test('shows of each type the current document', async () => {
    const [status, ids] = await find('DocumentReference/$docref?patient=a');
    expect([status, ids.sort()]).toEqual([200, ['ccd', 'note']]);
    expect(await find(`DocumentReference/$docref?patient=a&type=${LOINC}|34133-9`)).toEqual([200, ['ccd']]);
  });

  test('shows all of a range of days', async () => {
    expect((await find('DocumentReference/$docref?patient=a&start=2026-01-02'))[1].sort()).toEqual(['ccd', 'note']);
    expect((await find('DocumentReference/$docref?patient=a&end=2026-01-04'))[1].sort()).toEqual(['ccd-old', 'note']);
    expect((await find('DocumentReference/$docref?patient=a&start=2027'))[1]).toEqual([]);
  });

  test('says where documents on demand were asked for that nobody makes', async () => {
    const answer = await rig.get('/fhir/DocumentReference/$docref?patient=a&on-demand=true', patientA());
    const { entry = [] } = (await answer.json()) as Bundle;
    expect(entry.map(({ search }) => search.mode)).toEqual(['outcome']);
  });

  test('takes Parameters by POST', async () => {
    const answer = await rig.post(
      '/fhir/DocumentReference/$docref',
      patientA(),
      JSON.stringify({
        resourceType: 'Parameters',
        parameter: [
          { name: 'patient', valueId: 'a' },
          { name: 'type', valueCodeableConcept: { coding: [{ system: LOINC, code: '34133-9' }] } },
        ],
      }),
    );
    expect([answer.status, idsOf((await answer.json()) as Bundle)]).toEqual([200, ['ccd']]);
  });

  test('shows nothing of anybody else', async () => {
    expect((await find('DocumentReference/$docref?patient=b'))[0]).toBe(403);
    expect(await find('DocumentReference/$docref?patient=b', clinician())).toEqual([200, ['b-ccd']]);
    expect(await find('DocumentReference/$docref?patient=c', clinician())).toEqual([200, []]);
    expect((await find('DocumentReference/$docref', clinician()))[0]).toBe(400);
  });

  test.each(['patient=a&start=x', 'patient=a&end=2026-13', 'patient=a&on-demand=1', 'patient=a&x=1', 'patient=a,b'])(
    '%s is refused',
    async (query) => {
      expect((await find(`DocumentReference/$docref?${query}`))[0]).toBe(400);
    },
  );
});
