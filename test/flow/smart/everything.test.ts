import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { systemClock } from '../../../src/kernel/index.ts';
import { startEhr, type Rule } from '../../../sandbox/index.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';
import { eventually } from '../../support/eventually.ts';

/**
 * `Patient/$everything` in front of EHRs that answer in several ways; and of the server that EHR_TEST_URL names, whose
 * data this suite adds to: two patients and their records, under random ids.
 */
interface Kind {
  readonly name: string;
  readonly url?: string;
  readonly capability: 'probed' | 'unknown';
  readonly rules?: readonly Rule[];
}
const REAL = process.env['EHR_TEST_URL'];
const KINDS: readonly Kind[] = [
  { name: 'one that includes Provenance', capability: 'probed' },
  { name: 'one that was not asked yet', capability: 'unknown' },
  {
    name: 'one that ignores the filters it claims to know',
    capability: 'probed',
    rules: [{ ignoreParams: ['date', 'authoredon', '_lastUpdated'] }],
  },
  ...(REAL === undefined
    ? []
    : (['probed', 'unknown'] as const).map((capability) => ({
        name: `the server of EHR_TEST_URL, ${capability}`,
        url: REAL,
        capability,
      }))),
];

interface Entry {
  readonly resource: {
    readonly resourceType: string;
    readonly id: string;
    readonly meta: { readonly lastUpdated: string };
  };
  readonly search: { readonly mode: string };
}
interface Bundle {
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly Entry[];
}
interface Outcome {
  readonly issue: readonly {
    readonly details: { readonly coding: readonly { readonly code: string }[] };
    readonly diagnostics: string;
    readonly expression?: readonly string[];
  }[];
}

const nextOf = ({ link }: Bundle): string | undefined => link.find(({ relation }) => relation === 'next')?.url;
const selfOf = ({ link }: Bundle): string | undefined => link.find(({ relation }) => relation === 'self')?.url;

