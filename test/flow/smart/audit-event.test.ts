import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../src/kernel/index.ts';
import { loadValidator } from '../../../src/r4/index.ts';
import { startEhr, type DemoEhr } from '../../../sandbox/index.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

const MRN = 'urn:example:mrn';

let ehr: DemoEhr;
let rig: SmartRig;
let auditor: string;
let app: string;

interface Event {
  readonly id: string;
  readonly type: { readonly code: string };
  readonly subtype: readonly { readonly system: string; readonly code: string }[];
  readonly outcome: string;
  readonly entity: readonly {
    readonly type: { readonly code: string };
    readonly what?: { readonly reference?: string };
  }[];
}
interface Bundle {
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly { readonly fullUrl: string; readonly resource: Event }[];
}

const bundle = async (path: string, token = auditor): Promise<Bundle> => {
  const answer = await rig.get(path, token);
  expect([path, answer.status]).toEqual([path, 200]);
  return (await answer.json()) as Bundle;
};
const events = async (query: string): Promise<readonly Event[]> =>
  ((await bundle(`/fhir/AuditEvent?_count=200&${query}`)).entry ?? []).map(({ resource }) => resource);
const kinds = (list: readonly Event[]): string[] =>
  [
    ...new Set(
      list.flatMap(({ subtype }) =>
        subtype.filter(({ system }) => system === 'urn:chartgate:audit-type').map(({ code }) => code),
      ),
    ),
  ].sort();
const patientsOf = (list: readonly Event[]): string[] =>
  [
    ...new Set(
      list.flatMap(({ entity }) =>
        entity.flatMap(({ type, what }) => (type.code === '1' ? [what?.reference ?? ''] : [])),
      ),
    ),
  ].sort();

beforeAll(async () => {
  ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  for (const id of ['a', 'b']) {
    ehr.put({ resourceType: 'Patient', id, active: true, identifier: [{ system: MRN, value: `mrn-${id}` }] });
    ehr.put({
      resourceType: 'Observation',
      id: `obs-${id}`,
      status: 'final',
      code: { text: 'x' },
      subject: { reference: `Patient/${id}` },
    });
  }
  rig = await startSmart(ehr.url, { capability: 'probed' });
  await rig.link('mrn-a');
  await rig.link('mrn-b');
  app = rig.token(aGrant('user/*.rs', { clientId: 'reader' }));
  auditor = rig.token(aGrant('system/AuditEvent.rs', { clientId: 'auditor', subject: 'auditor' }));
  for (const id of ['a', 'b']) {
    await rig.get(`/fhir/Observation/obs-${id}`, app);
    await rig.get(`/fhir/Observation?patient=${id}`, app);
  }
  await rig.get('/fhir/Observation/none', app);
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});

test('who saw a patient, as valid AuditEvents, and that it was asked is there too', async () => {
  const of = await events('patient=a&agent=reader');
  expect(kinds(of)).toEqual(['fhir.read', 'fhir.search']);
  expect(patientsOf(of)).toEqual(['Patient/a']);
  const validator = loadValidator();
  for (const one of of) expect(validator.validate(one)).toEqual([]);
  expect(patientsOf(await events('patient=Patient/a'))).toEqual(['Patient/a']);
  expect((await events('patient=a&agent:identifier=urn:chartgate:client|auditor')).length).toBeGreaterThan(0);
  expect(await events(`patient:identifier=${MRN}|mrn-nobody`)).toEqual([]);
});

test('each parameter narrows, and they narrow together', async () => {
  expect(kinds(await events('subtype=urn:chartgate:audit-type|fhir.read&agent=reader'))).toEqual(['fhir.read']);
  expect(kinds(await events('type=rest&agent=reader'))).toEqual(['fhir.read', 'fhir.search']);
  expect(kinds(await events('type=110113'))).not.toContain('fhir.read');
  expect(await events('type=rest&subtype=process')).toEqual([]);
  expect((await events('outcome=4&agent=reader')).map(({ outcome }) => outcome)).toEqual(['4']);
  const unlike = (await events('outcome:not=0')).map(({ outcome }) => outcome);
  expect(unlike).toContain('4');
  expect(unlike).not.toContain('0');
  const persons = await events('entity-type=1&agent=reader');
  expect(patientsOf(persons)).toEqual(['Patient/a', 'Patient/b']);
  expect(persons.every(({ entity }) => entity.some(({ type }) => type.code === '1'))).toBe(true);
  expect(
    (await events('entity-type=http://terminology.hl7.org/CodeSystem/audit-entity-type|1&patient=a')).length,
  ).toBeGreaterThan(0);
  expect(await events('entity-type=urn:other|1')).toEqual([]);
  const day = systemClock.now().toISOString().slice(0, 10);
  expect((await events(`date=ge${day}&agent=reader`)).length).toBe(5);
  expect(await events(`date=lt2020-01-01`)).toEqual([]);
  expect(await events(`date=gt${day}T00:00:00Z&date=lt${day}T00:00:00Z`)).toEqual([]);
});

