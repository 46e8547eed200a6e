import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startHostileEhr, type HostileEhr, type Mode } from './support/hostile-ehr.ts';
import { ENTANGLED, makeWorld, markersOf, OWNED_TYPES, OWNERS, ownId } from './support/world.ts';

let ehr: HostileEhr;
beforeAll(async () => {
  ehr = await startHostileEhr();
});
afterAll(() => ehr.close());
beforeEach(() => ehr.become('honest'));

interface Body {
  readonly id?: string;
  readonly total?: number;
  readonly link?: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly { readonly resource: { readonly id: string; readonly resourceType: string } }[];
}

async function get(
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; text: string; body: Body; headers: Headers }> {
  const answer = await fetch(`${ehr.base}/${path}`, { redirect: 'manual', ...init });
  const text = await answer.text();
  const isJson = (answer.headers.get('content-type') ?? '').includes('json');
  return {
    status: answer.status,
    text,
    headers: answer.headers,
    body: (isJson && text.endsWith('}') ? JSON.parse(text) : {}) as Body,
  };
}
const idsOf = async (path: string, init?: RequestInit): Promise<string[]> =>
  ((await get(path, init)).body.entry ?? []).map(({ resource }) => resource.id);

describe('the world', () => {
  const { current } = makeWorld(ENTANGLED);
  test('names each resource once', () => {
    const names = current.map(({ resourceType, id }) => `${resourceType}/${id}`);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
  test.each(OWNED_TYPES)('has a %s of every patient, with a marker in it', (type) => {
    for (const owner of OWNERS) {
      const one = current.find(({ resourceType, id }) => resourceType === type && id === ownId(type, owner));
      expect(JSON.stringify(one)).toContain(markersOf(owner)[1]);
      for (const other of OWNERS.filter((name) => name !== owner))
        for (const marker of markersOf(other)) expect(JSON.stringify(one)).not.toContain(marker);
    }
  });
  test('has all ids of owners in one length', () => {
    expect(new Set(OWNERS.map((owner) => ownId('Patient', owner).length)).size).toBe(1);
  });
});

describe('honest, it does what it is asked', () => {
  test.each([
    ['Observation?patient=idalpha', 5],
    ['Observation?patient=Patient/idalpha&category=laboratory', 1],
    ['Observation?patient=idalpha,idbravo&_count=1', 1],
    ['Patient?identifier=urn:example:mrn|M-zqalpha', 1],
    ['Patient?identifier=urn:example:mrn|nobody', 0],
    ['Patient?name=zqbravo', 1],
    ['Observation?subject.name=zqbravo&_id=idbravo-obs', 1],
    ['Patient?_has:Observation:focus:_id=idbravo-obs-focus', 1],
    ['MedicationRequest?patient=idalpha&_include=MedicationRequest:medication', 2],
    ['Observation?_id=idalpha-obs-lab&_revinclude=Provenance:target', 2],
    ['Patient/idalpha/Goal', 1],
    ['Observation/idmoved-won/_history', 2],
    ['?_type=Group', 1],
  ])('%s finds %i', async (path, count) => {
    expect(await idsOf(path)).toHaveLength(count);
  });

  test('the worst of it: what is about bravo comes with what leads to it', async () => {
    expect(await idsOf('Patient?_id=idalpha&_revinclude=Observation:focus')).toContain('idbravo-obs-focus');
    expect(await idsOf('Observation?_id=idalpha-obs&_revinclude=Provenance:target')).toContain('idmixed-prov');
    expect(await idsOf('DiagnosticReport?patient=idalpha&_include=DiagnosticReport:result')).toContain('idneutral-obs');
    expect(await idsOf('Patient/idbravo/$everything')).toContain('idbravo-obs');
  });

  test('search by POST, pages, versions, counts', async () => {
    const form = { method: 'POST', body: new URLSearchParams({ patient: 'idalpha', _count: '2' }) };
    const first = await get('Observation/_search', form);
    expect(first.body.entry).toHaveLength(2);
    const next = first.body.link?.find(({ relation }) => relation === 'next')?.url ?? '';
    expect(await idsOf(next.slice(ehr.base.length + 1))).toHaveLength(2);
    expect((await get('Observation/idmoved-lost')).text).toContain('zqbravo');
    expect((await get('Observation/idmoved-lost/_history/1')).text).toContain('zqalpha');
    expect((await get('Observation?patient=idalpha&_summary=count')).body).toMatchObject({ total: 5, entry: [] });
    expect((await get('Patient/nobody')).status).toBe(404);
  });

  test('a batch, and a path that is not plain', async () => {
    const batch = {
      resourceType: 'Bundle',
      type: 'batch',
      entry: [{ request: { method: 'GET', url: 'Patient/idbravo' } }],
    };
    expect((await get('', { method: 'POST', body: JSON.stringify(batch) })).text).toContain('zqbravo');
    expect((await get('Patient/idalpha%2f..%2fidbravo')).text).toContain('zqbravo');
  });
});

/** Each mode shows bravo, or the EHR's own address, in answer to a sound question about alpha. */
test.each([
  ['ignores-filters', 'Observation?patient=idalpha', 'zqbravo'],
  ['ignores-everything', 'Patient?identifier=urn:example:mrn|M-zqalpha', 'zqbravo'],
  ['swaps-reads', 'Observation/idalpha-obs', 'zqbravo'],
  ['includes-strangers', 'Observation?patient=idalpha', 'idbravo-obs'],
  ['counts-everything', 'Observation?patient=idalpha', '720202'],
  ['entangled', 'Observation?patient=idalpha', 'zqbravo'],
  ['absolute-links', 'Observation/idalpha-obs', 'zqhost'],
  ['foreign-next', 'Observation?patient=idalpha', '"next"'],
  ['echoes', 'Observation?patient=idalpha&x=said', 'said'],
  ['leaks-errors', 'Observation?patient=idalpha', 'zqbravo'],
  ['wrong-type', 'Observation?patient=idalpha', 'zqbravo'],
  ['broken-json', 'Observation?patient=idalpha', 'zqbravo'],
  ['not-fhir', 'Observation?patient=idalpha', 'zqbravo'],
  ['huge', 'Observation?patient=idalpha', 'zqbravo'],
] as const satisfies readonly (readonly [Mode, string, string])[])('%s', async (mode, path, leak) => {
  ehr.become(mode);
  expect((await get(path)).text).toContain(leak);
});

test('headers and redirects', async () => {
  ehr.become('leaks-headers');
  expect((await get('Patient/idalpha')).headers.get('etag')).toBe('W/"zqbravo"');
  ehr.become('redirects');
  const answer = await get('Patient/idalpha');
  expect([answer.status, answer.headers.get('location')]).toEqual([302, expect.stringContaining('Patient/idbravo')]);
});

test("in every mode but one the gateway's own lookup of a patient is answered soundly", async () => {
  for (const mode of ['ignores-filters', 'redirects', 'wrong-type', 'leaks-errors', 'huge', 'slow'] as const) {
    ehr.become(mode);
    if (mode !== 'slow') expect(await idsOf('Patient?identifier=urn:example:mrn|M-zqalpha')).toEqual(['idalpha']);
    expect((await get('metadata')).status).toBe(200);
  }
});
