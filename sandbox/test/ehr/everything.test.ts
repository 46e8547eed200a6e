import { beforeEach, describe, expect, test } from '@jest/globals';
import { loadValidator } from '../../../src/r4/index.ts';
import { DEMO_CLINICIAN, DEMO_PATIENTS, DEMO_STRANGER, seedEhr } from '../../index.ts';
import { entriesOf, freshEhr, idsOf, linkOf, must, type Fhir } from './support.ts';

const server = freshEhr();
const { ask } = server;
beforeEach(() => seedEhr(server.ehr()));

/** The first patient's chart is larger than that of the others. */
const BRUNO = must(DEMO_PATIENTS[1]).id;
const typesOf = (body: Fhir): string[] =>
  [...new Set(entriesOf(body).map((entry) => must(entry.resource).resourceType))].sort();

describe('the seed', () => {
  test('is sound R4, and every reference in it leads somewhere', async () => {
    const validator = loadValidator();
    const { repository, log } = server.ehr();
    const broken: string[] = [];
    for (const { type, id, json } of log.writes()) {
      const issues = validator.validate(JSON.parse(must(json)));
      if (issues.length > 0) broken.push(`${type}/${id}: ${must(issues[0]).text}`);
      for (const [, target = '', targetId = ''] of must(json).matchAll(/"reference":"(\w+)\/([\w-]+)"/g))
        if (repository.read(target, targetId) === undefined) broken.push(`${type}/${id} -> ${target}/${targetId}`);
    }
    expect(broken).toEqual([]);
    expect((await ask('GET', `Practitioner/${DEMO_CLINICIAN.id}`)).status).toBe(200);
  });

  test('is what a person wrote: none of it counts as a write of the gateway', () => {
    expect(
      new Set(
        server
          .ehr()
          .log.writes()
          .map(({ requestId }) => requestId),
      ),
    ).toEqual(new Set(['a-person']));
  });

  test.each(['Encounter', 'Condition', 'AllergyIntolerance', 'MedicationRequest', 'Immunization', 'CareTeam'])(
    'has one %s of each patient but the first, found by patient',
    async (type) => {
      for (const { id } of [...DEMO_PATIENTS.slice(1), DEMO_STRANGER])
        expect((await ask('GET', `${type}?patient=${id}`)).body.total).toBe(1);
    },
  );
});

describe('Patient/$everything', () => {
  test('holds the patient, the chart, and what it refers to, and nothing of anyone else', async () => {
    const { status, body } = await ask('GET', `Patient/${BRUNO}/$everything`);
    expect([status, body.type]).toEqual([200, 'searchset']);
    expect(typesOf(body)).toEqual([
      'AllergyIntolerance',
      'CareTeam',
      'Condition',
      'Encounter',
      'Immunization',
      'Medication',
      'MedicationRequest',
      'Organization',
      'Patient',
      'Practitioner',
    ]);
    const others = [...DEMO_PATIENTS, DEMO_STRANGER].filter(({ id }) => id !== BRUNO);
    expect(others.filter(({ id }) => JSON.stringify(body).includes(id))).toEqual([]);
  });

  test('takes _type, start, end and _since', async () => {
    const types = async (query: string) => typesOf((await ask('GET', `Patient/${BRUNO}/$everything?${query}`)).body);
    expect(await types('_type=Condition,Patient')).toEqual(['Condition', 'Patient']);
    expect(await types('_type=Encounter,Immunization&start=2026')).toEqual(['Encounter']);
    expect(await types('_type=Encounter,Immunization&end=2025')).toEqual(['Immunization']);
    expect(await types('_since=2999')).toEqual([]);
  });

  test('is paged, and its pages are the whole', async () => {
    const whole = idsOf((await ask('GET', `Patient/${BRUNO}/$everything`)).body);
    const seen: string[] = [];
    for (let url: string | undefined = `Patient/${BRUNO}/$everything?_count=3`; url !== undefined;) {
      const { body } = await ask('GET', url);
      seen.push(...idsOf(body));
      url = linkOf(body, 'next');
    }
    expect(seen).toEqual(whole);
  });

  test('holds the Provenance of what is in the chart', async () => {
    server.ehr().put({ resourceType: 'Provenance', id: 'v', target: [{ reference: 'Condition/demo-condition-2' }] });
    server.ehr().put({ resourceType: 'Provenance', id: 'w', target: [{ reference: 'Condition/demo-condition-3' }] });
    expect(idsOf((await ask('GET', `Patient/${BRUNO}/$everything?_type=Provenance`)).body)).toEqual(['v']);
  });

  test.each([
    ['Patient/nobody/$everything', 404],
    [`Patient/${BRUNO}/$everything?_count=x`, 400],
    [`Patient/${BRUNO}/$everything?start=yesterday`, 400],
    [`Patient/${BRUNO}/$everything?_page=x`, 400],
    ['Condition/demo-condition-1/$everything', 404],
  ])('%s is %i', async (path, status) => {
    expect((await ask('GET', path)).status).toBe(status);
  });
});

