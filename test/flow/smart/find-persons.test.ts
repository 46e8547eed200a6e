import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../src/kernel/index.ts';
import { startEhr, type DemoEhr, type Resource } from '../../../sandbox/index.ts';
import { eventually } from '../../support/eventually.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

const MRN_SYSTEM = 'urn:example:mrn';
let ehr: DemoEhr;
let rig: SmartRig;

interface Bundle {
  readonly type: string;
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly { readonly resource: Resource & { id: string }; readonly search: { mode: string } }[];
}

const patient = (id: string, family: string, given: string[], birthDate: string, gender: string) => ({
  resourceType: 'Patient',
  id,
  identifier: [
    { system: MRN_SYSTEM, value: `mrn-${id}` },
    { system: 'urn:ssn', value: `ssn-${id}` },
  ],
  name: [{ use: 'official', family, given }],
  birthDate,
  gender,
});

/** All but `zoe` are linked. */
const PEOPLE = [
  patient('ana', 'Müller', ['Ana', 'María'], '1970-05-12', 'female'),
  patient('ben', 'Muller', ['Ben'], '1985-01-01', 'male'),
  patient('cleo', 'Smith', ['Cléo'], '1970-05-30', 'female'),
  patient('dan', 'Smithson', ['Dan'], '2001-12-31', 'male'),
  patient('zoe', 'Smith', ['Zoe'], '1970-05-13', 'female'),
];

beforeAll(async () => {
  ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  for (const one of PEOPLE) ehr.put(one);
  rig = await startSmart(ehr.url, { capability: 'probed' });
  for (const id of ['ana', 'ben', 'cleo', 'dan']) await rig.link(`mrn-${id}`);
  await rig.refresh();
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});

const user = (scope = 'user/*.rs') => rig.token(aGrant(scope));
const search = async (query: string, token = user()): Promise<[number, Bundle]> => {
  const answer = await rig.get(`/fhir/Patient?${query}`, token);
  return [answer.status, (await answer.json()) as Bundle];
};
const ids = ({ entry = [] }: Bundle): string[] => entry.map(({ resource }) => resource.id);
const found = async (query: string, token = user()): Promise<string[]> => ids((await search(query, token))[1]);

