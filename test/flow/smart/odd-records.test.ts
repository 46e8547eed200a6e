import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startHostileEhr, type Asked, type HostileAnswer } from '../../support/smart/hostile-ehr.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';
import { stopAfterTest } from '../../support/stop-after-test.ts';

const MARKER = 'MarkerOfAnotherPatient';
let ehr: Awaited<ReturnType<typeof startHostileEhr>>;
let rig: SmartRig;
let token: string;

beforeAll(async () => {
  ehr = await startHostileEhr();
  rig = await startSmart(ehr.url, { patients: 'all', limits: { deadlineMs: 2_000 } });
  token = rig.token(aGrant('patient/*.rs', { patient: 'a' }));
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});
beforeEach(() => void rig.log.lines.splice(0));

const observation = (subject: unknown, more: object = {}): object => ({
  resourceType: 'Observation',
  id: '1',
  status: 'final',
  code: { text: MARKER },
  ...(subject === undefined ? {} : { subject }),
  ...more,
});
const bundle = (resources: readonly unknown[], more: object = {}): object => ({
  resourceType: 'Bundle',
  type: 'searchset',
  entry: resources.map((resource) => ({ resource, search: { mode: 'match' } })),
  ...more,
});
async function ask(
  path: string,
  headers: Record<string, string> = {},
  by = token,
): Promise<{ status: number; text: string }> {
  const answer = await rig.get(`/fhir/${path}`, by, headers);
  return { status: answer.status, text: await answer.text() };
}
/** An EHR that has this one resource, to be read and to be found. */
const holds =
  (resource: unknown) =>
  ({ method, url }: Asked): HostileAnswer => {
    const text = typeof resource === 'string' ? resource : JSON.stringify(resource);
    if (method !== 'GET')
      return { body: `{"resourceType":"Bundle","type":"searchset","entry":[{"resource":${text}}]}` };
    return url.startsWith('/ehr/Observation/1') ? { body: text } : { status: 404 };
  };

test.each<[string, unknown]>([
  ['nobody', undefined],
  ['null', null],
  ['an empty list', []],
  ['two patients', [{ reference: 'Patient/a' }, { reference: 'Patient/b' }]],
  ['a patient and a group', [{ reference: 'Patient/a' }, { reference: 'Group/g' }]],
  ['a patient and one who is known by a number', [{ reference: 'Patient/a' }, { identifier: { value: 'b' } }]],
  ['a number alone', { identifier: { system: 'urn:example:mrn', value: 'mrn-a' } }],
  ['a name alone', { display: 'a' }],
  ['a contained patient', { reference: '#a' }],
  ['a urn', { reference: 'urn:uuid:a' }],
  ['a patient of another server', { reference: 'https://other.example.org/ehr/Patient/a' }],
  ['a patient of a server that begins like ours', { reference: 'http://127.0.0.1/Patient/a' }],
  ['a search for a patient', { reference: 'Patient?identifier=a' }],
  ['a path', { reference: '/Patient/a' }],
  ['a path upwards', { reference: 'Patient/a/../b' }],
  ['a longer id', { reference: 'Patient/ab' }],
  ['an id in other letters', { reference: 'Patient/A' }],
  ['an id with a blank', { reference: 'Patient/a ' }],
  ['an id with a line end', { reference: 'Patient/a\n' }],
  ['a device', { reference: 'Device/a' }],
  ['another kind in other letters', { reference: 'patient/a' }],
])('a record about %s is nobody\u2019s', async (_, subject) => {
  ehr.answers(holds(observation(subject)));
  for (const [path, status] of [
    ['Observation/1', 404],
    ['Observation/1/_history/1', 404],
    ['Observation', 502],
  ] as const) {
    const answer = await ask(path);
    expect([path, answer.status, answer.text.includes(MARKER)]).toEqual([path, status, false]);
  }
});

test.each<[string, unknown]>([
  ['with its version', { reference: 'Patient/a/_history/3' }],
  ['twice', [{ reference: 'Patient/a' }, { reference: 'Patient/a/_history/1' }]],
])('a record that names its patient %s is that patient\u2019s', async (_, subject) => {
  ehr.answers(holds(observation(subject)));
  expect((await ask('Observation/1')).status).toBe(200);
  expect((await ask('Observation')).status).toBe(200);
});