describe('reading what is held already', () => {
  test.each([
    ['if-none-match', '"1"', 304],
    ['if-none-match', 'W/"7", W/"1"', 304],
    ['if-none-match', '*', 304],
    ['if-none-match', 'W/"11"', 200],
    ['if-modified-since', 'Fri, 01 Jan 2999 00:00:00 GMT', 304],
    ['if-modified-since', 'Sat, 01 Jan 2000 00:00:00 GMT', 200],
    ['if-modified-since', 'nonsense', 200],
  ])('%s: %s answers %i', async (name, value, status) => {
    expect((await ask('GET', `Patient/${BRUNO}`, { headers: { [name]: value } })).status).toBe(status);
  });
});

describe('the answer to a search', () => {
  test('links to its pages without telling how', async () => {
    const next = must(linkOf((await ask('GET', `Condition?_count=2`)).body, 'next'));
    expect(next.startsWith(`${server.ehr().url}/Condition?`)).toBe(true);
    expect([...new URL(next).searchParams.keys()]).toEqual(['_page']);
    expect((await ask('GET', 'Condition?_page=AAAA')).status).toBe(400);
    expect((await ask('GET', `${next}&patient=${BRUNO}`)).status).toBe(400);
  });

  test('tells no total where none is wanted', async () => {
    expect('total' in (await ask('GET', 'Condition?_total=none')).body).toBe(false);
    expect((await ask('GET', 'Condition?_total=accurate')).body.total).toBe(8);
    expect((await ask('GET', 'Condition?_total=some')).status).toBe(400);
  });

  test('shows no narrative under _summary=data, and little else under _summary=text', async () => {
    server.ehr().put({ resourceType: 'Flag', id: 'f', status: 'active', text: { status: 'generated', div: '<div/>' } });
    const keys = async (summary: string) =>
      Object.keys(must(entriesOf((await ask('GET', `Flag?_summary=${summary}`)).body)[0]?.resource)).sort();
    expect([await keys('data'), await keys('text'), await keys('false')]).toEqual([
      ['id', 'meta', 'resourceType', 'status'],
      ['id', 'meta', 'resourceType', 'text'],
      ['id', 'meta', 'resourceType', 'status', 'text'],
    ]);
    expect((await ask('GET', 'Flag?_summary=short')).status).toBe(400);
  });

  test('includes what included resources point at, when told to iterate', async () => {
    const included = async (query: string) =>
      idsOf((await ask('GET', `CareTeam?patient=${BRUNO}&${query}`)).body, 'include').sort();
    expect(await included('_include=CareTeam:patient')).toEqual([BRUNO]);
    expect(await included('_include=CareTeam:patient&_include:iterate=Patient:organization')).toEqual([
      'demo-hospital',
      BRUNO,
    ]);
    expect(await included('_include=CareTeam:patient&_include=Patient:organization')).toEqual([BRUNO]);
    expect(await included('_include=CareTeam:*')).toEqual([DEMO_CLINICIAN.id, BRUNO]);
  });
});

test('includes and the operation are told by the CapabilityStatement', async () => {
  const { rest } = (await ask('GET', 'metadata')).body as unknown as {
    rest: {
      resource: { type: string; searchInclude: string[]; searchRevInclude: string[]; operation?: { name: string }[] }[];
    }[];
  };
  const row = must(rest[0]?.resource.find(({ type }) => type === 'Patient'));
  expect(row.operation?.map(({ name }) => name)).toEqual(['everything']);
  expect(row.searchInclude).toContain('Patient:organization');
  expect(row.searchRevInclude).toContain('Observation:patient');
});