describe('Patient by name, birth date and the like', () => {
  test.each<[string, string[]]>([
    ['name=smith', ['cleo', 'dan']],
    ['name=SMITH', ['cleo', 'dan']],
    ['name=muller', ['ana', 'ben']],
    ['family=M%C3%BCll', ['ana', 'ben']],
    ['family:exact=Smith', ['cleo']],
    ['family:exact=smith', []],
    ['family:contains=son', ['dan']],
    ['given=cleo', ['cleo']],
    ['given=maria', ['ana']],
    ['family=ana', []],
    ['name=ana', ['ana']],
    ['name=ben,dan', ['ben', 'dan']],
    ['family=smith&given=dan', ['dan']],
    ['birthdate=1970-05-12', ['ana']],
    ['birthdate=1970-05', ['ana', 'cleo']],
    ['birthdate=ge1985-01-01', ['ben', 'dan']],
    ['birthdate=gt1985-01-01', ['dan']],
    ['birthdate=lt1985', ['ana', 'cleo']],
    ['birthdate=ge1970-05-13&birthdate=le1990', ['ben', 'cleo']],
    ['gender=female', ['ana', 'cleo']],
    ['gender:not=female', ['ben', 'dan']],
    ['name=smith&gender=male', ['dan']],
    ['name=smith&birthdate=1970-05-13', []],
    ['_id=cleo,zoe,dan,nobody', ['cleo', 'dan']],
    ['name=smith&identifier=urn:ssn%7C', ['cleo', 'dan']],
    ['name=zoe', []],
  ])('%s', async (query, expected) => {
    const [status, bundle] = await search(query);
    expect(status).toBe(200);
    expect([ids(bundle).sort(), bundle.total]).toEqual([[...expected].sort(), expected.length]);
  });

  test('in the order of their names, or as it is asked for', async () => {
    expect(await found('gender=female,male')).toEqual(['ana', 'ben', 'cleo', 'dan']);
    expect(await found('gender=female,male&_sort=-family')).toEqual(['dan', 'cleo', 'ben', 'ana']);
    expect(await found('gender=female,male&_sort=-birthdate')).toEqual(['dan', 'ben', 'cleo', 'ana']);
    expect((await search('gender=female&_sort=language'))[0]).toBe(400);
  });

  test('page by page, with one total, each once', async () => {
    const token = user();
    const seen: string[] = [];
    let path = '/fhir/Patient?gender=female,male&_count=3';
    for (let n = 0; n < 2; n += 1) {
      const page = (await (await rig.get(path, token)).json()) as Bundle;
      expect(page.total).toBe(4);
      seen.push(...ids(page));
      const next = page.link.find(({ relation }) => relation === 'next')?.url;
      path = next === undefined ? '' : next.slice(rig.url.length);
    }
    expect([seen, path]).toEqual([['ana', 'ben', 'cleo', 'dan'], '']);
  });

  test('a count, by POST, shortened, and as a backend', async () => {
    expect((await search('name=smith&_summary=count'))[1]).toMatchObject({ total: 2 });
    const posted = await rig.post('/fhir/Patient/_search', user(), 'name=smith', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(ids((await posted.json()) as Bundle)).toEqual(['cleo', 'dan']);
    const [, short] = await search('name=cleo&_elements=birthDate');
    expect(Object.keys(short.entry?.[0]?.resource ?? {}).sort()).toEqual(['birthDate', 'id', 'meta', 'resourceType']);
    expect(await found('name=smith', rig.token(aGrant('system/Patient.s')))).toEqual(['cleo', 'dan']);
  });

  test('a token of one patient finds that patient alone', async () => {
    const token = rig.token(aGrant('patient/*.rs', { patient: 'ana' }));
    expect(await found('name=muller', token)).toEqual(['ana']);
    expect(await found('name=smith', token)).toEqual([]);
  });

  test('a granular scope counts whom it shows', async () => {
    const [, bundle] = await search('name=smith', user('user/Patient.rs?gender=male'));
    expect([ids(bundle), bundle.total]).toEqual([['dan'], 1]);
    const [, nobody] = await search('name=smith', user('user/Patient.rs?active=true'));
    expect([ids(nobody), nobody.total]).toEqual([[], 0]);
  });

  test.each(['gender=male&organization=1', 'name:phonetic=x'])('%s is refused by its name', async (query) => {
    expect((await search(query))[0]).toBe(400);
  });
});

describe('what has changed', () => {
  test('at the EHR is not shown as the index has it, and is learned', async () => {
    const [, , , dan] = PEOPLE;
    ehr.put({ ...dan, id: 'dan', resourceType: 'Patient', name: [{ family: 'Newname', given: ['Dan'] }] });
    const [, stale] = await search('name=smithson');
    expect([ids(stale), stale.total]).toEqual([[], 0]);
    // That he is to be asked for again, and what a read has shown of him, is written once the answer has gone.
    const isFound = (one: readonly string[]): boolean => one.length > 0;
    const learned = eventually(async () => {
      await rig.refresh();
      return found('name=newname');
    }, isFound);
    expect(await learned).toEqual(['dan']);
    ehr.put({ ...dan, id: 'dan', resourceType: 'Patient' });
    await rig.get('/fhir/Patient/dan', user());
    expect(await eventually(() => found('name=smithson'), isFound)).toEqual(['dan']);
  });

  test('a link that ends takes its patient out at once, and back', async () => {
    await rig.link('mrn-dan', 'revoked');
    const [, bundle] = await search('name=smith');
    expect([ids(bundle), bundle.total]).toEqual([['cleo'], 1]);
    await rig.link('mrn-dan');
    await rig.refresh();
    expect(await found('name=smith')).toEqual(['cleo', 'dan']);
  });
});

describe('the picker', () => {
  test('turns its pages by name, each patient once, and knows whom it was asked for', async () => {
    const many = Array.from({ length: 25 }, (_, n) => `page-${String(n).padStart(2, '0')}`);
    for (const id of many) {
      ehr.put(patient(id, `Pager${id.slice(-2)}`, ['Pat'], '1960-01-01', 'other'));
      await rig.link(`mrn-${id}`);
    }
    await rig.refresh();
    const wanted = { name: 'pat pag', birthDate: '1960-01-01', mrn: '' };
    const list = async (cursor: string | null) => {
      const page = await rig.smart.patients.list({ cursor, wanted, requestId: 'req_test' });
      if (!page.ok) throw new Error(page.fault.code);
      return page.value;
    };
    const first = await list(null);
    const second = await list(first.next);
    expect([first.patients.length, second.next]).toEqual([20, null]);
    expect([...first.patients, ...second.patients].map(({ id }) => id)).toEqual(many);
    const bad = await rig.smart.patients.list({ cursor: 'nonsense', wanted, requestId: 'req_test' });
    expect(bad.ok ? null : bad.fault.code).toBe('read.cursor');
  });
});

describe('what refers to several found patients', () => {
  const along = async (query: string, grant = aGrant('user/*.rs')): Promise<string[]> => {
    const answer = await rig.get(`/fhir/Patient?${query}`, rig.token(grant));
    const { entry = [] } = (await answer.json()) as Bundle;
    return entry.filter(({ search: { mode } }) => mode === 'include').map(({ resource }) => resource.id);
  };
  const BOTH = `identifier=${MRN_SYSTEM}%7Cmrn-cleo,${MRN_SYSTEM}%7Cmrn-dan,${MRN_SYSTEM}%7Cmrn-zoe`;

  beforeAll(() => {
    for (const id of ['cleo', 'dan', 'zoe'])
      ehr.put({
        resourceType: 'Observation',
        id: `of-${id}`,
        status: 'final',
        code: { text: 'pulse' },
        subject: { reference: `Patient/${id}` },
        // Who measured is nobody whose record it is.
        performer: [{ reference: 'Patient/cleo' }],
      });
  });

  test.each(['name=smi', BOTH])('%s: comes along with each who is seen, and nobody else’s does', async (query) => {
    const before = rig.log.lines.filter(({ event }) => event === 'read.left-out').length;
    expect((await along(`${query}&_revinclude=Observation:subject`)).sort()).toEqual(['of-cleo', 'of-dan']);
    expect(rig.log.lines.filter(({ event }) => event === 'read.left-out')).toHaveLength(before);
  });

  test('a scope for the records of one patient shows those of that patient alone', async () => {
    const grant = aGrant('user/Patient.rs patient/Observation.rs', { patient: 'dan' });
    expect(await along('name=smi&_revinclude=Observation:subject', grant)).toEqual(['of-dan']);
    expect(await along(`${BOTH}&_revinclude=Observation:subject`, grant)).toEqual(['of-dan']);
  });
});
