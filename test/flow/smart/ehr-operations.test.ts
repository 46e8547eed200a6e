import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startHostileEhr, type HostileAnswer } from '../../support/smart/hostile-ehr.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

/** An EHR that says it has `$lastn` and `$docref` of its own is asked for them, and its answers are checked. */
const MARKER = 'MarkerOfAnotherPatient';
let ehr: Awaited<ReturnType<typeof startHostileEhr>>;
let rig: SmartRig;

const METADATA = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [
    {
      mode: 'server',
      resource: ['Patient', 'Observation', 'DocumentReference'].map((type) => ({
        type,
        interaction: [{ code: 'read' }, { code: 'search-type' }],
        searchParam: ['_id', 'patient', 'code', 'category', 'date', 'type', 'status'].map((name) => ({ name })),
        operation: [{ name: type === 'Observation' ? '$lastn' : 'docref' }],
      })),
    },
  ],
};
const record = (type: string, id: string, of: string, more: object = {}): object => ({
  resourceType: type,
  id,
  status: type === 'Observation' ? 'final' : 'current',
  code: { coding: [{ code: 'x' }] },
  subject: { reference: `Patient/${of}` },
  note: [{ text: of === 'a' ? 'own' : MARKER }],
  ...more,
});
const bundle = (...resources: object[]): object => ({
  resourceType: 'Bundle',
  type: 'searchset',
  entry: resources.map((resource) => ({ resource })),
});

let operation: () => HostileAnswer = () => ({ status: 404 });
const answers = (): void =>
  ehr.answers(({ url }) => {
    if (url.endsWith('/metadata')) return { body: METADATA };
    if (url.includes('$')) return operation();
    const type = url.includes('Observation') ? 'Observation' : 'DocumentReference';
    return { body: bundle(record(type, 'by-search', 'a')) };
  });

beforeAll(async () => {
  ehr = await startHostileEhr();
  answers();
  rig = await startSmart(ehr.url, { patients: 'all', capability: 'probed' });
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});

const ask = async (path: string, scope = 'patient/*.rs') => {
  const answer = await rig.get(`/fhir/${path}`, rig.token(aGrant(scope, { patient: 'a' })));
  const text = await answer.text();
  expect(text).not.toContain(MARKER);
  const { entry = [] } = JSON.parse(text) as { entry?: { resource: { id: string } }[] };
  return { status: answer.status, ids: entry.map(({ resource }) => resource.id) };
};

const LASTN = 'Observation/$lastn?patient=a&code=x&max=2';
const DOCREF = 'DocumentReference/$docref?patient=a&start=2026-01-01&on-demand=true';

test('its operation is asked with our patient and what was parsed, and answered', async () => {
  operation = () => ({ body: bundle(record('Observation', 'by-operation', 'a')) });
  answers();
  expect(await ask(LASTN)).toEqual({ status: 200, ids: ['by-operation'] });
  expect(ehr.asked.map(({ url }) => decodeURIComponent(url))).toEqual([
    '/ehr/Observation/$lastn?patient=a&code=x&max=2',
  ]);
  operation = () => ({ body: bundle(record('DocumentReference', 'made', 'a')) });
  answers();
  expect(await ask(DOCREF)).toEqual({ status: 200, ids: ['made'] });
  expect(ehr.asked.map(({ url }) => decodeURIComponent(url))).toEqual([
    '/ehr/DocumentReference/$docref?patient=a&start=2026-01-01&on-demand=true',
  ]);
});

test('a token that may see some alone has the operation worked out from what it may see', async () => {
  operation = () => ({ body: bundle(record('Observation', 'by-operation', 'a')) });
  answers();
  expect((await ask(LASTN, 'patient/Observation.rs?code=x')).ids).toEqual(['by-search']);
});

test('a condition that the EHR does not know is not left to its operation, which cuts before it is looked at', async () => {
  operation = () => ({ body: bundle(record('Observation', 'by-operation', 'a')) });
  answers();
  expect((await ask('Observation/$lastn?patient=a&combo-code=x')).ids).toEqual(['by-search']);
  expect(ehr.asked.filter(({ url }) => url.includes('$'))).toEqual([]);
});

/** HAPI without its index for it answers `$lastn` with the observations of everybody. */
test('one that answers with another patient’s is logged, worked out by us, and not asked again', async () => {
  const sick = await startSmart(ehr.url, { patients: 'all', capability: 'probed' });
  operation = () => ({ body: bundle(record('Observation', '1', 'a'), record('Observation', '2', 'b')) });
  answers();
  const token = sick.token(aGrant('patient/*.rs', { patient: 'a' }));
  for (const path of [LASTN, LASTN]) {
    const text = await (await sick.get(`/fhir/${path}`, token)).text();
    expect([text.includes('by-search'), text.includes(MARKER)]).toEqual([true, false]);
  }
  expect(ehr.asked.filter(({ url }) => url.includes('$'))).toHaveLength(1);
  operation = () => ({ body: bundle(record('DocumentReference', '2', 'b')) });
  const text = await (await sick.get(`/fhir/${DOCREF.replace('&on-demand=true', '')}`, token)).text();
  expect([text.includes('by-search'), text.includes(MARKER)]).toEqual([true, false]);
  expect(sick.log.lines.filter(({ event }) => event === 'read.refused')).toHaveLength(2);
  await sick.stop();
});

test('an EHR that refuses its own operation is not asked again', async () => {
  operation = () => ({ status: 400, body: { resourceType: 'OperationOutcome', issue: [] } });
  answers();
  expect((await ask(LASTN)).ids).toEqual(['by-search']);
  expect((await ask(LASTN)).ids).toEqual(['by-search']);
  expect(ehr.asked.filter(({ url }) => url.includes('$'))).toHaveLength(1);
  operation = () => ({ status: 404, body: {} });
  expect((await ask(DOCREF.replace('&on-demand=true', ''))).ids).toEqual(['by-search']);
});

test('an EHR of which there is no end is looked at so far and no further, and the answer says so', async () => {
  let pages = 0;
  ehr.answers(() => {
    pages += 1;
    return {
      body: {
        ...bundle(record('Observation', `o-${pages}`, 'a', { effectiveDateTime: '2026-01-01' })),
        link: [{ relation: 'next', url: `${ehr.url}/Observation?page=${pages}` }],
      },
    };
  });
  const answer = await rig.get(
    '/fhir/Observation/$lastn?category=y&status=final',
    rig.token(aGrant('patient/Observation.rs?status=final', { patient: 'a' })),
  );
  const found = (await answer.json()) as { total?: number; entry: { search: { mode: string } }[] };
  expect([pages, found.total, found.entry.at(-1)?.search.mode]).toEqual([20, undefined, 'outcome']);
});

test('the search ends once each code that was named has its last', async () => {
  let pages = 0;
  ehr.answers(() => {
    pages += 1;
    return {
      body: {
        ...bundle(
          record('Observation', `n-${pages}`, 'a', { effectiveDateTime: `20${30 - pages}-01-02` }),
          record('Observation', `o-${pages}`, 'a', { effectiveDateTime: `20${30 - pages}-01-01` }),
        ),
        link: [{ relation: 'next', url: `${ehr.url}/Observation?page=${pages}` }],
      },
    };
  });
  const { ids } = await ask('Observation/$lastn?code=x', 'patient/Observation.rs?status=final');
  expect([ids, pages]).toEqual([['n-1'], 1]);
});
