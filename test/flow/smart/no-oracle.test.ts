import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../src/kernel/index.ts';
import { startEhr, type DemoEhr, type Resource } from '../../../sandbox/index.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

const MRN = 'urn:example:mrn';

let ehr: DemoEhr;
let rig: SmartRig;
let clinician: string;
let own: string;

interface Bundle {
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly { readonly resource: Resource & { id: string } }[];
}

/** `a` and `d` have a link; `b` and `c` are at the EHR and have none. */
const PATIENTS = [
  ['a', '1970-01-01'],
  ['b', '1980-02-02'],
  ['c', '1980-02-02'],
  ['d', '1990-03-03'],
] as const;

beforeAll(async () => {
  ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  for (const [id, birthDate] of PATIENTS)
    ehr.put({
      resourceType: 'Patient',
      id,
      active: true,
      birthDate,
      identifier: [{ system: MRN, value: `mrn-${id}` }],
      generalPractitioner: [{ reference: `Practitioner/doc-${id}` }],
    });
  for (const [id] of PATIENTS) {
    ehr.put({ resourceType: 'Practitioner', id: `doc-${id}`, name: [{ family: `Doctor-${id}` }] });
    ehr.put({
      resourceType: 'Observation',
      id: `obs-${id}`,
      status: 'final',
      code: { text: 'x' },
      subject: { reference: `Patient/${id}` },
    });
    for (const n of [1, 2])
      ehr.put({
        resourceType: 'Provenance',
        id: `prov-${id}-${n}`,
        recorded: '2026-01-02T03:04:05Z',
        target: [{ reference: `Observation/obs-${id}` }],
        agent: [{ who: { reference: `Practitioner/doc-${id}` } }],
      });
  }
  rig = await startSmart(ehr.url, { capability: 'probed' });
  await rig.link('mrn-a');
  await rig.link('mrn-d');
  clinician = rig.token(aGrant('user/*.rs'));
  own = rig.token(aGrant('patient/*.rs', { patient: 'a' }));
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});

const ask = async (path: string, token: string): Promise<[number, Bundle]> => {
  const answer = await rig.get(`/fhir/${path}`, token);
  return [answer.status, (await answer.json()) as Bundle];
};
const names = ({ entry = [] }: Bundle): string[] =>
  entry.map(({ resource: { resourceType, id } }) => `${resourceType}/${id}`);
const nextOf = ({ link }: Bundle): string | undefined =>
  link.find(({ relation }) => relation === 'next')?.url.slice(rig.base.length + 1);

describe('who is not linked leaves no trace', () => {
  test('in a next link, whatever else is asked of the number', async () => {
    const asked = (birthdate: string) =>
      `Patient?identifier=${MRN}|mrn-a,${MRN}|mrn-b&birthdate=1970-01-01,${birthdate}&_count=1`;
    for (const birthdate of ['1980-02-02', '1980-02-03']) {
      const [status, bundle] = await ask(asked(birthdate), clinician);
      expect([status, names(bundle), bundle.total, nextOf(bundle)]).toEqual([200, ['Patient/a'], 1, undefined]);
    }
  });

  test('in the order of what is found', async () => {
    for (const sort of ['birthdate', '-birthdate']) {
      const [, bundle] = await ask(`Patient?identifier=${MRN}|mrn-a,${MRN}|mrn-b&_sort=${sort}&_count=1`, clinician);
      expect([names(bundle), nextOf(bundle)]).toEqual([['Patient/a'], undefined]);
    }
  });

  test('by whom the record refers to', async () => {
    const [, bundle] = await ask(`Patient?identifier=${MRN}|mrn-b&_include=Patient:general-practitioner`, clinician);
    expect([names(bundle), bundle.total]).toEqual([[], 0]);
    const [, both] = await ask(
      `Patient?identifier=${MRN}|mrn-a,${MRN}|mrn-b&_include=Patient:general-practitioner`,
      clinician,
    );
    expect(names(both)).toEqual(['Patient/a', 'Practitioner/doc-a']);
  });

  test('under an id that is none', async () => {
    for (const id of ['b/_history/1', 'zzz/_history/1', 'b/$everything', 'b?x', '..', 'b,'])
      expect([id, (await ask(`Patient?_id=${encodeURIComponent(id)}`, clinician))[0]]).toEqual([id, 400]);
  });

  test('when every number of a system is asked for', async () => {
    expect((await ask(`Patient?identifier=${MRN}|`, clinician))[0]).toBe(400);
    expect((await ask(`Patient?identifier=${MRN}|mrn-a,${MRN}|`, clinician))[0]).toBe(400);
  });
});

