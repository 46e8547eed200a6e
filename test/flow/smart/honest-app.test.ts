import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../src/kernel/index.ts';
import { startEhr, type DemoEhr, type Resource } from '../../../sandbox/index.ts';
import { aGrant, ORIGIN, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

const CATEGORY = 'http://terminology.hl7.org/CodeSystem/observation-category';
const LOINC = 'http://loinc.org';

let ehr: DemoEhr;
let rig: SmartRig;
let token: string;

interface Bundle {
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly { readonly resource: Resource & { id: string } }[];
}
const subject = { reference: 'Patient/a' };

beforeAll(async () => {
  ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  ehr.put({ resourceType: 'Patient', id: 'a', identifier: [{ system: 'urn:example:mrn', value: 'mrn-a' }] });
  const days = ['2026-01-01', '2026-02-01', '2026-03-01'];
  for (const [n, day] of days.entries())
    ehr.put({
      resourceType: 'Observation',
      id: `o${n}`,
      status: 'final',
      category: [{ coding: [{ system: CATEGORY, code: n === 2 ? 'laboratory' : 'vital-signs' }] }],
      code: { coding: [{ system: LOINC, code: n === 0 ? '8867-4' : '2708-6' }] },
      effectiveDateTime: `${day}T12:00:00+01:00`,
      subject,
    });
  ehr.put({ resourceType: 'Medication', id: 'med', code: { text: 'x' } });
  ehr.put({
    resourceType: 'MedicationRequest',
    id: 'rx',
    status: 'active',
    intent: 'order',
    authoredOn: '2026-01-01',
    medicationReference: { reference: 'Medication/med' },
    subject,
  });
  ehr.put({
    resourceType: 'Encounter',
    id: 'enc',
    status: 'finished',
    class: { code: 'AMB' },
    subject,
    period: { start: '2026-01-01' },
  });
  ehr.put({
    resourceType: 'DocumentReference',
    id: 'doc',
    status: 'current',
    type: { coding: [{ system: LOINC, code: '34133-9' }] },
    date: '2026-01-01T00:00:00Z',
    content: [{ attachment: { contentType: 'text/plain', data: 'eA==' } }],
    subject,
  });
  for (const target of [
    'Observation/o0',
    'MedicationRequest/rx',
    'Encounter/enc',
    'DocumentReference/doc',
    'Patient/a',
  ])
    ehr.put({
      resourceType: 'Provenance',
      id: `p-${target.split('/')[1] ?? ''}`,
      recorded: '2026-01-02T03:04:05Z',
      target: [{ reference: target }],
      agent: [{ who: { display: 'x' } }],
    });
  rig = await startSmart(ehr.url, { capability: 'probed' });
  await rig.link('mrn-a');
  token = rig.token(aGrant('patient/*.rs', { patient: 'a' }));
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});

const names = ({ entry = [] }: Bundle): string[] =>
  entry.map(({ resource: { resourceType, id } }) => `${resourceType}/${id}`).sort();
async function search(path: string, headers: Record<string, string> = {}): Promise<[number, Bundle]> {
  const answer = await rig.get(`/fhir/${path}`, token, headers);
  return [answer.status, (await answer.json()) as Bundle];
}

test.each<[string, readonly string[]]>([
  ['Observation?patient=a&category=laboratory', ['Observation/o2']],
  [`Observation?patient=Patient/a&category=${CATEGORY}|vital-signs&date=ge2026-01-15`, ['Observation/o1']],
  [
    `Observation?patient=a&code=${LOINC}|8867-4,${LOINC}|2708-6`,
    ['Observation/o0', 'Observation/o1', 'Observation/o2'],
  ],
  ['Observation?patient=a&date=gt2026-01-15&date=lt2026-02-15', ['Observation/o1']],
  ['Observation?patient=a&date=le2026-01-01T12:00:00%2B01:00', ['Observation/o0']],
  ['Observation?patient=a&date=le2026-01-01T12:00:00+01:00', ['Observation/o0']],
  ['Observation?patient=a&date=le2026-01-01T11:00:00Z', ['Observation/o0']],
  ['Observation?patient=a&_lastUpdated=gt2020-01-01&code=8867-4', ['Observation/o0']],
  ['Observation?patient=a&code=8867-4&_revinclude=Provenance:target', ['Observation/o0', 'Provenance/p-o0']],
  ['Patient?_id=a&_revinclude=Provenance:target', ['Patient/a', 'Provenance/p-a']],
  ['Encounter?patient=a&_revinclude=Provenance:target', ['Encounter/enc', 'Provenance/p-enc']],
  ['DocumentReference?patient=a&_revinclude=Provenance:target', ['DocumentReference/doc', 'Provenance/p-doc']],
  [`DocumentReference?patient=a&type=${LOINC}|34133-9`, ['DocumentReference/doc']],
  [
    'MedicationRequest?patient=a&intent=order&_include=MedicationRequest:medication&_revinclude=Provenance:target',
    ['Medication/med', 'MedicationRequest/rx', 'Provenance/p-rx'],
  ],
  ['Medication?_id=med', ['Medication/med']],
])('%s', async (path, expected) => {
  const [status, bundle] = await search(path);
  expect([status, names(bundle)]).toEqual([200, expected]);
  const [url = '', query = ''] = path.split('?');
  const posted = await fetch(`${rig.base}/${url}/_search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
    body: query,
  });
  expect(names((await posted.json()) as Bundle)).toEqual(expected);
});

test.each([
  'Observation?date=yesterday',
  'Observation?date=ge2026-1-1',
  'Observation?_lastUpdated=x',
  'Observation?code:missing=maybe',
  'Observation?code=a|b|c',
  'Observation?_count=1&_count=2',
  'Observation?_count=-1',
  'Observation?_sort=date&_sort=-date',
  'Observation?_id=a%2Fb',
  'Observation?__proto__=x',
  'Observation?code=%FF',
  'Observation?code=a%00b',
])('%s is the app\u2019s mistake and is called so', async (path) => {
  expect((await search(path))[0]).toBe(400);
});

test.each(['constructor', 'toString', 'hasOwnProperty'])(
  'a parameter called %s is one that nobody knows',
  async (name) => {
    expect((await search(`Observation?${name}=x&code=8867-4`))[1].total).toBe(1);
    expect((await search(`Observation?${name}=x`, { prefer: 'handling=strict' }))[0]).toBe(400);
    expect((await rig.get(`/fhir/${name}/1`, token)).status).toBe(404);
  },
);

test('the self link says what was done', async () => {
  const self = async (path: string) => (await search(path))[1].link[0]?.url.slice(rig.base.length);
  expect(await self('Observation?patient=a&_count=500&nonsense=1&_summary=true')).toBe(
    '/Observation?patient=a&_count=200&_summary=true',
  );
  const narrow = rig.token(aGrant('patient/Observation.rs', { patient: 'a' }));
  const answer = await rig.get(
    '/fhir/Observation?patient=a&_include=Observation:performer&_revinclude=Provenance:target',
    narrow,
  );
  expect(((await answer.json()) as Bundle).link[0]?.url).toBe(`${rig.base}/Observation?patient=a`);
});

test('the format may stand in the body of a search', async () => {
  const post = async (body: string, type = 'application/x-www-form-urlencoded') =>
    (
      await fetch(`${rig.base}/Observation/_search`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': type },
        body,
      })
    ).status;
  expect(await post('_format=json')).toBe(200);
  expect(await post('_format=xml')).toBe(406);
  expect(await post('code=x', 'application/x-www-form-urlencoded; charset=utf-16')).toBe(415);
  expect(await post('code=x', 'application/json')).toBe(415);
});

test('a browser may send what apps send, and hear what they need', async () => {
  const preflight = await fetch(`${rig.base}/Observation`, { method: 'OPTIONS', headers: { origin: ORIGIN } });
  const allowed = (preflight.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(', ');
  expect(allowed).toEqual(
    expect.arrayContaining(['authorization', 'content-type', 'if-none-match', 'if-modified-since', 'prefer']),
  );
});

test('a condition on the date of change is answered in full', async () => {
  const answer = await rig.get('/fhir/Observation/o0', token, { 'if-modified-since': 'Wed, 01 Jan 2031 00:00:00 GMT' });
  expect(answer.status).toBe(200);
});

test.each([
  ['Observation?_filter=x', 400, 'read.parameter'],
  ['Observation?_cursor=AAAA', 400, 'read.cursor'],
  ['Observation/b%2Fc', 404, null],
  ['Task/1', 404, 'read.not-found'],
  ['Patient/a/$everything?start=yesterday', 400, 'read.parameter'],
  ['Encounter/a-enc/Observation', 404, 'read.not-found'],
])('%s is in the audit, though nothing was asked of the EHR', async (path, status, why) => {
  const before = (await rig.audits()).length;
  expect((await rig.get(`/fhir/${path}`, token)).status).toBe(status);
  const added = (await rig.audits()).slice(before);
  if (why === null) expect(added).toEqual([]);
  else expect(added).toEqual([expect.objectContaining({ type: 'fhir.deny', outcome: '4', why })]);
});

test('so is an answer without a body', async () => {
  const etag = (await rig.get('/fhir/Observation/o0', token)).headers.get('etag') ?? '';
  const before = (await rig.audits()).length;
  expect((await rig.get('/fhir/Observation/o0', token, { 'if-none-match': etag })).status).toBe(304);
  const head = await fetch(`${rig.base}/Observation/o0`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${token}` },
  });
  expect(head.status).toBe(200);
  expect((await rig.audits()).slice(before).map(({ type, outcome }) => [type, outcome])).toEqual([
    ['fhir.read', '0'],
    ['fhir.read', '0'],
  ]);
});
