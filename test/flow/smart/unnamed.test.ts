import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../src/kernel/index.ts';
import { startEhr, type DemoEhr, type Resource } from '../../../sandbox/index.ts';
import { startHostileEhr } from '../../support/smart/hostile-ehr.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

/** Searches that name no patient reach those whom the token may see, and tell of nobody else. */
const MRN_SYSTEM = 'urn:example:mrn';
const VISITS = 'urn:example:visits';
let ehr: DemoEhr;
let rig: SmartRig;
let open: SmartRig;

const encounter = (id: string, of: string, more: object = {}) => ({
  resourceType: 'Encounter',
  id,
  status: 'finished',
  identifier: [{ system: VISITS, value: `visit-${id}` }],
  class: { code: 'AMB' },
  subject: { reference: `Patient/${of}` },
  ...more,
});

beforeAll(async () => {
  ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  for (const id of ['a', 'b', 'c'])
    ehr.put({ resourceType: 'Patient', id, active: true, identifier: [{ system: MRN_SYSTEM, value: `mrn-${id}` }] });
  for (const id of ['a', 'b', 'c']) {
    ehr.put(encounter(`${id}1`, id));
    ehr.put(encounter(`${id}2`, id, { status: 'in-progress' }));
    ehr.put({
      resourceType: 'Observation',
      id: `obs-${id}`,
      status: 'final',
      code: { text: 'x' },
      subject: { reference: `Patient/${id}` },
      encounter: { reference: `Encounter/${id}1` },
    });
  }
  rig = await startSmart(ehr.url, { capability: 'probed' });
  await rig.link('mrn-a');
  await rig.link('mrn-b');
  open = await startSmart(ehr.url, { capability: 'probed', patients: 'all' });
});
afterAll(async () => {
  await rig.stop();
  await open.stop();
  await ehr.stop();
});

interface Bundle {
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly {
    readonly resource: Resource & { id: string };
    readonly search: { readonly mode: string };
  }[];
}
const namesOf = ({ entry = [] }: Bundle): string[] =>
  entry.map(({ resource }) => `${resource.resourceType}/${resource.id}`).sort();
const find = async (path: string, grant = aGrant('user/*.rs'), at = rig): Promise<[number, string[]]> => {
  const answer = await at.get(`/fhir/${path}`, at.token(grant));
  return [answer.status, namesOf((await answer.json()) as Bundle)];
};

describe('by ids', () => {
  test('is a read of them: what is hidden is as what is not there', async () => {
    expect(await find('Encounter?_id=a1')).toEqual([200, ['Encounter/a1']]);
    expect(await find('Encounter?_id=a1,b2,c1,none')).toEqual([200, ['Encounter/a1', 'Encounter/b2']]);
    expect(await find('Encounter?_id=c1')).toEqual([200, []]);
    expect(await find('Encounter?_id=none')).toEqual([200, []]);
    expect(await find('Encounter?_id=a1,a2&status=in-progress')).toEqual([200, ['Encounter/a2']]);
  });

  test('asks the EHR the same for what is hidden and what is not there', async () => {
    const hostile = await startHostileEhr();
    const gateway = await startSmart(hostile.url);
    const asked = async (id: string): Promise<string[]> => {
      hostile.answers(({ url, body }) => {
        if (url.includes('_search'))
          return {
            body: {
              resourceType: 'Bundle',
              type: 'searchset',
              entry: body.includes('_id=c1') || body.includes('visit-c1') ? [{ resource: encounter('c1', 'c') }] : [],
            },
          };
        return { status: 404, body: {} };
      });
      const answer = await gateway.get(`/fhir/Encounter?${id}`, gateway.token(aGrant('user/*.rs')));
      expect([answer.status, namesOf((await answer.json()) as Bundle)]).toEqual([200, []]);
      return hostile.asked.map(({ method, url }) => `${method} ${url.replace(/Patient\/.*/, 'Patient')}`);
    };
    expect(await asked('_id=c1')).toEqual(await asked('_id=c9'));
    expect(await asked('_id=c1,c2')).toEqual(await asked('_id=c8,c9'));
    expect(await asked(`identifier=${VISITS}|visit-c1`)).toEqual(await asked(`identifier=${VISITS}|visit-c9`));
    await gateway.stop();
    await hostile.stop();
  });

  test('costs as many questions as there are different ids, of which there are 50', async () => {
    const hostile = await startHostileEhr();
    const gateway = await startSmart(hostile.url);
    hostile.answers(({ url }) =>
      url.includes('_search')
        ? { body: { resourceType: 'Bundle', type: 'searchset', entry: [] } }
        : { status: 404, body: {} },
    );
    const ask = async (ids: readonly string[]): Promise<[number, string, number]> => {
      const before = hostile.asked.length;
      const answer = await gateway.get(`/fhir/Encounter?_id=${ids.join(',')}`, gateway.token(aGrant('user/*.rs')));
      return [answer.status, await answer.text(), hostile.asked.length - before];
    };
    const [, , once] = await ask(['c1']);
    const [status, , repeated] = await ask(Array.from({ length: 600 }, () => 'c1'));
    expect([status, repeated]).toEqual([200, once]);
    const ids = Array.from({ length: 51 }, (_, n) => `c${n}`);
    expect((await ask(ids.slice(1)))[0]).toBe(200);
    expect(await ask(ids)).toEqual([400, expect.stringContaining('_id: at most 50'), 0]);
    await gateway.stop();
    await hostile.stop();
  });

  test('brings along what is theirs', async () => {
    expect(await find('Encounter?_id=a1,c1&_revinclude=Observation:encounter')).toEqual([
      200,
      ['Encounter/a1', 'Observation/obs-a'],
    ]);
    expect(await find('Observation?_id=obs-b,obs-c&_include=Observation:encounter')).toEqual([
      200,
      ['Encounter/b1', 'Observation/obs-b'],
    ]);
  });
});

