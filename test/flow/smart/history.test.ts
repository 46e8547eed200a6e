import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startHostileEhr } from '../../support/smart/hostile-ehr.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

const MARKER = 'MarkerOfAnotherPatient';

let ehr: Awaited<ReturnType<typeof startHostileEhr>>;
let rig: SmartRig;
let token: string;

beforeAll(async () => {
  ehr = await startHostileEhr();
  rig = await startSmart(ehr.url, { patients: 'all' });
  token = rig.token(aGrant('patient/*.rs', { patient: 'a' }));
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});

const version = (n: number, patient = 'a'): Record<string, unknown> => ({
  resourceType: 'Observation',
  id: '1',
  meta: { versionId: String(n), lastUpdated: `2026-01-0${n}T00:00:00Z` },
  text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">own</div>' },
  status: 'final',
  code: { text: patient === 'a' ? 'own' : MARKER },
  subject: { reference: `Patient/${patient}` },
});

/** An EHR with these versions, newest first, so many on a page. It knows neither `_count` nor `_since`. */
function holds(versions: readonly Record<string, unknown>[], onPage = 100): void {
  ehr.answers(({ url }) => {
    if (!url.includes('_history')) return { body: versions[0] };
    const from = Number(/page=(\d+)/.exec(url)?.[1] ?? 0);
    const isMore = from + onPage < versions.length;
    return {
      body: {
        resourceType: 'Bundle',
        type: 'history',
        link: isMore ? [{ relation: 'next', url: `${ehr.url}/Observation/1/_history?page=${from + onPage}` }] : [],
        entry: versions.slice(from, from + onPage).map((resource) => ({
          resource,
          request: { method: 'PUT', url: 'Observation/1' },
          response: { status: '200' },
        })),
      },
    };
  });
}

interface History {
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly {
    readonly resource: { readonly meta: { readonly versionId: string } } & Record<string, unknown>;
  }[];
}
const get = async (path: string, by = token) => {
  const answer = await rig.get(path, by);
  const text = await answer.text();
  expect(text).not.toContain(MARKER);
  return { status: answer.status, body: JSON.parse(text) as History };
};
const linkOf = ({ link }: History, relation: string): string | undefined =>
  link.find((one) => one.relation === relation)?.url.slice(rig.url.length);

/** The versions on each page, to the end. */
async function pages(path: string): Promise<string[][]> {
  const all: string[][] = [];
  for (let next: string | undefined = `/fhir/${path}`; next !== undefined && all.length < 20;) {
    const { status, body } = await get(next);
    expect(status).toBe(200);
    all.push((body.entry ?? []).map(({ resource }) => resource.meta.versionId));
    next = linkOf(body, 'next');
  }
  return all;
}

const five = [5, 4, 3, 2, 1].map((n) => version(n));

test.each([
  [100, 2, [['5', '4'], ['3', '2'], ['1']]],
  [2, 2, [['5', '4'], ['3', '2'], ['1']]],
  [3, 2, [['5', '4'], ['3'], ['2', '1']]],
  [2, 100, [['5', '4'], ['3', '2'], ['1']]],
  [100, 100, [['5', '4', '3', '2', '1']]],
])('with %i on a page of the EHR, pages of %i hold every version once', async (onPage, count, expected) => {
  holds(five, onPage);
  expect(await pages(`Observation/1/_history?_count=${count}`)).toEqual(expected);
});

test('versions before _since are left out, though the EHR shows them', async () => {
  holds(five, 2);
  expect((await pages('Observation/1/_history?_since=2026-01-03T00:00:00Z')).flat()).toEqual(['5', '4', '3']);
  expect((await pages('Observation/1/_history?_since=2026-01-03T02:00:00%2B02:00')).flat()).toEqual(['5', '4', '3']);
  expect((await pages('Observation/1/_history?_since=2026-01-03T00:00:00.001Z&_count=1')).flat()).toEqual(['5', '4']);
  expect(await pages('Observation/1/_history?_since=2027-01-01T00:00:00Z')).toEqual([[]]);
});

test('_since goes on to the EHR, _count does not: pages are cut here', async () => {
  holds(five);
  await get('/fhir/Observation/1/_history?_count=2&_since=2026-01-03T00:00:00Z');
  expect(ehr.asked.map(({ url }) => url)).toContain('/ehr/Observation/1/_history?_since=2026-01-03T00%3A00%3A00Z');
});

