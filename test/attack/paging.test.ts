import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nameOf } from './support/cross-patient.ts';
import { parsed } from './support/oracle.ts';
import { startAttacked, type AttackRow, type Attacked } from './support/start-attacked.ts';

let attacked: Attacked;
/** The second page of alpha's Observations, as a path of the gateway. */
let next: string;
let bravoNext: string;
let userNext: string;
/** The token that `next` was given to. */
let authorization: string;

interface Links {
  readonly link?: readonly { readonly relation: string; readonly url: string }[];
}

const nextOf = (body: unknown): string | undefined =>
  (body as Links).link?.find(({ relation }) => relation === 'next')?.url;

async function secondPage(row: AttackRow): Promise<string> {
  const { answer, wrong } = await attacked.attack(row);
  expect(wrong).toEqual([]);
  const url = nextOf(parsed(answer));
  if (url === undefined) throw new Error('no next page');
  expect(url.startsWith(`${attacked.publicUrl}/fhir`)).toBe(true);
  return url.slice(attacked.publicUrl.length);
}

beforeAll(async () => {
  attacked = await startAttacked();
  authorization = await attacked.bearer();
});
afterAll(() => attacked.stop());

test('a page leads to the next, through the gateway, to the end', async () => {
  next = await secondPage({ path: '/fhir/Observation?patient=idalpha&_count=1', authorization, expected: 'own' });
  bravoNext = await secondPage({
    path: '/fhir/Observation?patient=idbravo&_count=1',
    claims: { patient: 'idbravo' },
    strangers: ['alpha', 'charl'],
    expected: 'own-at-most',
  });
  userNext = await secondPage({
    path: '/fhir/Observation?patient=idbravo&_count=1',
    claims: { scope: 'user/*.rs', patient: undefined },
    strangers: ['charl'],
    expected: 'own-at-most',
  });
  const seen = new Set<string>();
  for (let path: string | undefined = next, pages = 0; path !== undefined && pages < 20; pages += 1) {
    const { answer, wrong } = await attacked.attack({ path, authorization, expected: 'own' });
    expect(wrong).toEqual([]);
    for (const { resource } of parsed(answer)?.entry ?? []) seen.add(JSON.stringify(resource));
    path = nextOf(parsed(answer))?.slice(attacked.publicUrl.length);
  }
  // Four and the one that was moved to her, without the first.
  expect(seen.size).toBe(4);
});

const OTHERS: readonly (readonly [string, AttackRow['claims'], AttackRow['strangers']])[] = [
  ['of another patient', { patient: 'idbravo' }, ['alpha', 'charl']],
  ['without a patient', { patient: undefined }, ['alpha', 'bravo', 'charl']],
  ['of another app', { client_id: 'other-app' }, ['alpha', 'bravo', 'charl']],
  ['of another user', { sub: 'other-user', fhirUser: 'Practitioner/other' }, ['alpha', 'bravo', 'charl']],
  ['with a scope for another type', { scope: 'patient/Condition.rs' }, ['alpha', 'bravo', 'charl']],
  ['with a scope to read but not to search', { scope: 'patient/Observation.r' }, ['alpha', 'bravo', 'charl']],
];

describe('a page is refused to a token', () => {
  test.each(OTHERS)('%s', async (_, claims = {}, strangers = []) => {
    const { wrong } = await attacked.attack({ path: next, claims, strangers, expected: 'refused' });
    expect(wrong).toEqual([]);
  });

  test('with a granular scope that the search did not have', async () => {
    const scope =
      'patient/Observation.rs?category=http://terminology.hl7.org/CodeSystem/observation-category|laboratory';
    const { wrong } = await attacked.attack({ path: next, claims: { scope }, expected: 'refused' });
    expect(wrong).toEqual([]);
  });

  test("of alpha, when it is bravo's, or a clinician's over bravo", async () => {
    for (const path of [bravoNext, userNext])
      expect((await attacked.attack({ path, authorization, expected: 'refused' })).wrong).toEqual([]);
  });

  test('that is expired, or none', async () => {
    const past = Math.floor(Date.now() / 1000) - 600;
    const { wrong } = await attacked.attack({
      path: next,
      claims: { iat: past, exp: past + 300 },
      strangers: ['alpha', 'bravo', 'charl'],
      expected: 'unauthenticated',
    });
    expect(wrong).toEqual([]);
    expect((await attacked.ask({ path: next })).status).toBe(401);
  });
});

