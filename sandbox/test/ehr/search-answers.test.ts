import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startSearchFixture, type SearchFixture } from './search-fixture.ts';
import {
  anObservation,
  aPatient,
  entriesOf,
  freshEhr,
  idsOf,
  linkOf,
  must,
  query,
  sorted,
  type Ask,
  type Fhir,
} from './support.ts';

let fixture: SearchFixture;
const ask: Ask = (...args) => fixture.ask(...args);
beforeAll(async () => {
  fixture = await startSearchFixture();
});
afterAll(() => fixture.ehr.stop());

const paramsOf = (url: string): [string, string][] => [...new URL(url).searchParams.entries()];
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function follow(first: Fhir, relation: string): Promise<Fhir[]> {
  const pages = [first];
  for (let url = linkOf(first, relation); url !== undefined; url = linkOf(must(pages.at(-1)), relation)) {
    if (pages.length > 50) throw new Error(`the ${relation} links do not end`);
    pages.push((await ask('GET', url)).body);
  }
  return pages;
}

describe('the searchset', () => {
  test('holds each match with its full address and mode, the total and the search that was done', async () => {
    const found = await ask('GET', 'Patient?identifier=urn:example:mrn%7CA1&gender=female');
    const read = await ask('GET', 'Patient/p1');
    expect([found.status, found.body.resourceType, found.body.type, found.body.total]).toEqual([
      200,
      'Bundle',
      'searchset',
      1,
    ]);
    expect(found.headers.get('content-type')).toMatch(/^application\/fhir\+json/);
    expect(found.body.entry).toEqual([
      { fullUrl: `${fixture.ehr.url}/Patient/p1`, resource: read.body, search: { mode: 'match' } },
    ]);
    expect(paramsOf(must(linkOf(found.body, 'self')))).toEqual(
      expect.arrayContaining([
        ['identifier', 'urn:example:mrn|A1'],
        ['gender', 'female'],
      ]),
    );
  });

  test('of no match has a total of 0 and no entry element', async () => {
    const { status, body } = await ask('GET', 'Patient?_id=nobody');
    expect([status, body.total, 'entry' in body]).toEqual([200, 0, false]);
  });

  test('of a type without parameters holds all of the type', async () => {
    const { body } = await ask('GET', 'Patient');
    expect([body.total, idsOf(body).length]).toEqual([10, 10]);
  });
});

describe('POST _search', () => {
  test('finds what GET finds', async () => {
    const criteria = query(['identifier', 'A1'], ['_sort', '_id']);
    const [get, post] = [
      await ask('GET', `Patient?${criteria}`),
      await ask('POST', 'Patient/_search', { body: criteria, headers: FORM }),
    ];
    expect([post.status, post.body.total, post.body.entry]).toEqual([200, 3, get.body.entry]);
  });

  test('takes parameters of its address too', async () => {
    const found = await ask('POST', 'Patient/_search?gender=male', { body: 'identifier=A1', headers: FORM });
    expect(idsOf(found.body)).toEqual(['p2']);
  });

  test('is paged by links that GET follows', async () => {
    const first = await ask('POST', 'Patient/_search', { body: '_count=4&gender=other', headers: FORM });
    const pages = await follow(first.body, 'next');
    expect(sorted(pages.flatMap((page) => idsOf(page)))).toEqual(['s0', 's1', 's2', 's3', 's4', 's5', 's6']);
  });
});