describe.each(KINDS)('everything of a patient, at $name', ({ url, capability, rules = [] }) => {
  const run = `ev${randomBytes(4).toString('hex')}`;
  const id = (key: string): string => `${run}-${key}`;
  let rig: SmartRig;
  let base = url ?? '';
  let stopEhr = (): Promise<void> => Promise.resolve();
  let since = '';

  const put = async (resourceType: string, key: string, elements: object): Promise<string> => {
    const answer = await fetch(`${base}/${resourceType}/${id(key)}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/fhir+json' },
      body: JSON.stringify({ resourceType, id: id(key), ...elements }),
    });
    if (!answer.ok) throw new Error(`${resourceType} ${key}: ${answer.status} ${await answer.text()}`);
    return (await ((await fetch(`${base}/${resourceType}/${id(key)}`)).json() as Promise<Entry['resource']>)).meta
      .lastUpdated;
  };
  const to = (type: string, key: string) => ({ reference: `${type}/${id(key)}` });
  const observation = (key: string, of: string, more: object) =>
    put('Observation', key, { status: 'final', code: { text: 'x' }, subject: to('Patient', of), ...more });
  const provenance = (key: string, ...target: object[]) =>
    put('Provenance', key, {
      target,
      recorded: '2020-01-05T00:00:00Z',
      agent: [{ who: to('Organization', 'org') }],
    });

  beforeAll(async () => {
    if (url === undefined) {
      const ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
      base = ehr.url;
      ehr.board.setRules(rules);
      stopEhr = () => ehr.stop();
    }
    await put('Organization', 'org', { name: 'Hospital' });
    await put('Practitioner', 'doc', { name: [{ family: 'Doctor' }] });
    await put('Practitioner', 'stranger', { name: [{ family: 'Nobody refers to' }] });
    await put('Medication', 'med', { code: { text: 'Something' } });
    for (const key of ['a', 'b'])
      await put('Patient', key, {
        active: true,
        identifier: [{ system: 'urn:example:mrn', value: id(key) }],
        managingOrganization: to('Organization', 'org'),
      });
    const subject = to('Patient', 'a');
    await put('Encounter', 'e', {
      status: 'finished',
      class: { code: 'AMB' },
      subject,
      period: { start: '2020-01-01T00:00:00Z', end: '2020-02-01T00:00:00Z' },
    });
    // Late in the evening of the fifth, where it was measured; the sixth in Greenwich.
    await observation('evening', 'a', { effectiveDateTime: '2020-01-05T23:30:00-05:00' });
    await observation('period', 'a', {
      effectivePeriod: { start: '2021-03-01T00:00:00Z', end: '2021-03-10T00:00:00Z' },
    });
    await observation('undated', 'a', {});
    await observation('of-b', 'b', { effectiveDateTime: '2020-01-05T10:00:00Z', performer: [to('Patient', 'a')] });
    await put('Condition', 'c', { code: { text: 'x' }, subject });
    await put('MedicationRequest', 'm', {
      status: 'active',
      intent: 'order',
      medicationReference: to('Medication', 'med'),
      authoredOn: '2021-05-05',
      subject,
    });
    await put('Device', 'd', { patient: subject });
    await put('CarePlan', 'ended', {
      status: 'completed',
      intent: 'plan',
      subject,
      period: { start: '2018', end: '2019-06' },
    });
    await put('CarePlan', 'open', { status: 'active', intent: 'plan', subject });
    await provenance('p-patient', subject);
    await provenance('p-evening', to('Observation', 'evening'));
    await provenance('p-two', to('Observation', 'evening'), to('MedicationRequest', 'm'));
    await provenance('p-mixed', to('Observation', 'evening'), to('Observation', 'of-b'));
    const last = await provenance('p-other', to('Observation', 'of-b'));
    since = new Date(Date.parse(last) + 1).toISOString();
    await eventually(
      () => Date.now(),
      (now) => now > Date.parse(since),
    );
    await observation('late', 'a', {
      effectiveDateTime: '2022-06-01T10:00:00Z',
      performer: [to('Practitioner', 'doc')],
    });
    await provenance('p-late', to('Condition', 'c'));

    rig = await startSmart(base, { capability });
    for (const key of ['a', 'b']) await rig.link(id(key));
  }, 60_000);
  afterAll(async () => {
    await rig.stop();
    await stopEhr();
  });

  const OWN = [
    'CarePlan/ended',
    'CarePlan/open',
    'Condition/c',
    'Device/d',
    'Encounter/e',
    'MedicationRequest/m',
    'Observation/evening',
    'Observation/late',
    'Observation/period',
    'Observation/undated',
    'Patient/a',
  ];
  const PROVENANCES = [
    'Provenance/p-evening',
    'Provenance/p-late',
    'Provenance/p-mixed',
    'Provenance/p-patient',
    'Provenance/p-two',
  ];
  const SHARED = ['Medication/med', 'Organization/org', 'Practitioner/doc'];

  const own = (scope = 'patient/*.rs') => rig.token(aGrant(scope, { patient: id('a') }));
  const clinician = () => rig.token(aGrant('user/*.rs'));
  const get = async (path: string, token: string): Promise<[number, Bundle & Outcome, Response]> => {
    const answer = await rig.get(path, token);
    return [answer.status, (await answer.json()) as Bundle & Outcome, answer];
  };
  const path = (query = '', of = 'a'): string => `/fhir/Patient/${id(of)}/$everything${query}`;
  const shortName = ({ resource }: Entry): string => `${resource.resourceType}/${resource.id.replace(`${run}-`, '')}`;
  const names = ({ entry = [] }: Bundle): string[] => entry.map(shortName).sort();
  const shown = async (query: string, token: string): Promise<string[]> => {
    const [status, bundle] = await get(path(query), token);
    expect([query, status, nextOf(bundle)]).toEqual([query, 200, undefined]);
    return names(bundle);
  };
  /** All pages; a name that stands on several of them counts once. */
  async function pages(query: string, token: string): Promise<Bundle[]> {
    const all: Bundle[] = [];
    let at: string | undefined = path(query);
    while (at !== undefined && all.length < 60) {
      const [status, bundle]: [number, Bundle, Response] = await get(at, token);
      expect(status).toBe(200);
      all.push(bundle);
      at = nextOf(bundle)?.slice(rig.url.length);
    }
    return all;
  }

  test('has all that the token may search, what tells of it, and what it refers to', async () => {
    for (const token of [own(), clinician()]) {
      const [status, bundle] = await get(path(), token);
      expect(status).toBe(200);
      expect(names(bundle)).toEqual([...OWN, ...PROVENANCES, ...SHARED].sort());
      const matches = (bundle.entry ?? []).filter(({ search }) => search.mode === 'match');
      expect(matches.map(shortName).sort()).toEqual(OWN);
      expect(bundle.total).toBe(OWN.length);
      expect(selfOf(bundle)).toBe(`${rig.url}${path()}`);
    }
  });

  test('omits no type that the same token finds by a search', async () => {
    const token = own();
    const [, statement] = (await get('/fhir/metadata', token)) as unknown as [
      number,
      { rest: { resource: { type: string; interaction: { code: string }[] }[] }[] },
    ];
    const all = new Set(await shown('', token));
    const found: string[] = [];
    for (const { type, interaction } of statement.rest[0]?.resource ?? []) {
      if (type === 'AuditEvent' || !interaction.some(({ code }) => code === 'search-type')) continue;
      const [status, bundle] = await get(`/fhir/${type}${type === 'Patient' ? '' : `?patient=${id('a')}`}`, token);
      if (status !== 200) continue;
      expect([type, names(bundle).filter((name) => !all.has(name))]).toEqual([type, []]);
      if (names(bundle).length > 0) found.push(type);
    }
    expect(found).toEqual(expect.arrayContaining(['Patient', 'Observation', 'Condition', 'Encounter']));
  });

  test('what comes along needs its scope', async () => {
    const some = 'patient/Patient.r patient/Observation.rs';
    const observations = OWN.filter((name) => name.startsWith('Observation/'));
    expect(await shown('', own(some))).toEqual([...observations, 'Patient/a']);
    expect(await shown('', own(`${some} patient/Provenance.r`))).toEqual([...observations, 'Patient/a']);
    // Of those about something that may not be seen nothing is told; those about both tell of what may be.
    const about = PROVENANCES.filter((name) => name !== 'Provenance/p-late');
    expect(await shown('', own(`${some} patient/Provenance.s patient/Practitioner.r`))).toEqual(
      [...observations, 'Patient/a', 'Practitioner/doc', ...about].sort(),
    );
  });

  test('_type leaves the others out, and finds what comes along all the same', async () => {
    const observations = OWN.filter((name) => name.startsWith('Observation/'));
    expect(await shown('?_type=Observation', own())).toEqual(observations);
    expect(await shown('?_type=Observation,Patient&_type=Condition', own())).toEqual([
      'Condition/c',
      ...observations,
      'Patient/a',
    ]);
    expect(await shown('?_type=Provenance', own())).toEqual(PROVENANCES);
    expect(await shown('?_type=Practitioner,Medication', own())).toEqual(['Medication/med', 'Practitioner/doc']);
    const [, bundle] = await get(path('?_type=Provenance'), own());
    expect([bundle.total, selfOf(bundle)]).toEqual([undefined, `${rig.url}${path('?_type=Provenance')}`]);
  });

  test('start and end are days of care, by what the record itself says', async () => {
    // In force, or without a day of care.
    const always = ['CarePlan/open', 'Condition/c', 'Device/d', 'Patient/a'];
    const only = async (query: string): Promise<string[]> =>
      (await shown(query, own('patient/Patient.r patient/*.s'))).filter(
        (name) => !always.includes(name) && !name.startsWith('Provenance/'),
      );
    expect(
      (await shown('?start=2020&end=2020', own('patient/Patient.r patient/*.s'))).filter((n) => always.includes(n)),
    ).toEqual(always);
    expect(await only('?start=2020-01-05&end=2020-01-05')).toEqual(['Encounter/e', 'Observation/evening']);
    expect(await only('?start=2020-01-06&end=2020-01-06')).toEqual(['Encounter/e']);
    expect(await only('?start=2021-03-05&end=2021-03-06')).toEqual(['Observation/period']);
    expect(await only('?start=2021-05&end=2021-05')).toEqual(['MedicationRequest/m']);
    expect(await only('?start=2021')).toEqual(['MedicationRequest/m', 'Observation/late', 'Observation/period']);
    expect(await only('?end=2019')).toEqual(['CarePlan/ended']);
  });

  test('Provenance stands beside what it is about', async () => {
    expect((await shown('?start=2021-05&end=2021-05', own())).filter((name) => name.startsWith('Provenance/'))).toEqual(
      ['Provenance/p-late', 'Provenance/p-patient', 'Provenance/p-two'],
    );
  });

  test('_since holds for every entry, also for what is new about something old', async () => {
    const later = ['Observation/late', 'Provenance/p-late'];
    expect(await shown(`?_since=${since}`, own())).toEqual(later);
    expect(await shown(`?_since=${encodeURIComponent(since.replace('Z', '+00:00'))}`, own())).toEqual(later);
    expect(await shown(`?_since=${since}&_type=Observation,Condition`, own())).toEqual(['Observation/late']);
    expect(await shown('?_since=2999-01-01T00:00:00Z', own())).toEqual([]);
  });

  test.each([
    '_count=1',
    '_count=2',
    '_count=3',
    '_count=5',
    '_count=4&_type=Observation,Provenance',
    '_count=2&start=2020&end=2021',
  ])('with %s it comes in pages that keep the parameters, and none is larger', async (query) => {
    const token = own();
    const whole = await shown(`?${query.replace(/_count=\d&?/, '')}`, token);
    const all = await pages(`?${query}`, token);
    const most = Number(/\d/.exec(query)?.[0]);
    const matches = all.map(({ entry = [] }) => entry.filter(({ search }) => search.mode === 'match').map(shortName));
    for (const page of matches) expect(page.length).toBeLessThanOrEqual(most);
    expect(new Set(matches.flat()).size).toBe(matches.flat().length);
    expect([...new Set(all.flatMap(names))].sort()).toEqual(whole);
    for (const bundle of all)
      expect([selfOf(bundle), bundle.total]).toEqual([
        `${rig.url}${path(`?${query}`)}`.replace(/,/g, '%2C'),
        undefined,
      ]);
  });

  test.each([
    ['_count=0', '_count', '1 to 200'],
    ['_count=', '_count', '1 to 200'],
    ['_count=-1', '_count', '1 to 200'],
    ['_count=1&_count=2', '_count', 'twice'],
    ['_since=2020', '_since', 'instant'],
    ['_since=2020-01-01T00:00:00', '_since', 'instant'],
    ['start=yesterday', 'start', 'date'],
    ['start=2020-02-30', 'start', 'date'],
    ['start=2020-01-01T00:00:00Z', 'start', 'date'],
    ['end=2020-1', 'end', 'date'],
    ['start=ge2020', 'start', 'date'],
    ['start=2020,2021', 'start', 'date'],
    ['start=2021&end=2020', 'end', 'before start'],
    ['_type=', '_type', 'names of types'],
    ['_type=Observation,', '_type', 'names of types'],
    ['_type=observation', '_type', 'names of types'],
    ['_type=Nonsense,Observation,Task', '_type', 'Nonsense, Task'],
    ['_type=Binary', '_type', 'Binary'],
    ['_type=AuditEvent', '_type', 'AuditEvent'],
    ['_elements=id', '_elements', '_count, _since, _type, start, end'],
    ['patient=x', 'patient', '_count, _since, _type, start, end'],
  ])('%s is refused, and %s named with what it takes', async (query, at, said) => {
    const [status, outcome] = await get(path(`?${query}`), own());
    const [issue] = outcome.issue;
    expect([status, issue?.details.coding[0]?.code, issue?.expression]).toEqual([400, 'read.parameter', [at]]);
    expect(issue?.diagnostics).toContain(said);
  });

  test('every problem is told at once; what is made up is not repeated', async () => {
    const [status, outcome] = await get(path('?_count=x&John.Doe=1&_type=Nonsense&start=2020'), own());
    expect([status, outcome.issue.length]).toEqual([400, 3]);
    expect(JSON.stringify(outcome)).not.toMatch(/John/);
    expect(outcome.issue.every(({ details }) => details.coding[0]?.code === 'read.parameter')).toBe(true);
  });

  test('types that the scopes do not cover are named, and nothing is asked of the EHR', async () => {
    const before = (await rig.audits()).length;
    const [status, outcome, { headers }] = await get(
      path('?_type=Observation,Condition,Provenance,Practitioner'),
      own('patient/Patient.rs patient/Observation.rs patient/Practitioner.s'),
    );
    const [issue] = outcome.issue;
    expect([status, issue?.details.coding[0]?.code, issue?.expression]).toEqual([403, 'read.scope', ['_type']]);
    expect(issue?.diagnostics).toContain('Condition, Provenance, Practitioner');
    expect(headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope"');
    expect((await rig.audits()).slice(before)).toEqual([
      expect.objectContaining({ type: 'fhir.deny', interaction: 'operation', why: 'scope' }),
    ]);
  });

  test('each page is in the audit, with what was asked sealed', async () => {
    const before = (await rig.audits()).length;
    const all = await pages('?_count=4&_type=Observation', own());
    const added = (await rig.audits()).slice(before);
    expect(added.map(({ type, interaction, outcome, count }) => [type, interaction, outcome, count])).toEqual(
      all.map(({ entry = [] }) => ['fhir.search', 'operation', '0', entry.length]),
    );
    expect(JSON.stringify(added)).not.toContain('_type');
  });
});