test.each([0, 1])('pages by a cursor that belongs to its token, each event once (entity-type %i)', async (filtered) => {
  const seen: string[] = [];
  let next: string | undefined = `/fhir/AuditEvent?agent=reader&_count=2${filtered === 1 ? '&entity-type=2' : ''}`;
  while (next !== undefined) {
    const page: Bundle = await bundle(next);
    seen.push(...(page.entry ?? []).map(({ resource }) => resource.id));
    next = page.link.find(({ relation }) => relation === 'next')?.url.replace(rig.url, '');
    if (next !== undefined) {
      const other = rig.token(aGrant('system/AuditEvent.rs', { clientId: 'other' }));
      expect((await rig.get(next, other)).status).toBe(400);
      expect((await rig.get(`${next}&agent=x`, auditor)).status).toBe(400);
      expect((await rig.get(next.replace('AuditEvent', 'Observation'), auditor)).status).not.toBe(200);
    }
  }
  expect(seen.length).toBe(5);
  expect(new Set(seen).size).toBe(5);
});

test('an event is read by its id, and by no other', async () => {
  const [one] = await events('patient=a&agent=reader');
  const answer = await rig.get(`/fhir/AuditEvent/${one?.id ?? ''}`, auditor);
  expect([answer.status, await answer.json()]).toEqual([200, one]);
  for (const id of ['nonsense', `${one?.id ?? ''}9`, 'ins-1-1'])
    expect((await rig.get(`/fhir/AuditEvent/${id}`, auditor)).status).toBe(404);
  expect((await rig.get(`/fhir/AuditEvent/${one?.id ?? ''}?_elements=type`, auditor)).status).toBe(400);
});

test('a search may come as a form', async () => {
  const answer = await fetch(`${rig.base}/AuditEvent/_search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${auditor}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'patient=a&agent=reader',
  });
  expect([answer.status, ((await answer.json()) as Bundle).total]).toEqual([200, 2]);
});

test('the EHR is not asked, and its address is not told', async () => {
  const whole = JSON.stringify(await bundle('/fhir/AuditEvent?_count=200'));
  expect(whole).not.toContain(new URL(ehr.url).port);
  expect(whole).toContain('fhir.read');
});

describe('nobody else', () => {
  test.each([
    ['user/*.rs', {}],
    ['system/*.rs', {}],
    ['patient/*.rs', { patient: 'a' }],
    ['patient/AuditEvent.rs', { patient: 'a' }],
    ['user/AuditEvent.rs?type=rest', {}],
    ['user/Observation.rs', {}],
  ])('%s shows nothing of it', async (scope, more) => {
    const token = rig.token(aGrant(scope, more));
    const [one] = await events('patient=a&agent=reader');
    for (const path of ['AuditEvent', 'AuditEvent?patient=a', `AuditEvent/${one?.id ?? ''}`])
      expect([path, (await rig.get(`/fhir/${path}`, token)).status]).toEqual([path, 403]);
  });

  test.each([
    ['r', 403, 200],
    ['s', 200, 403],
  ])('the letter %s allows its own interaction', async (letter, search, read) => {
    const token = rig.token(aGrant(`user/AuditEvent.${letter}`));
    const [one] = await events('patient=a&agent=reader');
    expect((await rig.get('/fhir/AuditEvent', token)).status).toBe(search);
    expect((await rig.get(`/fhir/AuditEvent/${one?.id ?? ''}`, token)).status).toBe(read);
  });
});

test.each([
  'nonsense=1',
  'patient=Group/1',
  'patient=a&patient=b',
  'patient:identifier=mrn-a',
  'patient.name=x',
  '_has:Provenance:target:agent=x',
  '_include=AuditEvent:patient',
  'date=yesterday',
  'date=sa2026-01-01',
  'outcome=5',
  'outcome=0&outcome:not=0',
  'agent=urn:other|x',
  '_count=0',
  '_sort=date',
  '__proto__=1',
])('what is not served is refused and never left out: %s', async (query) => {
  expect((await rig.get(`/fhir/AuditEvent?${query}`, auditor)).status).toBe(400);
});

test('without a record of it nothing is shown', async () => {
  const [one] = await events('patient=a&agent=reader');
  rig.failAudit('fails');
  try {
    for (const path of ['AuditEvent', 'AuditEvent?patient=a', `AuditEvent/${one?.id ?? ''}`, 'AuditEvent/none']) {
      const answer = await rig.get(`/fhir/${path}`, auditor);
      expect([path, answer.status, (await answer.text()).includes('Patient/a')]).toEqual([path, 503, false]);
    }
  } finally {
    rig.failAudit('writes');
  }
});

test('metadata names it', async () => {
  const statement = (await (await fetch(`${rig.base}/metadata`)).json()) as {
    rest: { resource: { type: string; interaction: { code: string }[]; searchParam: { name: string }[] }[] }[];
  };
  const found = statement.rest[0]?.resource.find(({ type }) => type === 'AuditEvent');
  expect(found?.interaction.map(({ code }) => code)).toEqual(['read', 'search-type']);
  expect(found?.searchParam.map(({ name }) => name)).toEqual([
    'agent',
    'date',
    'entity-type',
    'outcome',
    'patient',
    'subtype',
    'type',
  ]);
});
