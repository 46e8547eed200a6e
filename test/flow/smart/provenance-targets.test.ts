import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startHostileEhr } from '../../support/smart/hostile-ehr.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

/**
 * A Provenance is shown for the targets that may be seen. Where others are left out, nothing of it is shown that may
 * tell of them.
 */
const MRN = 'urn:example:mrn';
const MARKER = 'MarkerOfAnotherPatient';
const OWN = 'Observation/own';
const OWN_2 = 'Observation/own-2';
const LINKED = 'Observation/linked';
const STRANGE = 'Observation/strange';

const patient = (id: string): object => ({
  resourceType: 'Patient',
  id,
  identifier: [{ system: MRN, value: `mrn-${id}` }],
});
const observation = (id: string, of: string, versionId = '2'): object => ({
  resourceType: 'Observation',
  id,
  meta: { versionId },
  subject: { reference: `Patient/${of}` },
});
const RECORDS: Readonly<Record<string, object>> = {
  'Patient/a': patient('a'),
  'Patient/b': patient('b'),
  'Patient/c': patient('c'),
  [OWN]: observation('own', 'a'),
  [`${OWN}/_history/1`]: observation('own', 'c', '1'),
  [OWN_2]: observation('own-2', 'a'),
  [`${OWN_2}/_history/1`]: observation('own-2', 'a', '1'),
  [LINKED]: observation('linked', 'b'),
  [STRANGE]: observation('strange', 'c'),
  'Practitioner/p': { resourceType: 'Practitioner', id: 'p' },
};