describe('paging', () => {
  test.each([
    'Patient?_count=3',
    'Patient?_count=3&_sort=gender',
    'Patient?_count=1&_sort=-birthdate',
    'Patient?_count=3&_include=Patient:organization',
  ])('%s shows every match once by its next links, and the same pages back by its previous links', async (path) => {
    const all = idsOf((await ask('GET', path.replace(/_count=\d/, '_count=100'))).body);
    const forth = await follow((await ask('GET', path)).body, 'next');
    const back = await follow(must(forth.at(-1)), 'previous');
    const seen = forth.map((page) => idsOf(page));
    expect(seen.flat()).toEqual(all);
    expect(sorted(new Set(seen.flat()).values().toArray())).toEqual(sorted(all));
    expect(back.map((page) => idsOf(page)).reverse()).toEqual(seen);
    expect(forth.map((page) => page.total)).toEqual(forth.map(() => 10));
  });

  test('the last page has no next link and the first no previous link', async () => {
    const pages = await follow((await ask('GET', 'Patient?_count=4')).body, 'next');
    expect(
      pages.map((page) => [
        idsOf(page).length,
        linkOf(page, 'next') !== undefined,
        linkOf(page, 'previous') !== undefined,
      ]),
    ).toEqual([
      [4, true, false],
      [4, true, true],
      [2, false, true],
    ]);
  });

  test('a page as large as the result has no next link', async () => {
    expect(linkOf((await ask('GET', 'Patient?_count=10')).body, 'next')).toBeUndefined();
  });

  test.each(['Patient?gender=other&_count=0', 'Patient?gender=other&_summary=count'])(
    '%s tells the total only',
    async (path) => {
      const { status, body } = await ask('GET', path);
      expect([status, body.type, body.total, 'entry' in body, linkOf(body, 'next')]).toEqual([
        200,
        'searchset',
        7,
        false,
        undefined,
      ]);
    },
  );

  test('included resources count neither for the total nor for the page', async () => {
    const { body } = await ask('GET', 'Observation?patient=p1&_count=1&_sort=_id&_include=Observation:patient');
    expect([body.total, idsOf(body), idsOf(body, 'include')]).toEqual([2, ['o1'], ['p1']]);
  });
});

describe('_sort', () => {
  test.each([
    ['Patient?_sort=birthdate&birthdate:missing=false', ['p1', 'p2']],
    ['Patient?_sort=-birthdate&birthdate:missing=false', ['p2', 'p1']],
    ['Patient?_sort=family&family:missing=false', ['p1', 'p2', 'p3']],
    ['Patient?_sort=-family&family:missing=false', ['p3', 'p2', 'p1']],
    ['Observation?_id=second,offset,instant&_sort=date', ['second', 'offset', 'instant']],
    ['Observation?_id=second,offset,instant&_sort=-date', ['instant', 'offset', 'second']],
    ['Observation?_id=o1,o2,o3,o4&_sort=status,-_id', ['o2', 'o4', 'o1', 'o3']],
    ['Patient?_id=p1,p2,p3&_sort=-_lastUpdated', ['p3', 'p2', 'p1']],
    ['Patient?_id=p3,p2,p1&_sort=_lastUpdated', ['p1', 'p2', 'p3']],
    ['Patient?_id=p3,p2,p1&_sort=_id', ['p1', 'p2', 'p3']],
    ['Patient?_id=p1,p2,p3&_sort=-_id', ['p3', 'p2', 'p1']],
  ])('%s', async (path, expected) => {
    expect(idsOf((await ask('GET', path)).body)).toEqual(expected);
  });
});

describe('_include and _revinclude', () => {
  test.each([
    ['Observation?_id=o1,o2,o3&_include=Observation:patient', ['o1', 'o2', 'o3'], ['p1', 'p2']],
    ['Observation?_id=o1,o4&_include=Observation:subject', ['o1', 'o4'], ['p1', 'p1']],
    ['Observation?_id=o1,o4&_include=Observation:subject:Patient', ['o1', 'o4'], ['p1']],
    ['Observation?_id=o5&_include=Observation:patient', ['o5'], []],
    ['DiagnosticReport?_include=DiagnosticReport:result', ['r1'], ['o1', 'o2']],
    ['DiagnosticReport?_include=DiagnosticReport:result&_include=DiagnosticReport:patient', ['r1'], ['o1', 'o2', 'p1']],
    ['Observation?_id=o1,o2&_revinclude=Provenance:target', ['o1', 'o2'], ['v1']],
    ['Observation?_id=o1,o3&_revinclude=Provenance:target', ['o1', 'o3'], ['v1']],
    ['Observation?_id=o2&_revinclude=Provenance:target', ['o2'], []],
    ['Patient?_id=p1&_revinclude=Observation:patient&_revinclude=Device:patient', ['p1'], ['o1', 'o2', 'w1']],
  ])('%s', async (path, matches, included) => {
    const { body } = await ask('GET', path);
    expect([sorted(idsOf(body)), sorted(idsOf(body, 'include')), body.total]).toEqual([
      matches,
      included,
      matches.length,
    ]);
  });
});

