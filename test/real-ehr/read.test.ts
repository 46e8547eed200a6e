import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { randomUUID } from 'node:crypto';
import type { Pairs } from '../../src/ehr/index.ts';
import { freePort } from '../clients/whole.ts';
import { eventually } from '../support/eventually.ts';
import type { Kept } from '../support/foreign-ehr.ts';
import { aClinicalReady, aLabResult, anAlertSummary, type Json } from '../support/payloads/index.ts';
import { showFigure } from './figures.ts';
import { realEhr, startStand, type Stand } from './stand.ts';

/*
 * What an app sees through the gateway against what stands at the EHR: the same resources, digit for digit, but for
 * addresses below the EHR's base, which become the gateway's or relative (docs/read-api.md).
 */

const USER = 'reader';
/** Types that are about a patient, by the parameter that names whom. */
const TYPES: Readonly<Record<string, string>> = {
  Observation: 'patient',
  DiagnosticReport: 'patient',
  Specimen: 'patient',
  Device: 'patient',
  Encounter: 'patient',
  Condition: 'patient',
  AllergyIntolerance: 'patient',
  MedicationRequest: 'patient',
  Immunization: 'patient',
  Procedure: 'patient',
  DocumentReference: 'patient',
  CarePlan: 'patient',
  Goal: 'patient',
};

let stand: Stand;
let base = '';
let token = '';
let patient = '';
let stranger = '';
let served: ReadonlySet<string> = new Set();
const ehrUrl = realEhr().url;

/** As README shows: a program that proves itself by a key. */
async function backendToken(url: string): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair('ES384');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES384' }] };
  const scope = 'system/*.rs';
  await stand.replica().admin('POST', 'clients', { id: 'reader', name: 'Reader', kind: 'backend', scope, jwks });
  const assertion = await new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES384', kid: 'k1', typ: 'JWT' })
    .setIssuer('reader')
    .setSubject('reader')
    .setAudience(`${url}/auth/token`)
    .setExpirationTime('4m')
    .sign(privateKey);
  const answer = await fetch(`${url}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    }),
  });
  if (!answer.ok) throw new Error(`no token: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { access_token: string }).access_token;
}

/** What the hospital itself keeps of the patient, so that not everything that is read was written by the gateway. */
async function keepRecords(subject: { readonly reference: string }): Promise<void> {
  const { create } = stand.direct;
  const refer = ({ resourceType, id }: Kept) => ({ reference: `${resourceType}/${id}` });
  const coded = (system: string, code: string) => ({ coding: [{ system, code }] });
  const clinician = refer(
    await create({ resourceType: 'Practitioner', active: true, name: [{ family: 'Example', given: ['A.'] }] }),
  );
  const encounter = refer(
    await create({
      resourceType: 'Encounter',
      status: 'finished',
      class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
      subject,
      participant: [{ individual: clinician }],
      period: { start: '2026-11-12T09:00:00Z', end: '2026-11-12T09:25:00Z' },
    }),
  );
  const active = coded('http://terminology.hl7.org/CodeSystem/condition-clinical', 'active');
  await create({
    resourceType: 'Condition',
    clinicalStatus: active,
    code: coded('http://snomed.info/sct', '38341003'),
    subject,
    encounter,
    recorder: clinician,
  });
  await create({
    resourceType: 'AllergyIntolerance',
    clinicalStatus: coded('http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical', 'active'),
    code: { text: 'Synthetic pollen' },
    patient: subject,
    recorder: clinician,
  });
  await create({
    resourceType: 'MedicationRequest',
    status: 'active',
    intent: 'order',
    medicationCodeableConcept: { text: 'Synthetic tablet' },
    subject,
    requester: clinician,
    authoredOn: '2026-11-12',
  });
  await create({
    resourceType: 'Observation',
    status: 'final',
    category: [coded('http://terminology.hl7.org/CodeSystem/observation-category', 'vital-signs')],
    code: coded('http://loinc.org', '8867-4'),
    subject,
    encounter,
    performer: [clinician],
    effectiveDateTime: '2026-11-12T09:10:00Z',
    valueQuantity: { value: 61, unit: '/min', system: 'http://unitsofmeasure.org', code: '/min' },
  });
  await create({
    resourceType: 'DocumentReference',
    status: 'current',
    subject,
    author: [clinician],
    // By its whole address, which an app must not see.
    content: [{ attachment: { contentType: 'text/plain', url: `${ehrUrl}/Binary/synthetic-letter` } }],
  });
}