let ehr: Awaited<ReturnType<typeof startHostileEhr>>;
let rig: SmartRig;
let targets: readonly unknown[] = [];
let agents: readonly object[] = [];
const provenance = (): object => ({
  resourceType: 'Provenance',
  id: 'x',
  meta: { versionId: '1', source: `urn:${MARKER}`, extension: [{ url: 'urn:e', valueString: MARKER }] },
  text: { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${MARKER}</div>` },
  contained: [{ resourceType: 'Organization', id: 'o', name: MARKER }],
  extension: [{ url: 'urn:e', valueString: MARKER }],
  target: targets,
  recorded: '2026-01-01T00:00:00Z',
  _recorded: { extension: [{ url: 'urn:e', valueString: MARKER }] },
  policy: [`urn:${MARKER}`],
  location: { reference: 'Location/1', display: MARKER },
  reason: [{ text: MARKER, coding: [{ system: 'urn:r', code: 'TREAT', display: MARKER }] }],
  activity: { text: MARKER, coding: [{ system: 'urn:a', code: 'CREATE', display: MARKER }] },
  agent: [
    { type: { coding: [{ system: 'urn:t', code: 'author' }], text: MARKER }, who: { reference: 'Practitioner/p' } },
    { who: { identifier: { value: MARKER }, display: MARKER }, onBehalfOf: { reference: '#o', display: MARKER } },
    { who: { reference: 'Device/x', display: MARKER }, extension: [{ url: 'urn:e', valueString: MARKER }] },
    ...agents,
  ],
  entity: [{ role: 'source', what: { reference: STRANGE, display: MARKER }, agent: [{ who: { display: MARKER } }] }],
  signature: [{ type: [{ code: 'x' }], when: '2026-01-01T00:00:00Z', who: { display: MARKER }, data: 'eA==' }],
});

beforeAll(async () => {
  ehr = await startHostileEhr();
  rig = await startSmart(ehr.url);
  await rig.link('mrn-a');
  await rig.link('mrn-b');
  ehr.answers(({ method, url, body }) => {
    const path = url.replace(/^\/ehr\//, '');
    if (method === 'GET') {
      if (path === 'Provenance/x/_history')
        return { body: { resourceType: 'Bundle', type: 'history', entry: [{ resource: provenance() }] } };
      const found = path === 'Provenance/x' ? provenance() : RECORDS[path];
      return found === undefined ? { status: 404, body: {} } : { body: found };
    }
    const [type = ''] = path.split('/');
    const form = new URLSearchParams(body);
    const own = { resource: RECORDS[OWN], search: { mode: 'match' } };
    const along = { resource: provenance(), search: { mode: 'include' } };
    const entry =
      type === 'Provenance'
        ? [{ resource: provenance() }]
        : form.has('_id')
          ? (form.get('_id') ?? '').split(',').flatMap((id) => {
              const resource = RECORDS[`${type}/${id}`];
              return resource === undefined ? [] : [{ resource }];
            })
          : type === 'Observation'
            ? [own, ...(form.has('_revinclude') ? [along] : [])]
            : [];
    return { body: { resourceType: 'Bundle', type: 'searchset', entry } };
  });
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});

const WAYS = [
  'Provenance/x',
  `Provenance?target=${OWN}`,
  'Observation?patient=a&_revinclude=Provenance:target',
  'Patient/a/$everything?_type=Observation,Provenance',
];
const refs = (...names: readonly unknown[]): unknown[] =>
  names.map((one) => (typeof one === 'string' ? { reference: one } : one));

type As = 'whole' | 'cut' | 'hidden';

/** How it is shown in each of the ways. What is cut tells of nothing but its targets that may be seen. */
async function shownIn(token: string, seen: readonly string[]): Promise<As[]> {
  const shown: As[] = [];
  for (const way of [...WAYS, 'Provenance/x/_history']) {
    const answer = await rig.get(`/fhir/${way}`, token);
    expect([way, [200, 403, 404].includes(answer.status)]).toEqual([way, true]);
    const text = await answer.text();
    const isThere = text.includes('"resourceType":"Provenance"');
    const as = !isThere ? 'hidden' : text.includes(MARKER) ? 'whole' : 'cut';
    shown.push(as);
    if (as !== 'cut') continue;
    expect(text).toContain('"SUBSETTED"');
    expect(text).not.toContain(STRANGE);
    const references = [...text.matchAll(/"target":\[(.*?)\]/g)].flatMap(([, all = '']) => [
      ...all.matchAll(/"reference":"([^"]+)"/g),
    ]);
    for (const [, name = ''] of references) expect([way, seen.includes(name)]).toEqual([way, true]);
  }
  const [read, ...others] = shown;
  expect(others.pop()).toBe(read);
  return shown.slice(0, 4);
}
const all = (as: As): As[] => [as, as, as, as];
const BEYOND_THE_PAGE: As[] = ['whole', 'whole', 'cut', 'cut'];
const OWN_ALONE = [OWN, `${OWN}/_history/2`, OWN_2, `${OWN_2}/_history/1`, 'Practitioner/p'];

describe('to a token of one patient', () => {
  test.each<[string, unknown[], As[]]>([
    ['one record of the patient\u2019s', refs(OWN), all('whole')],
    ['two of them', refs(OWN, OWN_2), BEYOND_THE_PAGE],
    ['one, and who wrote it', refs(OWN, 'Practitioner/p'), BEYOND_THE_PAGE],
    ['an older version that was the patient\u2019s', refs(OWN, `${OWN_2}/_history/1`), BEYOND_THE_PAGE],
    ['the current version, named', refs(`${OWN}/_history/2`), all('whole')],
    ['own first, then another\u2019s', refs(OWN, STRANGE), all('cut')],
    ['another\u2019s first, then own', refs(STRANGE, OWN), all('cut')],
    ['one between two of the own', refs(OWN, LINKED, OWN_2), all('cut')],
    ['own, and another Patient', refs(OWN, 'Patient/c'), all('cut')],
    ['own, and one that is not there', refs(OWN, 'Observation/none'), all('cut')],
    ['own, and one of another server', refs(OWN, 'https://other.example/Observation/own-2'), all('cut')],
    ['own, and one known by a number', refs(OWN, { identifier: { value: '1' } }), all('cut')],
    ['own, and a type that is not served', refs(OWN, 'Task/1'), all('cut')],
    ['others\u2019 alone', refs(STRANGE, LINKED), all('hidden')],
    ['a version that was another\u2019s', refs(`${OWN}/_history/1`), all('hidden')],
    [
      'own, and an older version that was another\u2019s',
      refs(OWN_2, `${OWN}/_history/1`),
      ['cut', 'cut', 'hidden', 'hidden'],
    ],
    ['who wrote it alone', refs('Practitioner/p'), all('hidden')],
    ['nothing', [], all('hidden')],
  ])('a Provenance about %s', async (_, given, expected) => {
    targets = given;
    agents = [];
    expect(await shownIn(rig.token(aGrant('patient/*.rs', { patient: 'a' })), OWN_ALONE)).toEqual(expected);
  });

  test.each<[string, object]>([
    ['names another Patient as its agent', { who: { reference: 'Patient/c' } }],
    ['acts for another Patient', { who: { reference: 'Practitioner/p' }, onBehalfOf: { reference: 'Patient/b' } }],
  ])('one that is about own records and %s is cut', async (_, agent) => {
    targets = refs(OWN);
    agents = [agent];
    const token = rig.token(aGrant('patient/*.rs', { patient: 'a' }));
    expect(await shownIn(token, OWN_ALONE)).toEqual(all('cut'));
    expect(await (await rig.get('/fhir/Provenance/x', token)).text()).not.toMatch(/Patient\/[bc]/);
  });

  test('of what is cut the codes, the practitioner and the time stay, and it is still a Provenance', async () => {
    targets = refs(OWN, STRANGE);
    agents = [{ who: { reference: 'Patient/a' } }];
    const answer = await rig.get('/fhir/Provenance/x', rig.token(aGrant('patient/*.rs', { patient: 'a' })));
    const masked = {
      extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'masked' }],
    };
    expect(await answer.json()).toEqual({
      resourceType: 'Provenance',
      id: 'x',
      meta: {
        versionId: '1',
        tag: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' }],
      },
      target: [{ reference: OWN }],
      recorded: '2026-01-01T00:00:00Z',
      reason: [{ coding: [{ system: 'urn:r', code: 'TREAT' }] }],
      activity: { coding: [{ system: 'urn:a', code: 'CREATE' }] },
      agent: [
        { type: { coding: [{ system: 'urn:t', code: 'author' }] }, who: { reference: 'Practitioner/p' } },
        { who: masked, onBehalfOf: masked },
        { who: masked },
        { who: { reference: 'Patient/a' } },
      ],
    });
  });

  test('one whose meaning may hang on what would be left out is not shown in part', async () => {
    targets = refs(OWN, STRANGE);
    agents = [{ who: { reference: 'Practitioner/p' }, modifierExtension: [{ url: 'urn:m', valueBoolean: true }] }];
    const token = rig.token(aGrant('patient/*.rs', { patient: 'a' }));
    expect(await shownIn(token, [])).toEqual(all('hidden'));
  });

  test('what comes along costs the EHR no question', async () => {
    targets = refs(OWN, OWN_2, LINKED, STRANGE, 'Practitioner/p');
    const before = ehr.asked.length;
    await rig.get('/fhir/Observation?patient=a&_revinclude=Provenance:target', rig.token(aGrant('user/*.rs')));
    expect(ehr.asked.slice(before).filter(({ url }) => url.includes('_search'))).toHaveLength(1);
  });
});

describe('to a token of a clinician', () => {
  test.each<[string, unknown[], As[]]>([
    [
      'two linked patients is shown for both, and in each one\u2019s everything for that one',
      refs(OWN, LINKED),
      BEYOND_THE_PAGE,
    ],
    ['a linked patient and a stranger', refs(OWN, STRANGE), all('cut')],
    ['a stranger and a linked patient', refs(STRANGE, OWN), all('cut')],
    ['a linked patient alone', refs(OWN), all('whole')],
    ['a stranger alone', refs(STRANGE), all('hidden')],
  ])('a Provenance about %s', async (_, given, expected) => {
    targets = given;
    agents = [];
    expect(await shownIn(rig.token(aGrant('user/*.rs')), [OWN, LINKED])).toEqual(expected);
  });

  test('one of whose targets the scopes do not cover is cut', async () => {
    targets = refs(OWN, 'Patient/a');
    const token = rig.token(aGrant('user/Provenance.rs user/Observation.rs'));
    expect((await shownIn(token, [OWN])).slice(0, 3)).toEqual(['cut', 'cut', 'cut']);
    const both = rig.token(aGrant('user/Provenance.rs user/Observation.rs user/Patient.rs'));
    expect(await shownIn(both, [OWN, 'Patient/a'])).toEqual(BEYOND_THE_PAGE);
  });
});
