import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { loadValidator } from '../../../src/r4/index.ts';
import { startHostileEhr } from '../../support/smart/hostile-ehr.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

const SUBSETTED = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };
const NARRATIVE = { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">own</div>' };

let ehr: Awaited<ReturnType<typeof startHostileEhr>>;
let rig: SmartRig;
let token: string;
let resources: readonly Record<string, unknown>[] = [];

beforeAll(async () => {
  ehr = await startHostileEhr();
  rig = await startSmart(ehr.url, { patients: 'all' });
  token = rig.token(aGrant('patient/*.rs', { patient: 'a' }));
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});
beforeEach(() =>
  // An EHR that has never heard of `_summary`.
  ehr.answers(({ url }) => {
    const path = url.replace(/^\/ehr\//, '').replace(/\?.*$/, '');
    const [type, id] = path.split('/');
    if (id === undefined || id === '_search')
      return {
        body: { resourceType: 'Bundle', type: 'searchset', entry: resources.map((resource) => ({ resource })) },
      };
    const found = resources.find((one) => one['resourceType'] === type && one['id'] === id);
    return found === undefined ? { status: 404 } : { body: found };
  }),
);

const observation = {
  resourceType: 'Observation',
  id: '1',
  meta: { versionId: '3', tag: [{ system: 'urn:example', code: 'kept' }] },
  language: 'en',
  text: NARRATIVE,
  contained: [{ resourceType: 'Practitioner', id: 'p', name: [{ family: 'Inside' }] }],
  extension: [{ url: 'urn:example:more', valueString: 'left out' }],
  modifierExtension: [{ url: 'urn:example:not', valueBoolean: false }],
  status: 'final',
  category: [{ text: 'left out' }],
  code: { text: 'own' },
  subject: { reference: 'Patient/a' },
  effectiveDateTime: '2026-01-02T03:04:05Z',
  _issued: { extension: [{ url: 'urn:example:why', valueCode: 'unknown' }] },
  performer: [{ reference: '#p' }],
  valueQuantity: { value: 1.5, unit: 'x' },
  interpretation: [{ text: 'left out' }],
  note: [{ text: 'left out' }],
  referenceRange: [{ text: 'left out' }],
  component: [
    {
      code: { text: 'part' },
      valueString: 'v',
      interpretation: [{ text: 'left out' }],
      extension: [{ url: 'urn:x', valueCode: 'y' }],
    },
  ],
};
const document = {
  resourceType: 'DocumentReference',
  id: 'd',
  status: 'current',
  subject: { reference: 'Patient/a' },
  custodian: { reference: 'Organization/o' },
  content: [{ attachment: { contentType: 'text/plain', data: 'bGVmdCBvdXQ=', title: 'Letter' } }],
  context: { encounter: [{ reference: 'Encounter/e' }] },
};

const ask = async (path: string) => {
  const answer = await rig.get(`/fhir/${path}`, token);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
const keys = (value: unknown): string[] => Object.keys(value as object).sort();

test('a summary has the elements that R4 counts among it, down to the parts, and says so', async () => {
  resources = [observation];
  const { body } = await ask('Observation/1?_summary=true');
  expect(body).toEqual({
    resourceType: 'Observation',
    id: '1',
    meta: { versionId: '3', tag: [{ system: 'urn:example', code: 'kept' }, SUBSETTED] },
    // Something of the rest refers to it.
    contained: observation.contained,
    // It may change what the rest means.
    modifierExtension: observation.modifierExtension,
    status: 'final',
    code: { text: 'own' },
    subject: { reference: 'Patient/a' },
    effectiveDateTime: '2026-01-02T03:04:05Z',
    _issued: observation._issued,
    performer: [{ reference: '#p' }],
    valueQuantity: { value: 1.5, unit: 'x' },
    component: [{ code: { text: 'part' }, valueString: 'v' }],
  });
  const validator = loadValidator();
  expect(validator.validate(body).filter(({ severity }) => severity === 'error')).toEqual([]);
});

test('a summary of a document leaves out what is in it', async () => {
  resources = [document];
  const { body } = await ask('DocumentReference/d?_summary=true');
  expect(body).toEqual({
    resourceType: 'DocumentReference',
    id: 'd',
    meta: { tag: [SUBSETTED] },
    status: 'current',
    subject: { reference: 'Patient/a' },
    content: [{ attachment: { contentType: 'text/plain', title: 'Letter' } }],
  });
});

test('text is the narrative and what no resource may lack', async () => {
  resources = [observation];
  const { body } = await ask('Observation/1?_summary=text');
  expect(keys(body)).toEqual(['code', 'id', 'language', 'meta', 'modifierExtension', 'resourceType', 'status', 'text']);
  expect(body['text']).toEqual(NARRATIVE);
});

test('data is all but the narrative', async () => {
  resources = [observation];
  const { body } = await ask('Observation/1?_summary=data');
  expect(keys(body)).toEqual(keys(observation).filter((name) => name !== 'text'));
});

test.each(['true', 'text', 'data', 'false'])(
  '_summary=%s is never asked of the EHR, and stands in the self link',
  async (how) => {
    resources = [observation];
    const { body } = await ask(`Observation?_summary=${how}`);
    expect(ehr.asked.map(({ url, body: form }) => `${url}?${form}`).join()).not.toContain('_summary');
    const { link, entry } = body as { link: { url: string }[]; entry: { resource: Record<string, unknown> }[] };
    expect(link[0]?.url).toBe(`${rig.base}/Observation?patient=a&_summary=${how}`);
    const [first] = entry;
    expect(first?.resource['note'] === undefined).toBe(how === 'true' || how === 'text');
    expect(first?.resource['text'] === undefined).toBe(how === 'true' || how === 'data');
  },
);

test('what comes along is summarised too', async () => {
  const performer = {
    resourceType: 'Practitioner',
    id: 'doc',
    text: NARRATIVE,
    qualification: [{ code: { text: 'left out' } }],
    active: true,
  };
  const one = { ...observation, performer: [{ reference: 'Practitioner/doc' }] };
  resources = [one, performer];
  const { body } = await ask('Observation?_summary=true&_include=Observation:performer');
  const { entry } = body as { entry: { resource: Record<string, unknown> }[] };
  expect(entry.map(({ resource }) => resource['resourceType'])).toEqual(['Observation', 'Practitioner']);
  expect(keys(entry[1]?.resource)).toEqual(['active', 'id', 'meta', 'resourceType']);
});

test('what was asked to leave out does not hide whose it is: the check comes first', async () => {
  resources = [observation, { ...observation, id: '2', subject: { reference: 'Patient/b' } }];
  for (const how of ['true', 'text', 'data']) expect((await ask(`Observation?_summary=${how}`)).status).toBe(502);
  resources = [{ ...observation, subject: { reference: 'Patient/b' } }];
  for (const how of ['true', 'text', 'data']) expect((await ask(`Observation/1?_summary=${how}`)).status).toBe(404);
});

test.each([
  'Observation?_summary=text&_include=Observation:performer',
  'Observation?_summary=text&_revinclude=Provenance:target',
  'Observation?_summary=true&_elements=code',
  'Observation/1?_summary=true&_elements=code',
  'Observation/1?_summary=count',
  'Observation/1?_summary=true&_summary=data',
  'Observation/1?_summary=TRUE',
])('%s is refused', async (path) => {
  resources = [observation];
  expect((await ask(path)).status).toBe(400);
});

test('a count stays a count whatever else is asked', async () => {
  resources = [observation];
  for (const path of ['Observation?_count=0&_summary=true', 'Observation?_summary=true&_count=0']) {
    const { body } = await ask(path);
    expect([body['total'], body['entry']]).toEqual([1, undefined]);
  }
});