test('the self link says what was done', async () => {
  holds(five);
  const { body } = await get('/fhir/Observation/1/_history?_count=500&_since=2026-01-03T00:00:00%2B02:00');
  expect(linkOf(body, 'self')).toBe('/fhir/Observation/1/_history?_count=200&_since=2026-01-03T00%3A00%3A00%2B02%3A00');
});

test('versions that were another patient’s are on no page, and no page between is empty', async () => {
  const mixed = [version(9), version(8, 'b'), version(7, 'b'), version(6, 'b'), version(5), version(4, 'b')];
  for (const onPage of [1, 2, 100]) {
    holds(mixed, onPage);
    const all = await pages('Observation/1/_history?_count=1');
    expect(all.slice(0, 2)).toEqual([['9'], ['5']]);
    expect(all.slice(2).flat()).toEqual([]);
  }
});

test('a history is summarised on every page', async () => {
  holds(five);
  const first = await get('/fhir/Observation/1/_history?_summary=true&_count=3');
  const second = await get(linkOf(first.body, 'next') ?? '');
  for (const { resource } of [...(first.body.entry ?? []), ...(second.body.entry ?? [])]) {
    expect(resource['text']).toBeUndefined();
    expect(JSON.stringify(resource.meta)).toContain('SUBSETTED');
  }
  expect(second.body.entry).toHaveLength(2);
});

test('a page of a history is worth nothing to another token, and nothing once the record is another’s', async () => {
  holds(five);
  const first = await get('/fhir/Observation/1/_history?_count=2');
  const next = linkOf(first.body, 'next') ?? '';
  const other = rig.token(aGrant('patient/*.rs', { patient: 'b' }));
  expect((await get(next, other)).status).toBe(400);
  holds([version(6, 'b'), ...five]);
  expect((await get(next)).status).toBe(404);
});

test.each([
  '_count=0',
  '_count=-1',
  '_count=1&_count=2',
  '_since=2026-01-03',
  '_since=yesterday',
  '_since=2026-13-03T00:00:00Z',
  '_since=2026-01-03T00:00:00',
  '_at=2026-01-03',
  '_sort=-_lastUpdated',
])('%s is refused', async (query) => {
  holds(five);
  expect((await get(`/fhir/Observation/1/_history?${query}`)).status).toBe(400);
});

test('a read takes neither', async () => {
  holds(five);
  for (const query of ['_count=1', '_since=2026-01-03T00:00:00Z'])
    for (const path of ['Observation/1', 'Observation/1/_history/5'])
      expect((await get(`/fhir/${path}?${query}`)).status).toBe(400);
});

test('a deletion is told with what was deleted: of another patient’s version it is not', async () => {
  const deletion = (n: number) => ({
    request: { method: 'DELETE', url: 'Observation/1' },
    response: { status: '204', etag: `W/"${n}"`, lastModified: `2026-01-0${n}T00:00:00Z` },
  });
  const put = (resource: Record<string, unknown>) => ({
    resource,
    request: { method: 'PUT', url: 'Observation/1' },
    response: { status: '200' },
  });
  const told = async (query = ''): Promise<string[]> => {
    const { status, body } = await get(`/fhir/Observation/1/_history${query}`);
    expect(status).toBe(200);
    const entries = (body.entry ?? []) as readonly {
      resource?: { meta: { versionId: string } };
      response: { etag?: string };
    }[];
    return entries.map(({ resource, response }) => resource?.meta.versionId ?? `deleted ${response.etag ?? ''}`);
  };
  const answers = (entry: readonly object[]): void =>
    ehr.answers(({ url }) => ({
      body: url.includes('_history') ? { resourceType: 'Bundle', type: 'history', entry } : version(9),
    }));

  answers([put(version(9)), deletion(8), put(version(7, 'b')), deletion(6), put(version(5)), deletion(4), deletion(3)]);
  expect(await told()).toEqual(['9', 'deleted W/"6"', '5']);
  expect(await told('?_since=2026-01-06T00:00:00Z')).toEqual(['9', 'deleted W/"6"']);
  // What was deleted is not shown, so nobody knows whose it was.
  answers([put(version(9)), deletion(8)]);
  expect(await told()).toEqual(['9']);
});