describe('a page of everything', () => {
  const asked = '/fhir/Patient/idalpha/$everything?_count=2&_type=Observation,Provenance&start=1900';
  let page: string;
  beforeAll(async () => {
    page = await secondPage({ path: asked, authorization, expected: 'own' });
  });

  test('keeps what was asked, to the end', async () => {
    const types = new Set<string>();
    for (let path: string | undefined = page, pages = 0; path !== undefined && pages < 40; pages += 1) {
      const { answer, wrong } = await attacked.attack({ path, authorization, expected: 'own-at-most' });
      expect([answer.status, wrong]).toEqual([200, []]);
      const matches = (parsed(answer)?.entry ?? []) as {
        resource: { resourceType: string };
        search: { mode: string };
      }[];
      expect(matches.filter(({ search }) => search.mode === 'match').length).toBeLessThanOrEqual(2);
      for (const { resource } of matches) types.add(resource.resourceType);
      path = nextOf(parsed(answer))?.slice(attacked.publicUrl.length);
    }
    expect([...types].sort()).toEqual(['Observation', 'Provenance']);
  });

  test.each(OTHERS)('is refused to a token %s', async (_, claims = {}, strangers = []) => {
    expect((await attacked.attack({ path: page, claims, strangers, expected: 'refused' })).wrong).toEqual([]);
  });

  test.each([
    '&_type=Condition',
    '&_type=Observation',
    '&start=1900',
    '&end=2100',
    '&_count=200',
    '&_since=1900-01-01T00:00:00Z',
    '&patient=idbravo',
  ])('is refused with %s added to it', async (more) => {
    expect((await attacked.attack({ path: `${page}${more}`, authorization, expected: 'refused' })).wrong).toEqual([]);
  });

  test.each([
    '/fhir/Observation',
    '/fhir/AuditEvent',
    '/fhir/Patient/idbravo/$everything',
    '/fhir/Patient/idalpha/$everything',
  ])('is refused at %s', async (other) => {
    const path = page.replace('/fhir/Patient', other);
    expect((await attacked.attack({ path, authorization, expected: 'refused' })).wrong).toEqual([]);
  });
});

/** The longest value is the cursor, whatever its name is. */
const cursorOf = (path: string): string =>
  path.split(/[?&=/]/).reduce((best, part) => (part.length > best.length ? part : best), '');
const swapped = (letter: string | undefined): string => (letter === 'A' ? 'B' : 'A');

describe('a page that was tampered with is refused', () => {
  test('at any place of its cursor', async () => {
    const cursor = cursorOf(next);
    expect(cursor.length).toBeGreaterThan(20);
    const places = [...new Set(Array.from({ length: 24 }, (_, i) => Math.floor((i * (cursor.length - 2)) / 24)))];
    for (const at of places) {
      const changed = `${cursor.slice(0, at)}${swapped(cursor[at])}${cursor.slice(at + 1)}`;
      const { wrong } = await attacked.attack({
        path: next.replace(cursor, changed),
        authorization,
        expected: 'refused',
      });
      expect([at, wrong]).toEqual([at, []]);
    }
  });

  const CHANGES: readonly (readonly [string, (path: string) => string])[] = [
    ['cut', (path) => path.replace(cursorOf(path), cursorOf(path).slice(0, -6))],
    ['longer', (path) => path.replace(cursorOf(path), `${cursorOf(path)}AAAA`)],
    ['empty', (path) => path.replace(cursorOf(path), '')],
    ['a word', (path) => path.replace(cursorOf(path), 'x'.repeat(64))],
    [
      'an address',
      (path) => path.replace(cursorOf(path), encodeURIComponent('http://evil.example/Observation?patient=idbravo')),
    ],
    ['a query', (path) => path.replace(cursorOf(path), Buffer.from('patient=idbravo&_offset=0').toString('base64url'))],
    ['twice', (path) => `${path}&${path.split('?')[1] ?? ''}x`],
  ];
  test.each(CHANGES)('%s', async (_, change) => {
    const { wrong } = await attacked.attack({ path: change(next), authorization, expected: 'refused' });
    expect(wrong).toEqual([]);
  });

  test.each([
    '&patient=idbravo',
    '&subject=Patient/idbravo',
    '&_include=*',
    '&_revinclude=Observation:focus',
    '&_count=1000',
  ])('with %s added to it', async (more) => {
    const row: AttackRow = { path: `${next}${more}`, authorization, expected: 'own-at-most' };
    expect([nameOf(row), (await attacked.attack(row)).wrong]).toEqual([nameOf(row), []]);
  });

  test('on another type', async () => {
    const { wrong } = await attacked.attack({
      path: next.replace('/Observation', '/Condition'),
      authorization,
      expected: 'own-at-most',
    });
    expect(wrong).toEqual([]);
  });
});
