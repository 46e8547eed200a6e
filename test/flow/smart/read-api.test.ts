import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MedplumClient } from '@medplum/core';
import { Client as FhirKitClient } from 'fhir-kit-client';
import { systemClock } from '../../../src/kernel/index.ts';
import { loadValidator } from '../../../src/r4/index.ts';
import { startEhr, type DemoEhr, type Resource } from '../../../sandbox/index.ts';
import { aGrant, ORIGIN, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

const MRN_SYSTEM = 'urn:example:mrn';
const CATEGORY = 'http://terminology.hl7.org/CodeSystem/observation-category';

let ehr: DemoEhr;
let rig: SmartRig;

interface Entry {
  readonly fullUrl: string;
  readonly resource: Resource & { id: string };
  readonly search: { readonly mode: string };
}
interface Bundle {
  readonly type: string;
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly Entry[];
}

const observation = (id: string, patient: string, category: string, more: object = {}): Resource & { id: string } => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  category: [{ coding: [{ system: CATEGORY, code: category }] }],
  code: { coding: [{ system: 'http://loinc.org', code: '8867-4' }] },
  subject: { reference: `Patient/${patient}` },
  effectiveDateTime: '2026-01-02T03:04:05Z',
  ...more,
});

beforeAll(async () => {
  ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  // What the EHR does not know is not offered.
  ehr.board.setTraits({ ignoreParams: ['value-quantity'] });
  for (const id of ['a', 'b', 'c'])
    ehr.put({
      resourceType: 'Patient',
      id,
      active: true,
      identifier: [{ system: MRN_SYSTEM, value: `mrn-${id}` }],
      name: [{ family: `Family-${id}`, given: ['Given'] }],
      managingOrganization: { reference: 'Organization/hospital' },
    });
  ehr.put({ resourceType: 'Organization', id: 'hospital', name: 'Hospital' });
  ehr.put({ resourceType: 'Practitioner', id: 'doc', name: [{ family: 'Doctor' }] });
  ehr.put({ resourceType: 'Medication', id: 'med', code: { text: 'Something' } });
  for (let n = 0; n < 5; n += 1)
    ehr.put(observation(`a-vital-${n}`, 'a', 'vital-signs', { performer: [{ reference: 'Practitioner/doc' }] }));
  ehr.put(
    observation('a-lab', 'a', 'laboratory', {
      performer: [{ reference: 'Practitioner/doc' }],
      encounter: { reference: 'Encounter/a-enc' },
    }),
  );
  ehr.put(observation('b-vital', 'b', 'vital-signs', { performer: [{ reference: 'Patient/a' }] }));
  ehr.put(observation('c-vital', 'c', 'vital-signs'));
  ehr.put({
    resourceType: 'Encounter',
    id: 'a-enc',
    status: 'finished',
    class: { code: 'AMB' },
    subject: { reference: 'Patient/a' },
  });
  ehr.put({
    resourceType: 'Encounter',
    id: 'b-enc',
    status: 'finished',
    class: { code: 'AMB' },
    subject: { reference: 'Patient/b' },
  });
  ehr.put({
    resourceType: 'MedicationRequest',
    id: 'a-rx',
    status: 'active',
    intent: 'order',
    medicationReference: { reference: 'Medication/med' },
    subject: { reference: 'Patient/a' },
  });
  ehr.put({ resourceType: 'Device', id: 'a-dev', patient: { reference: 'Patient/a' } });
  ehr.put({ resourceType: 'Device', id: 'b-dev', patient: { reference: 'Patient/b' } });
  const provenance = (id: string, ...targets: string[]): Resource & { id: string } => ({
    resourceType: 'Provenance',
    id,
    recorded: '2026-01-02T03:04:05Z',
    target: targets.map((reference) => ({ reference })),
    agent: [{ who: { reference: 'Organization/hospital' } }],
  });
  ehr.put(provenance('p-own', 'Observation/a-lab', 'Observation/a-vital-0'));
  ehr.put(provenance('p-mixed', 'Observation/a-lab', 'Observation/b-vital'));
  ehr.put(provenance('p-other', 'Observation/b-vital'));
  rig = await startSmart(ehr.url, { capability: 'probed' });
  await rig.link('mrn-a');
  await rig.link('mrn-b');
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});

