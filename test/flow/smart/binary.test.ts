import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startHostileEhr } from '../../support/smart/hostile-ehr.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

let ehr: Awaited<ReturnType<typeof startHostileEhr>>;
let rig: SmartRig;
beforeAll(async () => {
  ehr = await startHostileEhr();
  rig = await startSmart(ehr.url, { patients: 'all' });
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});

const MARKER = Buffer.from('MarkerOfAnotherPatient').toString('base64');
const OWN = Buffer.from('own words').toString('base64');
const document = (id: string, patient: string, url: string, more: object = {}) => ({
  resourceType: 'DocumentReference',
  id,
  status: 'current',
  category: [{ coding: [{ system: 'urn:c', code: patient === 'a' ? 'note' : 'other' }] }],
  subject: { reference: `Patient/${patient}` },
  content: [{ attachment: { contentType: 'text/plain', url } }],
  ...more,
});
const binary = (id: string, data: string, more: object = {}) => ({
  resourceType: 'Binary',
  id,
  contentType: 'text/plain',
  data,
  ...more,
});
const observation = (id: string, patient: string) => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { text: 'x' },
  subject: { reference: `Patient/${patient}` },
});

let documents: readonly { readonly subject: { readonly reference: string } }[] = [];
let reports: readonly { readonly subject: { readonly reference: string } }[] = [];
let others: readonly { readonly resourceType: string; readonly id: string }[] = [];
beforeEach(() => {
  reports = [];
  documents = [
    document('d1', 'a', 'Binary/relative'),
    document('d2', 'a', `${ehr.url}/Binary/absolute`),
    document('d3', 'a', 'Binary/context-of-b'),
    document('d4', 'a', 'Binary/context-of-obs'),
    document('d5', 'a', 'Binary/context-of-obs-of-b'),
    document('d6', 'a', 'Binary/context-elsewhere'),
    document('d7', 'a', 'https://elsewhere.example/Binary/far'),
    document('d8', 'a', 'Binary/gone'),
    document('d9', 'b', 'Binary/of-b'),
  ];
  others = [
    binary('relative', OWN),
    binary('absolute', OWN, { securityContext: { reference: 'Patient/a' } }),
    binary('context-of-b', MARKER, { securityContext: { reference: 'Patient/b' } }),
    binary('context-of-obs', OWN, { securityContext: { reference: 'Observation/o-a' } }),
    binary('context-of-obs-of-b', MARKER, { securityContext: { reference: 'Observation/o-b' } }),
    binary('context-elsewhere', MARKER, { securityContext: { reference: 'https://elsewhere.example/Patient/a' } }),
    binary('far', MARKER),
    binary('of-b', MARKER),
    binary('of-nobody', MARKER),
    observation('o-a', 'a'),
    observation('o-b', 'b'),
  ];
  ehr.answers(({ url, body }) => {
    const [type = '', id = ''] = url.replace(/^\/ehr\//, '').split('/');
    if (id === '_search') {
      const params = new URLSearchParams(body);
      const found =
        type === 'DocumentReference' || type === 'DiagnosticReport'
          ? (type === 'DocumentReference' ? documents : reports).filter(
              ({ subject }) => subject.reference === `Patient/${params.get('patient') ?? ''}`,
            )
          : others.filter((one) => one.resourceType === type && params.get('_id') === one.id);
      return { body: { resourceType: 'Bundle', type: 'searchset', entry: found.map((resource) => ({ resource })) } };
    }
    const found = others.find((one) => one.resourceType === type && one.id === id);
    return found === undefined ? { status: 404 } : { body: found };
  });
});

const get = async (id: string, scope = 'patient/*.rs', more: object = { patient: 'a' }) => {
  const json = { accept: 'application/fhir+json' };
  const answer = await rig.get(`/fhir/Binary/${id}`, rig.token(aGrant(scope, more)), json);
  const text = await answer.text();
  expect(text).not.toContain(MARKER);
  return { status: answer.status, text };
};

test.each(['relative', 'absolute', 'context-of-obs'])(
  'an attachment of the patient’s document is read: %s',
  async (id) => {
    const { status, text } = await get(id);
    expect([status, (JSON.parse(text) as { data: string }).data]).toEqual([200, OWN]);
    expect(text).not.toContain(ehr.host);
    expect((await rig.audits()).at(-1)).toMatchObject({
      type: 'fhir.read',
      resourceType: 'Binary',
      outcome: '0',
      count: 1,
    });
  },
);

test.each(['context-of-b', 'context-of-obs-of-b', 'context-elsewhere', 'far', 'of-b', 'of-nobody', 'gone', 'nowhere'])(
  'what is not the patient’s is as what is not there: %s',
  async (id) => {
    const strip = (text: string): string => text.replace(/request [^"]+/, '');
    const [{ status, text }, nothing] = [await get(id), await get('nothing-at-all')];
    expect([status, strip(text)]).toEqual([404, strip(nothing.text)]);
  },
);

test('the EHR is asked for no Binary that no document of the patient names', async () => {
  for (const id of ['of-b', 'of-nobody', 'nowhere']) await get(id);
  expect(ehr.asked.filter(({ url }) => url.includes('/Binary/'))).toEqual([]);
});

test.each([
  ['patient/Binary.r', { patient: 'a' }, 403],
  ['patient/DocumentReference.rs', { patient: 'a' }, 403],
  ['patient/Binary.r patient/DiagnosticReport.s', { patient: 'a' }, 404],
  ['patient/Binary.s patient/DocumentReference.rs', { patient: 'a' }, 403],
  ['patient/Binary.r patient/DocumentReference.r', { patient: 'a' }, 403],
  ['patient/Binary.r patient/DocumentReference.s', { patient: 'a' }, 200],
  ['patient/Binary.r patient/DocumentReference.rs', { patient: 'b' }, 404],
  ['patient/Binary.r patient/DocumentReference.rs?category=urn:c|note', { patient: 'a' }, 200],
  ['patient/Binary.r patient/DocumentReference.rs?category=urn:c|other', { patient: 'a' }, 404],
  ['patient/Binary.r?_id=relative patient/DocumentReference.rs', { patient: 'a' }, 403],
  ['patient/*.rs', {}, 403],
  ['user/*.rs', {}, 404],
  ['system/*.rs', {}, 404],
])('%s with %j gets %i', async (scope, more, status) => {
  expect((await get('relative', scope, more)).status).toBe(status);
});

describe('by a token for many patients', () => {
  test.each([
    ['user/*.rs', 'absolute', 200],
    ['system/*.rs', 'absolute', 200],
    ['system/Binary.r system/DocumentReference.s', 'absolute', 200],
    ['system/Binary.r system/DocumentReference.s?category=urn:c|other', 'absolute', 404],
    ['system/Binary.r', 'absolute', 403],
    ['system/Binary.r?_id=absolute system/DocumentReference.s', 'absolute', 403],
    ['system/Binary.r patient/DocumentReference.s', 'absolute', 403],
    ['patient/Binary.r system/DocumentReference.s', 'absolute', 403],
    // It does not say whose it is.
    ['system/*.rs', 'relative', 404],
    ['system/*.rs', 'context-of-obs', 404],
    // No record of the patient whom it names has it.
    ['system/*.rs', 'context-of-b', 404],
    ['system/*.rs', 'context-elsewhere', 404],
    ['system/*.rs', 'gone', 404],
  ])('%s: Binary/%s is %i', async (scope, id, status) => {
    expect((await get(id, scope, {})).status).toBe(status);
  });

  test('what is of nobody whom it sees costs the EHR as much as what is not there', async () => {
    const linked = await startSmart(ehr.url, { patients: 'linked' });
    const asked = async (id: string): Promise<readonly [number, number]> => {
      const before = ehr.asked.length;
      const answer = await linked.get(`/fhir/Binary/${id}`, linked.token(aGrant('system/*.rs')));
      return [answer.status, ehr.asked.length - before];
    };
    try {
      const nothing = await asked('nothing-at-all');
      expect([nothing[0], await asked('absolute'), await asked('of-b')]).toEqual([404, nothing, nothing]);
    } finally {
      await linked.stop();
    }
  });
});

test('nothing else of Binary is served', async () => {
  const token = rig.token(aGrant('patient/*.rs', { patient: 'a' }));
  for (const path of ['Binary', 'Binary?_id=relative', 'Binary/relative/_history', 'Binary/relative/_history/1'])
    expect((await rig.get(`/fhir/${path}`, token)).status).toBe(404);
  for (const path of ['Binary/relative?_elements=data', 'Binary/relative?_summary=true'])
    expect((await rig.get(`/fhir/${path}`, token)).status).toBe(400);
  for (const headers of [{ accept: 'application/fhir+xml' }, { accept: 'application/fhir+turtle' }])
    expect((await rig.get('/fhir/Binary/relative', token, headers)).status).toBe(406);
  expect((await rig.get('/fhir/Binary/relative?_format=xml', token)).status).toBe(406);
});

describe('as what it is', () => {
  const raw = async (id: string, headers: Record<string, string> = { accept: '*/*' }) => {
    const answer = await rig.get(`/fhir/Binary/${id}`, rig.token(aGrant('patient/*.rs', { patient: 'a' })), headers);
    return { answer, type: answer.headers.get('content-type'), text: await answer.text() };
  };

  test.each([{ accept: '*/*' }, { accept: 'application/pdf' }, { accept: 'text/plain, application/fhir+json;q=0.5' }])(
    'to whoever asks by %j it is bytes, with its own type, and safe to open',
    async (headers) => {
      const { answer, type, text } = await raw('relative', headers);
      expect([answer.status, type, text]).toEqual([200, 'text/plain', 'own words']);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename="relative"');
      expect(answer.headers.get('content-security-policy')).toContain('sandbox');
      expect(answer.headers.get('cache-control')).toBe('no-store');
    },
  );

  test.each([
    { accept: 'application/fhir+json' },
    { accept: 'application/json' },
    { accept: 'text/html;q=0.1, application/fhir+json' },
    { accept: '*/*, application/fhir+json;q=0.2' },
  ])('to whoever asks by %j it is a resource', async (headers) => {
    expect((await raw('relative', headers)).type).toBe('application/fhir+json; charset=utf-8');
  });

  test('what the EHR calls it is passed on only where it is a type', async () => {
    documents = ['page', 'odd', 'broken'].map((id) => document(id, 'a', `Binary/${id}`));
    others = [
      binary('page', OWN, { contentType: 'text/html; charset=utf-8' }),
      binary('odd', OWN, { contentType: 'text/html\r\nSet-Cookie: x' }),
      binary('broken', '<not base64>'),
    ];
    expect((await raw('page')).type).toBe('text/html; charset=utf-8');
    expect((await raw('odd')).type).toBe('application/octet-stream');
    expect((await raw('broken')).answer.status).toBe(503);
  });

  test('blanks do not count, however many there are', async () => {
    const blanks = ' '.repeat(2_000_000);
    documents = ['spaced', 'hostile'].map((id) => document(id, 'a', `Binary/${id}`));
    others = [binary('spaced', `${OWN.slice(0, 5)}${blanks}${OWN.slice(5)}\n`), binary('hostile', `${blanks}!`)];
    expect(await raw('spaced')).toMatchObject({ text: 'own words' });
    expect((await raw('hostile')).answer.status).toBe(503);
  });

  test('what is not the patient\u2019s is as what is not there', async () => {
    for (const id of ['of-b', 'context-of-b', 'nothing-at-all'])
      expect([id, (await raw(id)).answer.status]).toEqual([id, 404]);
  });

  test('the form of a report and a picture lead to one as well', async () => {
    documents = [];
    const report = (of: string, url: string) => ({
      resourceType: 'DiagnosticReport',
      id: `r-${of}`,
      subject: { reference: `Patient/${of}` },
      presentedForm: [{ url }],
    });
    reports = [report('a', 'Binary/relative'), report('b', 'Binary/of-b')];
    expect((await raw('relative')).text).toBe('own words');
    expect((await raw('of-b')).answer.status).toBe(404);
    const scope = 'patient/Binary.r patient/DocumentReference.s';
    expect((await get('relative', scope)).status).toBe(404);
  });
});

test('a document that the EHR shows though it is another’s refuses the whole', async () => {
  ehr.answers(({ url }) =>
    url.includes('_search')
      ? {
          body: {
            resourceType: 'Bundle',
            type: 'searchset',
            entry: [{ resource: document('d9', 'b', 'Binary/of-b') }],
          },
        }
      : { body: binary('of-b', MARKER) },
  );
  expect((await get('of-b')).status).toBe(502);
});
