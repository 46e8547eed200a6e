import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startHostileEhr } from '../../support/smart/hostile-ehr.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

/** No condition of a search is dropped in silence, whatever the EHR does with it. */
const MARKER = 'MarkerOfAnotherPatient';
let ehr: Awaited<ReturnType<typeof startHostileEhr>>;
let rig: SmartRig;

const params = (...names: string[]) => names.map((name) => ({ name, type: name === 'odd' ? 'composite' : 'token' }));
const METADATA = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [
    {
      mode: 'server',
      resource: [
        {
          type: 'Encounter',
          interaction: [{ code: 'read' }, { code: 'search-type' }],
          searchParam: params('_id', 'patient', 'status', 'date', 'ward', 'odd'),
          searchRevInclude: ['Observation:encounter', 'Condition:encounter'],
        },
        { type: 'Observation', interaction: [{ code: 'search-type' }], searchParam: params('patient') },
        { type: 'Condition', interaction: [{ code: 'search-type' }], searchParam: params('patient') },
        { type: 'Procedure', interaction: [{ code: 'search-type' }], searchParam: params('patient') },
        { type: 'Patient', interaction: [{ code: 'read' }], searchParam: params('_id') },
      ],
    },
  ],
};

const encounter = (id: string, status: string, ward: string, start: string) => ({
  resourceType: 'Encounter',
  id,
  status,
  class: { code: 'IMP' },
  subject: { reference: 'Patient/a' },
  period: { start },
  location: [{ location: { reference: `Location/${ward}` } }],
});
const about = (type: string, id: string, of: string, enc: string) => ({
  resourceType: type,
  id,
  subject: { reference: `Patient/${of}` },
  encounter: { reference: `Encounter/${enc}` },
  note: [{ text: of === 'a' ? 'own' : MARKER }],
});
const ALL = [
  encounter('1', 'finished', 'w1', '2026-01-01T00:00:00Z'),
  encounter('2', 'in-progress', 'w2', '2026-02-01T00:00:00Z'),
];
let along: readonly object[] = [];

beforeAll(async () => {
  ehr = await startHostileEhr();
  ehr.answers(({ url }) => (url.endsWith('/metadata') ? { body: METADATA } : { status: 404 }));
  rig = await startSmart(ehr.url, { patients: 'all', capability: 'probed' });
});
beforeEach(() => {
  along = [];
  // It ignores every condition.
  ehr.answers(() => ({
    body: {
      resourceType: 'Bundle',
      type: 'searchset',
      entry: [
        ...ALL.map((resource) => ({ resource, search: { mode: 'match' } })),
        ...along.map((resource) => ({ resource, search: { mode: 'include' } })),
      ],
    },
  }));
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});

interface Found {
  readonly total?: number;
  readonly link: readonly { readonly url: string }[];
  readonly entry?: readonly {
    readonly resource: {
      readonly resourceType: string;
      readonly id?: string;
      readonly issue?: readonly { readonly expression?: readonly string[] }[];
    };
    readonly search: { readonly mode: string };
  }[];
}
const find = async (query: string, headers: Record<string, string> = {}, scope = 'patient/*.rs') => {
  const answer = await rig.get(`/fhir/Encounter?${query}`, rig.token(aGrant(scope, { patient: 'a' })), headers);
  const text = await answer.text();
  expect(text).not.toContain(MARKER);
  const bundle = JSON.parse(text) as Found;
  const shown = (bundle.entry ?? []).filter(({ search }) => search.mode !== 'outcome');
  return {
    status: answer.status,
    bundle,
    names: shown.map(({ resource }) => `${resource.resourceType}/${resource.id ?? ''}`),
    notes: (bundle.entry ?? [])
      .flatMap(({ resource }) => resource.issue ?? [])
      .map(({ expression }) => expression?.[0]),
    asked: ehr.asked.map(({ body }) => decodeURIComponent(body)).at(-1) ?? '',
  };
};