test('patients that are found by their numbers still come page by page', async () => {
  const found: string[] = [];
  let path: string | undefined =
    `Patient?identifier=${['a', 'b', 'c', 'd'].map((id) => `${MRN}|mrn-${id}`).join(',')}&_count=1&_sort=_id`;
  for (let n = 0; n < 5 && path !== undefined; n += 1) {
    const [status, bundle] = await ask(path, clinician);
    expect(status).toBe(200);
    found.push(...names(bundle));
    path = nextOf(bundle);
  }
  expect(found).toEqual(['Patient/a', 'Patient/d']);
});

test('a page that was begun ends with the link', async () => {
  ehr.put({ resourceType: 'Patient', id: 'e', identifier: [{ system: MRN, value: 'mrn-e' }] });
  for (let n = 0; n < 250; n += 1)
    ehr.put({
      resourceType: 'Observation',
      id: `e-${n}`,
      status: 'final',
      code: { text: 'x' },
      subject: { reference: 'Patient/e' },
    });
  await rig.link('mrn-e');
  const [, searched] = await ask('Observation?patient=e&_count=2', clinician);
  const [, everything] = await ask('Patient/e/$everything', clinician);
  const cursors = [nextOf(searched) ?? '', nextOf(everything) ?? ''];
  for (const cursor of cursors) expect(names((await ask(cursor, clinician))[1]).length).toBeGreaterThan(0);
  await rig.link('mrn-e', 'revoked');
  const [first = '', second = ''] = cursors;
  expect(names((await ask(first, clinician))[1])).toEqual([]);
  expect((await ask(second, clinician))[0]).toBe(404);
  const narrowed = rig.token(aGrant('user/Observation.rs'));
  for (const cursor of cursors) expect((await ask(cursor, narrowed))[0]).toBe(400);
});

describe('what a Provenance is about', () => {
  test.each([
    'Observation/obs-b',
    'Observation/obs-zzz',
    'Observation/obs-b,Observation/obs-c',
    'Observation/obs-b/_history/1',
  ])('%s that is not one\u2019s own is as not there, however small the page', async (target) => {
    for (const token of [own, clinician]) {
      const [status, bundle] = await ask(`Provenance?target=${target}&_count=1`, token);
      expect([status, names(bundle), bundle.total, nextOf(bundle)]).toEqual([200, [], 0, undefined]);
    }
  });

  test('needs its type', async () => {
    expect((await ask('Provenance?target=obs-a', own))[0]).toBe(400);
  });

  test('is found for one\u2019s own, also with another condition beside it', async () => {
    for (const token of [own, clinician]) {
      const [, bundle] = await ask('Provenance?target=Observation/obs-a', token);
      expect(names(bundle).sort()).toEqual(['Provenance/prov-a-1', 'Provenance/prov-a-2']);
    }
    const counts: (number | undefined)[] = [];
    for (const beside of ['obs-b', 'obs-zzz'])
      counts.push((await ask(`Provenance?target=Observation/obs-a,Observation/${beside}&_count=2`, own))[1].total);
    expect(counts).toEqual([2, 2]);
    expect((await ask('Provenance?target=Observation/obs-a&patient=b', own))[0]).toBe(403);
  });
});