beforeAll(async () => {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  base = `${url}/fhir`;
  stand = await startStand({ front: 'none', settings: { CHARTGATE_PORT: String(port), CHARTGATE_PUBLIC_URL: url } });
  patient = await stand.enrol(USER);
  await keepRecords({ reference: patient });
  for (const payload of [
    aClinicalReady({ userId: USER, bundleId: 'read-1' }),
    aClinicalReady({ userId: USER, bundleId: 'read-1', documentVersion: 2, values: { weight: 70.5 } }),
    aClinicalReady({ userId: USER, bundleId: 'read-2', day: '2026-11-13' }),
    anAlertSummary({ userId: USER }),
    aLabResult({ userId: USER }),
  ])
    expect(await stand.deliver(payload)).toMatchObject({ state: 'delivered' });
  stranger = `Patient/${(await stand.direct.create({ resourceType: 'Patient', active: true, name: [{ family: 'Stranger' }] })).id}`;
  const metadata = await eventually(
    () => fetch(`${base}/metadata`),
    ({ status }) => status === 200,
  );
  const { rest } = (await metadata.json()) as { rest: { resource: { type: string }[] }[] };
  served = new Set(rest[0]?.resource.map(({ type }) => type));
  token = await backendToken(url);
});
afterAll(() => stand.stop());

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
/** Numbers as the digits that they were written with. */
const parseDigits = JSON.parse as (text: string, reviver: Reviver) => unknown;
const parse = (text: string): Json =>
  parseDigits(text.replaceAll(`"${ehrUrl}/`, '"').replaceAll(`"${base}/`, '"'), (_key, value, { source }) =>
    typeof value === 'number' ? { digits: source } : value,
  ) as Json;

const get = (url: string): Promise<Response> => fetch(url, { headers: { authorization: `Bearer ${token}` } });
async function through(path: string): Promise<string> {
  const answer = await get(`${base}/${path}`);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
  expect(text).not.toContain(ehrUrl);
  return text;
}
const entriesOf = (page: Json): Kept[] =>
  ((page['entry'] ?? []) as { resource: Kept }[]).map(({ resource }) => resource);
const nextOf = (text: string): string | undefined =>
  (JSON.parse(text) as { link?: { relation: string; url: string }[] }).link?.find(({ relation }) => relation === 'next')
    ?.url;

/** Everything that a search shows to an app, over all pages. */
async function shown(type: string, params: Pairs): Promise<Kept[]> {
  const query = new URLSearchParams(params.map(([name, value]): [string, string] => [name, value]));
  const found: Kept[] = [];
  let next: string | undefined = `${base}/${type}?${query.toString()}`;
  while (next !== undefined) {
    const text = await through(next.slice(base.length + 1));
    found.push(...entriesOf(parse(text)));
    next = nextOf(text);
  }
  return found;
}
/** Everything that the EHR shows for the same. */
const stands = async (type: string, params: Pairs): Promise<Kept[]> =>
  (await stand.direct.pages(type, params)).flatMap((page) => entriesOf(parse(page)));

const byId = (all: readonly Kept[]): Json =>
  Object.fromEntries(all.map((one) => [`${one.resourceType}/${one.id}`, one]));
const momentOf = (one: Kept): unknown => one['effectiveDateTime'] ?? one['effectivePeriod'];
async function expectSame(type: string, params: Pairs): Promise<Kept[]> {
  const [ours, theirs] = [await shown(type, params), await stands(type, params)];
  expect(byId(ours)).toEqual(byId(theirs));
  expect(ours).toHaveLength(theirs.length);
  // Of one moment there are many, in no order among themselves.
  if (params.some(([name]) => name === '_sort')) expect(ours.map(momentOf)).toEqual(theirs.map(momentOf));
  return ours;
}

test('the patient, and every type of record that is searched by patient', async () => {
  const found = await expectSame('Patient', [['_id', patient.slice('Patient/'.length)]]);
  const types = Object.entries(TYPES).filter(([type]) => served.has(type));
  const counts: Record<string, number> = {};
  for (const [type, by] of types) {
    const all = await expectSame(type, [[by, patient]]);
    if (all.length > 0) counts[type] = all.length;
    found.push(...all);
  }
  // What the gateway wrote, and what the hospital did.
  expect(counts['Observation']).toBeGreaterThan(15);
  expect(counts).toMatchObject({
    Condition: 1,
    AllergyIntolerance: 1,
    MedicationRequest: 1,
    Encounter: 1,
    DocumentReference: 1,
  });
  showFigure(`${types.length + 1} types, ${found.length} resources`);
});