test('one that the EHR does not know is looked at in its answer, and stands in the self link', async () => {
  const { names, asked, bundle } = await find('patient=a&location=Location/w1');
  expect([names, asked, bundle.total]).toEqual([['Encounter/1'], 'patient=a', 1]);
  expect(bundle.link[0]?.url).toContain('location=Location%2Fw1');
  expect((await find('patient=a&location=Location/w3')).names).toEqual([]);
  expect((await find('patient=a&discharge-disposition=home')).names).toEqual([]);
});

test('one that the EHR was sent and ignored leaves out what it cannot mean, and is counted', async () => {
  const before = rig.smart.unmetConditions()['Encounter.status'] ?? 0;
  expect((await find('patient=a&status=finished')).names).toEqual(['Encounter/1']);
  expect((await find('patient=a&status:not=finished')).names).toEqual(['Encounter/2']);
  expect((await find('patient=a&date=ge2026-02-01T00:00:00Z')).names).toEqual(['Encounter/1', 'Encounter/2']);
  expect((await find('patient=a&date=lt2026-01-15')).names).toEqual(['Encounter/1']);
  expect(rig.smart.unmetConditions()).toMatchObject({ 'Encounter.status': before + 2, 'Encounter.date': 1 });
});

test('one of the EHR\u2019s own is sent on, and one that nobody can do is refused by its name', async () => {
  const { names, asked } = await find('patient=a&ward=7');
  expect([names, asked]).toEqual([['Encounter/1', 'Encounter/2'], 'patient=a&ward=7']);
  expect((await find('patient=a&odd=7$8')).status).toBe(400);
  expect((await find('patient=a&location=https://elsewhere.example/Location/w1')).status).toBe(400);
});

test('one that nobody knows is ignored, and the answer says so; strictly it is refused', async () => {
  const { names, notes, bundle } = await find('patient=a&made-up=1&MadeUp=2');
  expect([names, notes, bundle.total]).toEqual([['Encounter/1', 'Encounter/2'], ['made-up', undefined], 2]);
  expect(bundle.link[0]?.url).not.toContain('made-up');
  const strict = await find('patient=a&made-up=1', { prefer: 'handling=strict' });
  expect(strict.status).toBe(400);
  expect((await find('patient=a&status=entered-in-error&made-up=1')).notes).toEqual(['made-up']);
});

describe('what refers to the found', () => {
  beforeEach(() => {
    along = [
      about('Observation', 'own', 'a', '1'),
      about('Observation', 'of-another', 'b', '1'),
      about('Observation', 'of-another-encounter', 'a', '3'),
      about('Condition', 'own', 'a', '2'),
      about('Procedure', 'uncalled-for', 'a', '1'),
    ];
  });

  test('comes along where it is the patient\u2019s and the scope covers it', async () => {
    const { names, asked, bundle } = await find(
      'patient=a&_revinclude=Observation:encounter&_revinclude=Condition:encounter',
    );
    expect(names).toEqual(['Encounter/1', 'Encounter/2', 'Observation/own', 'Condition/own']);
    expect(asked).toBe('patient=a&_revinclude=Observation:encounter&_revinclude=Condition:encounter');
    expect(bundle.total).toBe(2);
    const audits = await rig.audits();
    expect(audits).toContainEqual(expect.objectContaining({ type: 'fhir.deny', why: 'left-out:other-patient' }));
  });

  test('does not where the scope does not, nor is it asked for', async () => {
    const query = 'patient=a&_revinclude=Observation:encounter&_revinclude=Condition:encounter';
    const { names, asked, bundle } = await find(query, {}, 'patient/Encounter.rs patient/Condition.rs');
    expect([names, asked]).toEqual([
      ['Encounter/1', 'Encounter/2', 'Condition/own'],
      'patient=a&_revinclude=Condition:encounter',
    ]);
    expect(bundle.link[0]?.url).not.toContain('Observation');
  });

  test('is refused where the EHR does not have it', async () => {
    expect((await find('patient=a&_revinclude=Procedure:encounter')).status).toBe(400);
  });

  test('does not come along with what is left out', async () => {
    const { names } = await find('patient=a&status=in-progress&_revinclude=Observation:encounter');
    expect(names).toEqual(['Encounter/2']);
  });
});