describe('by a number', () => {
  test('finds it where the patient may be seen', async () => {
    expect(await find(`Encounter?identifier=${VISITS}|visit-b1`)).toEqual([200, ['Encounter/b1']]);
    expect(await find(`Encounter?identifier=${VISITS}|visit-c1`)).toEqual([200, []]);
    expect(await find(`Encounter?identifier=visit-a1,visit-c1`)).toEqual([200, ['Encounter/a1']]);
  });
});

describe('by anything else', () => {
  const seen = ['Encounter/a2', 'Encounter/b2'];
  test('finds what is of linked patients', async () => {
    expect(await find('Encounter?status=in-progress')).toEqual([200, seen]);
    expect(await find('Encounter?status=in-progress', aGrant('system/Encounter.s'))).toEqual([200, seen]);
    expect(await find('Encounter?status=in-progress', aGrant('patient/*.rs', { patient: 'a' }))).toEqual([
      200,
      ['Encounter/a2'],
    ]);
    expect((await find('Encounter?status=in-progress', aGrant('user/Observation.rs')))[0]).toBe(403);
  });

  test('is paged by us, and each page is recorded for its patients', async () => {
    const token = rig.token(aGrant('user/*.rs'));
    const first = (await (await rig.get('/fhir/Encounter?status=in-progress&_count=1', token)).json()) as Bundle;
    const next = first.link.find(({ relation }) => relation === 'next')?.url ?? '';
    const second = (await (await rig.get(next.slice(rig.url.length), token)).json()) as Bundle;
    expect([...namesOf(first), ...namesOf(second)].sort()).toEqual(seen);
    expect([first.total, second.link.length]).toEqual([undefined, 1]);
    expect((await rig.audits()).slice(-2).map(({ type, count }) => [type, count])).toEqual([
      ['fhir.search', 1],
      ['fhir.search', 1],
    ]);
    await rig.link('mrn-b', 'revoked');
    expect(await find('Encounter?status=in-progress')).toEqual([200, ['Encounter/a2']]);
    const again = (await (await rig.get(next.slice(rig.url.length), token)).json()) as Bundle;
    expect(namesOf(again)).not.toContain('Encounter/b2');
    await rig.link('mrn-b');
  });

  test('is counted for whom the token sees', async () => {
    const answer = await rig.get('/fhir/Encounter?status=in-progress&_summary=count', rig.token(aGrant('user/*.rs')));
    expect(((await answer.json()) as Bundle).total).toBe(2);
  });

  test('finds everybody\u2019s where all patients may be seen', async () => {
    expect(await find('Encounter?status=in-progress', aGrant('user/*.rs'), open)).toEqual([
      200,
      ['Encounter/a2', 'Encounter/b2', 'Encounter/c2'],
    ]);
  });

  test.each(['Encounter', 'Encounter?_count=5', 'Encounter?made-up=1'])(
    '%s has no condition, and is told to name a patient',
    async (path) => {
      const answer = await rig.get(`/fhir/${path}`, rig.token(aGrant('user/*.rs')));
      const outcome = (await answer.json()) as {
        issue: { expression: string[]; details: { text: string; coding: { code: string }[] } }[];
      };
      expect([answer.status, outcome.issue[0]?.expression, outcome.issue[0]?.details.coding[0]?.code]).toEqual([
        400,
        ['patient'],
        'read.patient-needed',
      ]);
      expect(outcome.issue[0]?.details.text).toContain('patient=ID');
    },
  );
});

test('an EHR that takes no lists, or answers with others, shows nobody', async () => {
  const hostile = await startHostileEhr();
  const gateway = await startSmart(hostile.url);
  await gateway.link('mrn-a');
  const patientA = { resourceType: 'Patient', id: 'a', identifier: [{ system: MRN_SYSTEM, value: 'mrn-a' }] };
  let answer: object = { status: 400, body: { resourceType: 'OperationOutcome' } };
  const bundle = (...all: object[]) => ({
    body: { resourceType: 'Bundle', type: 'searchset', entry: all.map((resource) => ({ resource })) },
  });
  hostile.answers(({ url }) => (url.includes('Patient/_search') ? bundle(patientA) : answer));
  const ask = async (): Promise<[number, string[]]> => find('Encounter?status=finished', aGrant('user/*.rs'), gateway);
  expect((await ask())[0]).toBe(400);
  answer = bundle(encounter('a1', 'a'), encounter('c1', 'c'));
  expect((await ask())[0]).toBe(502);
  answer = bundle(encounter('a1', 'a'));
  expect(await ask()).toEqual([200, ['Encounter/a1']]);
  await gateway.stop();
  await hostile.stop();
});