const patientA = (scope = 'patient/*.rs') => rig.token(aGrant(scope, { patient: 'a' }));
const search = async (path: string, token: string, headers: Record<string, string> = {}): Promise<[number, Bundle]> => {
  const answer = await rig.get(`/fhir/${path}`, token, headers);
  return [answer.status, (await answer.json()) as Bundle];
};
const names = ({ entry = [] }: Bundle): string[] =>
  entry.map(({ resource }) => `${resource.resourceType}/${resource.id}`).sort();
const codeOf = async (answer: Response): Promise<[number, string | undefined]> => {
  const body = (await answer.json()) as { issue: { details: { coding: { code: string }[] } }[] };
  return [answer.status, body.issue[0]?.details.coding[0]?.code];
};

describe('a token of one patient', () => {
  test('reads what is about the patient, with its version and who passed it on', async () => {
    const answer = await rig.get('/fhir/Observation/a-lab', patientA());
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/fhir+json; charset=utf-8');
    expect(answer.headers.get('etag')).toMatch(/^W\/"/);
    expect(answer.headers.get('x-intermediary')).toBe('chartgate/test');
    expect(((await answer.json()) as Resource)['id']).toBe('a-lab');
    const again = await rig.get('/fhir/Observation/a-lab', patientA(), {
      'if-none-match': answer.headers.get('etag') ?? '',
    });
    expect(again.status).toBe(304);
    const head = await fetch(`${rig.base}/Observation/a-lab`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${patientA()}` },
    });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test.each([
    'Observation/b-vital',
    'Observation/nothing',
    'Patient/b',
    'Patient/nobody',
    'Device/b-dev',
    'Encounter/b-enc',
    'Provenance/p-other',
    'Observation/b-vital/_history',
    'Observation/b-vital/_history/1',
    'Observation/a-lab/_history/99',
    'Patient/b/$everything',
  ])('%s is not found, in the same words as what is not there', async (path) => {
    const answer = await rig.get(`/fhir/${path}`, patientA());
    expect(await codeOf(answer)).toEqual([404, 'read.not-found']);
  });

  test.each([
    'Patient/a',
    'Device/a-dev',
    'Practitioner/doc',
    'Medication/med',
    'Provenance/p-own',
    'Observation/a-lab/_history/1',
  ])('%s is read', async (path) => {
    expect((await rig.get(`/fhir/${path}`, patientA())).status).toBe(200);
  });

  test('a search finds the own records, whether or not it names the patient', async () => {
    for (const query of [
      '',
      '?patient=a',
      '?patient=Patient/a',
      '?subject=Patient/a',
      '?patient=a&patient=Patient/a',
      `?patient=${rig.base}/Patient/a`,
    ]) {
      const [status, bundle] = await search(`Observation${query}`, patientA());
      expect([status, bundle.type, bundle.total, names(bundle).length]).toEqual([200, 'searchset', 6, 6]);
      expect(
        bundle.entry?.every(({ fullUrl, search: { mode } }) => fullUrl.startsWith(rig.base) && mode === 'match'),
      ).toBe(true);
    }
  });

  test('POST _search is the same as GET, and the body may name the patient again', async () => {
    const post = async (query: string, body: string) =>
      fetch(`${rig.base}/Observation/_search${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${patientA()}`, 'content-type': 'application/x-www-form-urlencoded' },
        body,
      });
    const answer = await post('', 'category=laboratory');
    expect(names((await answer.json()) as Bundle)).toEqual(['Observation/a-lab']);
    expect(await codeOf(await post('?patient=a', 'patient=b'))).toEqual([400, 'read.patient-needed']);
    expect(await codeOf(await post('', 'patient=b'))).toEqual([403, 'read.other-patient']);
  });

  test.each([
    ['Observation?patient=b', 403, 'read.other-patient'],
    ['Observation?patient=a,b', 400, 'read.patient-needed'],
    ['Observation?subject=Group/g', 400, 'read.parameter'],
    ['Observation?patient:identifier=x', 400, 'read.parameter'],
    ['Observation?subject.name=Family-b', 400, 'read.parameter'],
    ['Observation?patient.identifier=x', 400, 'read.parameter'],
    ['Patient?_has:Observation:patient:code=x', 400, 'read.parameter'],
    ['Observation?_include=*', 400, 'read.parameter'],
    ['Observation?_include:iterate=Observation:performer', 400, 'read.parameter'],
    ['Observation?_revinclude=Observation:focus', 400, 'read.parameter'],
    ['Observation?_filter=x', 400, 'read.parameter'],
    ['Observation?_list=x', 400, 'read.parameter'],
    ['Observation?_text=x', 400, 'read.parameter'],
    ['Observation?_content=x', 400, 'read.parameter'],
    ['Observation?_query=x', 400, 'read.parameter'],
    ['Observation?_contained=true', 400, 'read.parameter'],
    ['Observation?_method=delete', 400, 'read.parameter'],
    ['Observation?code:in=x', 400, 'read.parameter'],
    ['Observation?_type=Patient', 400, 'read.parameter'],
    ['Observation?performer=https://elsewhere.example.org/Patient/b', 400, 'read.parameter'],
    ['Observation?_cursor=x', 400, 'read.cursor'],
    ['Patient?_id=b', 403, 'read.other-patient'],
    ['Practitioner?active=true', 403, 'read.shared-search'],
    ['Task', 404, 'read.not-found'],
    ['Binary/1', 404, 'read.not-found'],
    ['Observation/a%2Flab', 404, 'read.not-found'],
    ['Patient/..%2fObservation', 404, 'read.not-found'],
    ['Encounter/a-enc/Observation', 404, 'read.not-found'],
    ['Observation/_history', 404, 'read.not-found'],
    ['Observation?_format=xml', 406, 'read.format'],
  ])('%s is answered %i %s', async (path, status, code) => {
    expect(await codeOf(await rig.get(`/fhir/${path}`, patientA()))).toEqual([status, code]);
  });

  test('a parameter that nobody knows is left out of the self link, or refused if the app wants that', async () => {
    const [status, bundle] = await search('Observation?nonsense=1&code=8867-4', patientA());
    expect(status).toBe(200);
    expect(bundle.link[0]?.url).toBe(`${rig.base}/Observation?patient=a&code=8867-4`);
    const strict = await rig.get('/fhir/Observation?nonsense=1', patientA(), { prefer: 'handling=strict' });
    expect(await codeOf(strict)).toEqual([400, 'read.parameter']);
  });

  test('pages follow one another by cursors that are worth nothing to another', async () => {
    const token = patientA();
    const found: string[] = [];
    let path = 'Observation?_count=2&_sort=_id';
    let cursor = '';
    for (let n = 0; n < 5 && path !== ''; n += 1) {
      const [status, bundle] = await search(path, token);
      expect(status).toBe(200);
      expect(bundle.total).toBeUndefined();
      found.push(...names(bundle));
      const next = bundle.link.find(({ relation }) => relation === 'next')?.url ?? '';
      expect(next).not.toContain(ehr.url);
      path = next.slice(rig.base.length + 1);
      if (path !== '') cursor = path;
    }
    expect(new Set(found).size).toBe(6);
    const others = [
      rig.token(aGrant('patient/*.rs', { patient: 'b' })),
      rig.token(aGrant('patient/*.rs', { patient: 'a', subject: 'user-2' })),
      rig.token(aGrant('patient/*.rs', { patient: 'a', clientId: 'app-2' })),
      rig.token(aGrant('patient/Observation.rs', { patient: 'a' })),
    ];
    for (const other of others)
      expect(await codeOf(await rig.get(`/fhir/${cursor}`, other))).toEqual([400, 'read.cursor']);
    expect(await codeOf(await rig.get(`/fhir/${cursor.replace('Observation', 'Patient')}`, token))).toEqual([
      400,
      'read.cursor',
    ]);
    expect(await codeOf(await rig.get(`/fhir/${cursor}&patient=a`, token))).toEqual([400, 'read.parameter']);
    expect(await codeOf(await rig.get(`/fhir/${cursor.slice(0, -3)}AAA`, token))).toEqual([400, 'read.cursor']);
  });

  test('what is referred to comes along where the scopes allow it', async () => {
    const [, rx] = await search('MedicationRequest?_include=MedicationRequest:medication', patientA());
    expect(names(rx)).toEqual(['Medication/med', 'MedicationRequest/a-rx']);
    const [, labs] = await search(
      'Observation?category=laboratory&_include=Observation:performer&_include=Observation:encounter',
      patientA(),
    );
    expect(names(labs)).toEqual(['Encounter/a-enc', 'Observation/a-lab', 'Practitioner/doc']);
    const [, narrow] = await search(
      'Observation?category=laboratory&_include=Observation:performer',
      patientA('patient/Observation.rs'),
    );
    expect(names(narrow)).toEqual(['Observation/a-lab']);
  });

  test('a scope of a user is enough for what is nobody\u2019s', async () => {
    const mixed = rig.token(aGrant('patient/Observation.rs user/Practitioner.rs', { patient: 'a' }));
    const [, bundle] = await search('Observation?category=laboratory&_include=Observation:performer', mixed);
    expect(names(bundle)).toEqual(['Observation/a-lab', 'Practitioner/doc']);
  });

  test('a list of ids with the own one in it finds that one alone', async () => {
    expect(names((await search('Patient?_id=a,b', patientA()))[1])).toEqual(['Patient/a']);
    expect(names((await search('Patient', patientA()))[1])).toEqual(['Patient/a']);
  });

  test('provenance tells of what may be seen, and of nothing else', async () => {
    const targets = ({ entry = [] }: Bundle): unknown[] =>
      entry
        .filter(({ resource }) => resource.resourceType === 'Provenance')
        .map(({ resource }) => [
          resource.id,
          ...(resource['target'] as { reference: string }[]).map((one) => one.reference),
        ])
        .sort();
    const lab = 'Observation/a-lab';
    const [, bundle] = await search('Observation?category=laboratory&_revinclude=Provenance:target', patientA());
    expect(names(bundle)).toEqual([lab, 'Provenance/p-mixed', 'Provenance/p-own']);
    expect(targets(bundle)).toEqual([
      ['p-mixed', lab],
      ['p-own', lab],
    ]);
    const [, direct] = await search(`Provenance?target=${lab}`, patientA());
    expect(targets(direct)).toEqual([
      ['p-mixed', lab],
      ['p-own', lab, 'Observation/a-vital-0'],
    ]);
    const [, narrow] = await search(
      `Provenance?target=${lab}`,
      patientA(`patient/Observation.rs?category=${CATEGORY}|laboratory patient/Provenance.rs`),
    );
    expect(targets(narrow)).toEqual([
      ['p-mixed', lab],
      ['p-own', lab],
    ]);
    const read = (await (await rig.get('/fhir/Provenance/p-mixed', patientA())).json()) as object;
    expect(read).toMatchObject({ id: 'p-mixed', target: [{ reference: lab }], meta: { tag: [{ code: 'SUBSETTED' }] } });
  });

  test('a granular scope shows its categories and nothing else', async () => {
    const token = patientA(`patient/Observation.rs?category=${CATEGORY}|laboratory`);
    expect(names((await search('Observation', token))[1])).toEqual(['Observation/a-lab']);
    expect(names((await search('Observation?category=vital-signs', token))[1])).toEqual([]);
    expect((await rig.get('/fhir/Observation/a-lab', token)).status).toBe(200);
    expect(await codeOf(await rig.get('/fhir/Observation/a-vital-0', token))).toEqual([404, 'read.not-found']);
    const both = patientA(
      `patient/Observation.rs?category=${CATEGORY}|laboratory patient/Observation.rs?category=${CATEGORY}|vital-signs`,
    );
    expect(names((await search('Observation', both))[1]).length).toBe(6);
  });

  test('letters are exact', async () => {
    expect((await rig.get('/fhir/Observation/a-lab', patientA('patient/Observation.r'))).status).toBe(200);
    expect(await codeOf(await rig.get('/fhir/Observation', patientA('patient/Observation.r')))).toEqual([
      403,
      'read.scope',
    ]);
    expect(await codeOf(await rig.get('/fhir/Observation/a-lab', patientA('patient/Observation.s')))).toEqual([
      403,
      'read.scope',
    ]);
    expect(await codeOf(await rig.get('/fhir/Observation/a-lab', patientA('patient/Observation.cud')))).toEqual([
      403,
      'read.scope',
    ]);
    expect(await codeOf(await rig.get('/fhir/Condition', patientA('patient/Observation.rs')))).toEqual([
      403,
      'read.scope',
    ]);
    const nobody = rig.token(aGrant('patient/*.rs'));
    expect(await codeOf(await rig.get('/fhir/Observation', nobody))).toEqual([403, 'read.no-patient']);
    expect(await codeOf(await rig.get('/fhir/Observation/a-lab', nobody))).toEqual([403, 'read.no-patient']);
  });

  test('the signed-in user may be read by the token that names it', async () => {
    const own = rig.token(aGrant('openid fhirUser', { fhirUser: 'Practitioner/doc' }));
    expect((await rig.get('/fhir/Practitioner/doc', own)).status).toBe(200);
    expect(await codeOf(await rig.get('/fhir/Organization/hospital', own))).toEqual([403, 'read.scope']);
  });

  test('everything is one search for each type of the scopes', async () => {
    const [status, bundle] = await search(
      'Patient/a/$everything',
      patientA('patient/Patient.r patient/Observation.rs patient/Device.s'),
    );
    expect(status).toBe(200);
    expect(names(bundle)).toEqual([
      'Device/a-dev',
      'Observation/a-lab',
      ...[0, 1, 2, 3, 4].map((n) => `Observation/a-vital-${n}`),
      'Patient/a',
    ]);
  });

  test('_elements and _summary are done after the check', async () => {
    const [, bundle] = await search('Observation?_elements=effective&category=laboratory', patientA());
    expect(Object.keys(bundle.entry?.[0]?.resource ?? {}).sort()).toEqual([
      'code',
      'effectiveDateTime',
      'id',
      'meta',
      'resourceType',
      'status',
    ]);
    const [, count] = await search('Observation?_summary=count', patientA());
    expect([count.total, count.entry]).toEqual([6, undefined]);
    const [, zero] = await search(
      'Observation?_count=0',
      patientA(`patient/Observation.rs?category=${CATEGORY}|laboratory`),
    );
    expect([zero.total, zero.entry]).toEqual([1, undefined]);
  });

  test('history tells the versions', async () => {
    ehr.put(observation('a-moved', 'b', 'vital-signs'));
    ehr.put(observation('a-moved', 'a', 'vital-signs'));
    const [status, bundle] = await search('Observation/a-moved/_history', patientA());
    expect([status, bundle.type, names(bundle)]).toEqual([200, 'history', ['Observation/a-moved']]);
    expect(await codeOf(await rig.get('/fhir/Observation/a-moved/_history/1', patientA()))).toEqual([
      404,
      'read.not-found',
    ]);
    ehr.put(observation('a-moved', 'c', 'vital-signs'));
    expect(await codeOf(await rig.get('/fhir/Observation/a-moved/_history/2', patientA()))).toEqual([
      404,
      'read.not-found',
    ]);
  });
});

describe('a token of a user', () => {
  const user = (scope = 'user/*.rs') => rig.token(aGrant(scope));

  test('sees patients with a confirmed link, one at a time', async () => {
    expect(names((await search('Observation?patient=b', user()))[1])).toEqual(['Observation/b-vital']);
    expect(names((await search('Patient?identifier=urn:example:mrn|mrn-b', user()))[1])).toEqual(['Patient/b']);
    expect((await rig.get('/fhir/Observation/b-vital', user())).status).toBe(200);
    expect((await rig.get('/fhir/Provenance/p-mixed', user())).status).toBe(200);
    expect(await codeOf(await rig.get('/fhir/Observation', user()))).toEqual([400, 'read.patient-needed']);
    expect(await codeOf(await rig.get('/fhir/Patient?language=de', user()))).toEqual([400, 'read.patient-needed']);
  });

  test('does not see others, in the same words as those who are not there', async () => {
    for (const id of ['c', 'nobody']) {
      const [status, bundle] = await search(`Observation?patient=${id}`, user());
      expect([status, bundle.total, bundle.entry]).toEqual([200, 0, undefined]);
      expect(await codeOf(await rig.get(`/fhir/Patient/${id}`, user()))).toEqual([404, 'read.not-found']);
    }
    expect((await search('Patient?identifier=urn:example:mrn|mrn-c', user()))[1].total).toBe(0);
    expect(await codeOf(await rig.get('/fhir/Observation/c-vital', user()))).toEqual([404, 'read.not-found']);
  });

  test('a link that is revoked ends at once', async () => {
    await rig.link('mrn-c');
    expect((await rig.get('/fhir/Observation/c-vital', user('system/Observation.r'))).status).toBe(200);
    await rig.link('mrn-c', 'revoked');
    expect((await rig.get('/fhir/Observation/c-vital', user('system/Observation.r'))).status).toBe(404);
  });
});

describe('around it', () => {
  test('what is answered is valid R4', async () => {
    const validator = loadValidator();
    const paths = [
      'metadata',
      'Observation?_count=2',
      'Observation?_revinclude=Provenance:target',
      'Patient/a/_history',
      'Patient/a/$everything',
      'Patient/a/$everything?_type=Provenance',
      'Patient/a/$everything?_count=x&_type=Nonsense',
      'Task',
    ];
    for (const path of paths) {
      const resource: unknown = await (await rig.get(`/fhir/${path}`, patientA())).json();
      expect([path, validator.validate(resource).filter(({ severity }) => severity === 'error')]).toEqual([path, []]);
    }
  });

  test('the CapabilityStatement is open, for every origin, and names what works', async () => {
    const answer = await fetch(`${rig.base}/metadata`, { headers: { origin: 'https://any.example.org' } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const statement = (await answer.json()) as {
      rest: { resource: { type: string; searchParam: { name: string }[]; operation?: unknown }[]; security: unknown }[];
    };
    const observations = statement.rest[0]?.resource.find(({ type }) => type === 'Observation');
    expect(observations?.searchParam.map(({ name }) => name)).toContain('category');
    expect(observations?.searchParam.map(({ name }) => name)).not.toContain('value-quantity');
    expect(JSON.stringify(statement.rest[0]?.security)).toContain('oauth-uris');
    const patients = statement.rest[0]?.resource.find(({ type }) => type === 'Patient');
    expect(patients?.operation).toEqual([
      expect.objectContaining({
        name: 'everything',
        definition: 'http://hl7.org/fhir/OperationDefinition/Patient-everything',
        documentation: expect.stringContaining('_count, _since, _type, start, end') as unknown,
      }),
      expect.objectContaining({
        name: 'match',
        definition: 'http://hl7.org/fhir/OperationDefinition/Patient-match',
      }),
      expect.objectContaining({ name: 'export' }),
      expect.objectContaining({
        name: 'validate',
        definition: 'http://hl7.org/fhir/OperationDefinition/Resource-validate',
      }),
    ]);
    const paramsOf = (of: string) =>
      statement.rest[0]?.resource.find(({ type }) => type === of)?.searchParam.map(({ name }) => name);
    expect(paramsOf('Patient')).toEqual(expect.arrayContaining(['name', 'family', 'given', 'birthdate', 'gender']));
    expect(paramsOf('Practitioner')).toEqual(expect.arrayContaining(['_id', 'name', 'identifier']));
  });

  test('browsers of registered origins may call, also when they are refused', async () => {
    const preflight = await fetch(`${rig.base}/Observation`, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, ORIGIN]);
    const refused = await fetch(`${rig.base}/Observation`, { headers: { origin: ORIGIN } });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, ORIGIN]);
    const foreign = await fetch(`${rig.base}/Observation`, { headers: { origin: 'https://evil.example.org' } });
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('every read and every refusal is in the audit, with nothing of a patient in clear', async () => {
    await rig.get('/fhir/Observation/a-lab', patientA());
    await rig.get('/fhir/Observation/b-vital', patientA());
    await rig.get('/fhir/Observation?patient=b', patientA());
    const last = (await rig.audits()).slice(-3);
    expect(last.map(({ type, interaction, outcome, why }) => [type, interaction, outcome, why])).toEqual([
      ['fhir.read', 'read', '0', undefined],
      ['fhir.read', 'read', '4', 'hidden'],
      ['fhir.deny', 'search-type', '4', 'other-patient'],
    ]);
    expect(JSON.stringify(await rig.audits())).not.toMatch(/a-lab|b-vital|mrn-|Family/);
  });

  test('nothing is shown that cannot be recorded', async () => {
    rig.failAudit('fails');
    for (const path of ['Observation/a-lab', 'Observation', 'Observation?patient=b', 'Patient/a/$everything'])
      expect((await rig.get(`/fhir/${path}`, patientA())).status).toBe(503);
    rig.failAudit('writes');
  });

  test('the patients of a picker are those with a link, by name', async () => {
    const { patients } = rig.smart;
    await rig.refresh();
    const list = async (name: string, birthDate = '', mrn = '') => {
      const listed = await patients.list({ cursor: null, wanted: { name, birthDate, mrn }, requestId: 'req_test' });
      if (!listed.ok) throw new Error(listed.fault.code);
      return listed.value.patients.map((one) => [one.id, one.mrn, one.name]);
    };
    const [a, b] = [
      ['a', 'mrn-a', 'Given Family-a'],
      ['b', 'mrn-b', 'Given Family-b'],
    ];
    expect(await list('')).toEqual([a, b]);
    expect(await list('gIv')).toEqual([a, b]);
    expect([await list('given family-B'), await list('fam iven'), await list('c')]).toEqual([[b], [], []]);
    expect([await list('', '1970-01-01'), await list('', '', 'mrn-b'), await list('x', '', 'mrn-b')]).toEqual([
      [],
      [b],
      [],
    ]);
    expect(await list('', '', 'mrn-c')).toEqual([]);
    const find = async (id: string) => patients.find(id, 'req_test').then((found) => found.ok && found.value?.id);
    expect([await find('a'), await find('c'), await find('x')]).toEqual(['a', undefined, undefined]);
    const has = async (patient: string, encounter: string) => patients.findEncounter(patient, encounter, 'req_test');
    const found = [await has('a', 'a-enc'), await has('a', 'b-enc'), await has('a', 'x'), await has('a', '../a')];
    expect(found.map((one) => one.ok && one.value?.id)).toEqual(['a-enc', undefined, undefined, undefined]);
  });

  test('the encounters of a picker are those of the patient, newest first, without those that did not take place', async () => {
    const encounter = (id: string, patient: string, more: object): Resource & { id: string } => ({
      resourceType: 'Encounter',
      id,
      status: 'finished',
      class: { code: 'AMB', display: 'ambulatory' },
      subject: { reference: `Patient/${patient}` },
      ...more,
    });
    ehr.put(
      encounter('c-old', 'c', { period: { start: '2025-01-02T09:00:00+01:00', end: '2025-01-02T10:00:00+01:00' } }),
    );
    ehr.put(
      encounter('c-new', 'c', { period: { start: '2026-01-02' }, type: [{ text: 'Check-up' }], status: 'in-progress' }),
    );
    ehr.put(encounter('c-not', 'c', { status: 'cancelled' }));
    ehr.put(encounter('c-wrong', 'c', { status: 'entered-in-error' }));
    const listed = await rig.smart.patients.encounters('c', 'req_test');
    expect(listed).toEqual({
      ok: true,
      value: {
        isAll: true,
        encounters: [
          { id: 'c-new', what: 'Check-up', from: '2026-01-02', to: null, status: 'in-progress' },
          { id: 'c-old', what: 'ambulatory', from: '2025-01-02 09:00', to: '2025-01-02 10:00', status: 'finished' },
        ],
      },
    });
  });
});

describe('real clients', () => {
  test('fhir-kit-client searches, pages, reads, and finds the authorization server', async () => {
    const client = new FhirKitClient({ baseUrl: rig.base });
    client.bearerToken = patientA();
    const first = (await client.search({
      resourceType: 'Observation',
      searchParams: { _count: 2 },
    })) as unknown as Bundle;
    const second = (await client.nextPage({ bundle: first as never })) as unknown as Bundle;
    expect([names(first).length, names(second).length]).toEqual([2, 2]);
    const posted = (await client.search({
      resourceType: 'Observation',
      searchParams: { category: 'laboratory' },
      options: { postSearch: true },
    })) as unknown as Bundle;
    expect(names(posted)).toEqual(['Observation/a-lab']);
    expect((await client.read({ resourceType: 'Patient', id: 'a' }))['id']).toBe('a');
    expect(((await client.history({ resourceType: 'Patient', id: 'a' })) as unknown as Bundle).type).toBe('history');
  });

  test('MedplumClient searches and reads', async () => {
    const client = new MedplumClient({ baseUrl: rig.url, fhirUrlPath: 'fhir', accessToken: patientA(), fetch });
    expect((await client.searchResources('Observation', 'category=laboratory')).map(({ id }) => id)).toEqual(['a-lab']);
    expect((await client.readResource('Patient', 'a')).id).toBe('a');
    await expect(client.readResource('Patient', 'b')).rejects.toThrow();
    expect((await client.readHistory('Observation', 'a-lab')).type).toBe('history');
  });
});