test.each(['__proto__', 'constructor', 'prototype'])('a subject inside %s counts for nothing', async (key) => {
  const text = `{"resourceType":"Observation","id":"1","${key}":{"subject":{"reference":"Patient/a"}},"note":[{"text":"${MARKER}"}]}`;
  ehr.answers(holds(text));
  expect((await ask('Observation/1')).status).toBe(404);
  const whole = `{"resourceType":"Observation","id":"1","subject":{"reference":"Patient/b","${key}":{"reference":"Patient/a"}}}`;
  ehr.answers(holds(whole));
  expect((await ask('Observation/1')).status).toBe(404);
});

test('a subject that is said twice is refused', async () => {
  ehr.answers(
    holds(
      `{"resourceType":"Observation","id":"1","subject":{"reference":"Patient/b"},"subject":{"reference":"Patient/a"}}`,
    ),
  );
  expect((await ask('Observation/1')).status).toBe(503);
});

test('very deep records are refused and nothing falls over', async () => {
  const deep = `${'{"extension":['.repeat(5_000)}${']}'.repeat(5_000)}`;
  ehr.answers(
    holds(`{"resourceType":"Observation","id":"1","subject":{"reference":"Patient/a"},"extension":[${deep}]}`),
  );
  expect((await ask('Observation/1')).status).toBe(503);
  expect((await ask('Observation')).status).toBe(503);
});

test.each<[string, object]>([
  [
    'a Bundle as a match',
    {
      resourceType: 'Bundle',
      id: 'x',
      type: 'collection',
      entry: [{ resource: observation({ reference: 'Patient/b' }) }],
    },
  ],
  ['Parameters as a match', { resourceType: 'Parameters', id: 'x', parameter: [{ name: 'x', valueString: MARKER }] }],
])('%s is refused', async (_, resource) => {
  ehr.answers(() => ({ body: bundle([resource]) }));
  const { status, text } = await ask('Observation');
  expect([status, text.includes(MARKER)]).toEqual([502, false]);
});

test('what an entry says of its address is not believed', async () => {
  ehr.answers(() => ({
    body: {
      resourceType: 'Bundle',
      type: 'searchset',
      entry: [
        {
          fullUrl: `${ehr.url}/Observation/${MARKER}`,
          resource: observation({ reference: 'Patient/a' }, { code: { text: 'own' } }),
        },
      ],
    },
  }));
  const { text } = await ask('Observation');
  expect([text.includes(MARKER), text.includes(`${rig.base}/Observation/1`)]).toEqual([false, true]);
});

test.each(['*', 'W/"7"', '"7"', 'W/"6", W/"7"'])(
  'If-None-Match %s tells nothing of another\u2019s record',
  async (tag) => {
    ehr.answers((asked) => ({
      ...holds(observation({ reference: 'Patient/b' }, { meta: { versionId: '7' } }))(asked),
      headers: { etag: 'W/"7"' },
    }));
    const answer = await rig.get('/fhir/Observation/1', token, { 'if-none-match': tag });
    expect([answer.status, answer.headers.get('etag'), answer.headers.get('last-modified')]).toEqual([404, null, null]);
    ehr.answers(() => ({ status: 404 }));
    const none = await rig.get('/fhir/Observation/1', token, { 'if-none-match': tag });
    const headers = (one: Response): string[] => [...one.headers.keys()].sort();
    expect(headers(answer)).toEqual(headers(none));
  },
);

test('a Provenance about a version that was another\u2019s is not shown', async () => {
  const provenance = {
    resourceType: 'Provenance',
    id: 'p',
    recorded: '2026-01-01T00:00:00Z',
    target: [{ reference: 'Observation/1/_history/1' }],
    agent: [{ who: { display: MARKER } }],
  };
  const now = observation({ reference: 'Patient/a' }, { meta: { versionId: '2' }, code: { text: 'own' } });
  const then = observation({ reference: 'Patient/b' }, { meta: { versionId: '1' } });
  ehr.answers(({ method, url }) => {
    if (url === '/ehr/Provenance/p') return { body: provenance };
    if (url === '/ehr/Observation/1/_history/1') return { body: then };
    return {
      body:
        method === 'POST'
          ? bundle([now], { entry: [{ resource: now }, { resource: provenance, search: { mode: 'include' } }] })
          : now,
    };
  });
  expect((await ask('Provenance/p')).status).toBe(404);
  const { status, text } = await ask('Observation?_revinclude=Provenance:target');
  expect([status, text.includes(MARKER)]).toEqual([200, false]);
});