test('each of them by its id, with its version as ETag', async () => {
  let reads = 0;
  for (const type of [
    'Observation',
    'DiagnosticReport',
    'Device',
    'Condition',
    'MedicationRequest',
    'Encounter',
    'Specimen',
  ]) {
    if (!served.has(type)) continue;
    for (const { id } of await stand.direct.search(type, [['patient', patient]])) {
      const answer = await get(`${base}/${type}/${id}`);
      const ours = parse(await answer.text());
      const [theirs] = (await stand.direct.pages(`${type}/${id}`, [])).map(parse);
      expect([answer.status, ours]).toEqual([200, theirs]);
      expect(answer.headers.get('etag')).toBe(`W/"${String((ours['meta'] as Json)['versionId'])}"`);
      reads += 1;
    }
  }
  showFigure(`${reads} reads`);
});

test.each<[string, Pairs]>([
  ['by code', [['code', 'http://loinc.org|29463-7']]],
  ['by category', [['category', 'vital-signs']]],
  ['by day', [['date', 'ge2026-11-14']]],
  ['by status', [['status', 'final,amended']]],
  [
    'in pages of five, the newest first',
    [
      ['_sort', '-date'],
      ['_count', '5'],
    ],
  ],
  ['with the encounter of each that has one', [['_include', 'Observation:encounter']]],
])('Observations %s', async (_by, params) => {
  const all = await expectSame('Observation', [['patient', patient], ...params]);
  expect(all.length).toBeGreaterThan(0);
  showFigure(`${all.length} resources`);
});

test('Observations with the Provenance of each: whole where all that it tells of is on the page, else cut to that', async () => {
  const params: Pairs = [
    ['patient', patient],
    ['_revinclude', 'Provenance:target'],
    // One page: on each of several it is cut to what is there.
    ['_count', '200'],
  ];
  const isProvenance = ({ resourceType }: Kept): boolean => resourceType === 'Provenance';
  const [ours, theirs] = [await shown('Observation', params), await stands('Observation', params)];
  const [records, theirRecords] = [ours, theirs].map((all) => all.filter((one) => !isProvenance(one)));
  expect(byId(records ?? [])).toEqual(byId(theirRecords ?? []));
  const names = new Set((records ?? []).map(({ resourceType, id }) => `${resourceType}/${id}`));
  const found = new Map(ours.filter(isProvenance).map((one) => [one.id, one]));
  const counts = { whole: 0, cut: 0 };
  for (const provenance of theirs.filter(isProvenance)) {
    const one = found.get(provenance.id) ?? {};
    const targets = provenance['target'] as { reference: string }[];
    const onPage = targets.filter(({ reference }) => names.has(reference));
    const isWhole = onPage.length === targets.length;
    counts[isWhole ? 'whole' : 'cut'] += 1;
    if (isWhole) expect(one).toEqual(provenance);
    else expect(one).toMatchObject({ target: onPage, recorded: provenance['recorded'] });
    // Whoever asks for it by its id has the rest looked up.
    expect(parse(await through(`Provenance/${provenance.id}`))).toEqual(provenance);
  }
  expect([found.size, counts.whole > 0, counts.cut > 0]).toEqual([counts.whole + counts.cut, true, true]);
  showFigure(`${counts.whole} whole, ${counts.cut} cut`);
});

test('an earlier version, and how many there were', async () => {
  const [weight] = await stand.direct.search('Observation', [
    ['patient', patient],
    ['code', 'http://loinc.org|29463-7'],
    ['date', '2026-11-14'],
  ]);
  const id = weight?.id ?? '';
  const versions = await stand.direct.versions('Observation', id);
  expect(versions).toHaveLength(2);
  const first = String((versions[0]?.['meta'] as Json)['versionId']);
  const [theirs] = (await stand.direct.pages(`Observation/${id}/_history/${first}`, [])).map(parse);
  expect(parse(await through(`Observation/${id}/_history/${first}`))).toEqual(theirs);
  expect(await shown(`Observation/${id}/_history`, [])).toHaveLength(2);
});

test('a patient without a link is not there for it', async () => {
  expect((await get(`${base}/${stranger}`)).status).toBe(404);
  expect(await shown('Observation', [['patient', stranger]])).toEqual([]);
});