test('_elements keeps what was asked for and what identifies, and says SUBSETTED', async () => {
  const { body } = await ask('GET', 'Observation?_id=o1&_elements=status,subject');
  const found = must(entriesOf(body)[0]?.resource);
  expect([found.resourceType, found.id, found.meta?.versionId, found['status'], found['subject']]).toEqual([
    'Observation',
    'o1',
    '1',
    'final',
    { reference: 'Patient/p1' },
  ]);
  expect(['identifier', 'performer', 'category'].filter((name) => name in found)).toEqual([]);
  expect(found.meta?.tag).toEqual([
    expect.objectContaining({ system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' }),
  ]);
  expect((await ask('GET', 'Observation/o1')).body.meta?.tag).toBeUndefined();
});

describe('parameters that the server does not know', () => {
  test('are ignored and left out of the self link', async () => {
    const { status, body } = await ask('GET', 'Patient?gender=female&favourite-colour=blue');
    expect([status, idsOf(body)]).toEqual([200, ['p1']]);
    expect(paramsOf(must(linkOf(body, 'self'))).map(([name]) => name)).not.toContain('favourite-colour');
  });

  test('are refused under Prefer: handling=strict', async () => {
    const strict = { headers: { prefer: 'handling=strict' } };
    const refused = await ask('GET', 'Patient?gender=female&favourite-colour=blue', strict);
    expect([refused.status, refused.body.resourceType]).toEqual([400, 'OperationOutcome']);
    expect((await ask('GET', 'Patient?gender=female', strict)).status).toBe(200);
  });

  test('are ignored under Prefer: handling=lenient', async () => {
    const { status } = await ask('GET', 'Patient?favourite-colour=blue', { headers: { prefer: 'handling=lenient' } });
    expect(status).toBe(200);
  });
});

// https://hl7.org/fhir/R4/search.html#modifiers: a modifier that is not supported for the parameter SHALL be refused.
describe('searches that cannot be done as asked are 400 with an OperationOutcome', () => {
  test.each([
    'Patient?family:bogus=x',
    'Patient?gender:contains=fem',
    'Patient?gender:exact=female',
    'Patient?family:not=x',
    'Patient?birthdate:exact=1980',
    'Patient?gender:missing=maybe',
    'Observation?patient:Starship=p1',
    'Observation?patient:exact=p1',
    'Observation?date=2024-13-01',
    'Observation?date=2024-02-30',
    'Observation?date=2024-03-10T25:00:00Z',
    'Observation?date=yesterday',
    'Observation?date=xx2024-01-01',
    'Observation?date=2024-1-1',
    'Observation?date=ge2024-03-10,nonsense',
    'Patient?_lastUpdated=ge',
  ])('%s', async (path) => {
    const refused = await ask('GET', path);
    expect([refused.status, refused.body.resourceType]).toEqual([400, 'OperationOutcome']);
  });
});

describe('a search after a write', () => {
  const server = freshEhr();

  test('finds the current version only, and nothing that was deleted', async () => {
    await server.ask('PUT', 'Patient/a', { body: aPatient('old', { id: 'a' }) });
    await server.ask('PUT', 'Patient/a', { body: aPatient('new', { id: 'a' }) });
    const found = async (value: string) => idsOf((await server.ask('GET', `Patient?identifier=${value}`)).body);
    expect([await found('old'), await found('new')]).toEqual([[], ['a']]);
    await server.ask('DELETE', 'Patient/a');
    expect([await found('new'), (await server.ask('GET', 'Patient')).body.total]).toEqual([[], 0]);
  });

  test('does not include what was deleted', async () => {
    await server.ask('PUT', 'Patient/a', { body: aPatient('1', { id: 'a' }) });
    await server.ask('PUT', 'Observation/o', {
      body: anObservation('1', { id: 'o', subject: { reference: 'Patient/a' } }),
    });
    await server.ask('DELETE', 'Patient/a');
    const { body } = await server.ask('GET', 'Observation?_include=Observation:patient');
    expect([idsOf(body), idsOf(body, 'include')]).toEqual([['o'], []]);
  });
});