test('one app cannot take the whole EHR for itself', async () => {
  ehr.answers(() => ({ delayMs: 1_500, body: bundle([]) }));
  const other = rig.token(aGrant('patient/*.rs', { patient: 'a', clientId: 'app-2' }));
  const many = Array.from({ length: 40 }, () => ask('Observation'));
  const one = ask('Observation', {}, other);
  const statuses = (await Promise.all(many)).map(({ status }) => status).sort();
  expect([
    statuses.filter((status) => status === 200).length,
    statuses.filter((status) => status === 503).length,
  ]).toEqual([32, 8]);
  expect((await one).status).toBe(200);
  expect((await ask('Observation')).status).toBe(200);
});

test('an EHR that takes the last of two conditions does not show what was not asked for', async () => {
  const system = 'http://terminology.hl7.org/CodeSystem/observation-category';
  const narrow = rig.token(aGrant(`patient/Observation.rs?category=${system}|vital-signs`, { patient: 'a' }));
  const vital = observation({ reference: 'Patient/a' }, { category: [{ coding: [{ system, code: 'vital-signs' }] }] });
  ehr.answers(() => ({ body: bundle([vital]) }));
  expect(JSON.parse((await ask('Observation?category=laboratory', {}, narrow)).text)).toMatchObject({ total: 0 });
  expect(JSON.parse((await ask('Observation?category=laboratory,vital-signs', {}, narrow)).text)).toMatchObject({
    total: 1,
  });
});

test('a scope of two conditions is sent as two', async () => {
  const narrow = rig.token(aGrant('patient/Observation.rs?category=laboratory&status=final', { patient: 'a' }));
  ehr.answers(() => ({ body: bundle([]) }));
  await ask('Observation', {}, narrow);
  expect([...new URLSearchParams(ehr.asked[0]?.body)]).toEqual([
    ['patient', 'a'],
    ['category', 'laboratory'],
    ['status', 'final'],
  ]);
});

test('a failed count is in the audit', async () => {
  ehr.answers(() => ({ status: 500 }));
  expect((await ask('Observation?_summary=count')).status).toBe(503);
  expect((await rig.audits()).at(-1)).toMatchObject({ type: 'fhir.search', outcome: '8' });
});

test('what is not there and whoever is not linked cost the EHR the same', async () => {
  const strict = await startSmart(ehr.url);
  stopAfterTest(() => strict.stop());
  const clinician = strict.token(aGrant('user/*.rs'));
  const patient = (id: string): object => ({
    resourceType: 'Patient',
    id,
    identifier: [{ system: 'urn:example:mrn', value: `mrn-${id}` }],
  });
  const callsOf = async (path: string): Promise<number> => {
    ehr.answers(({ method, url }) => {
      if (method === 'POST') return { body: bundle([]) };
      if (url === '/ehr/Patient/there') return { body: patient('there') };
      if (url === '/ehr/Observation/there')
        return { body: { ...observation({ reference: 'Patient/there' }), id: 'there' } };
      return { status: 404 };
    });
    expect([200, 404]).toContain((await strict.get(`/fhir/${path}`, clinician)).status);
    return ehr.asked.length;
  };
  for (const path of ['Patient/ID', 'Patient?_id=ID', 'Observation?patient=ID', 'Observation/ID', 'Observation/ID'])
    expect([path, await callsOf(path.replace('ID', 'there'))]).toEqual([
      path,
      await callsOf(path.replace('ID', 'gone')),
    ]);
});

test('an EHR to which capital letters are the same tells nothing by that', async () => {
  ehr.answers(({ url }) => ({
    body: { ...observation({ reference: 'Patient/b' }), id: url.toLowerCase().split('/').at(-1) },
  }));
  expect((await ask('Observation/OBS')).status).toBe(404);
  expect((await ask('Observation/obs')).status).toBe(404);
});

test('nothing of it is in the log', () => {
  expect(JSON.stringify(rig.log.lines)).not.toContain(MARKER);
});
