import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { startHostileEhr } from '../support/smart/hostile-ehr.ts';
import { aGrant, startSmart, type SmartRig } from '../support/smart/start-smart.ts';

/*
 * Whoever looks for people learns nothing of those who are not linked: not from the entries, not from a total, not from
 * a page, and not from how often the EHR is asked, which is what takes time.
 */
const MRN = 'urn:example:mrn';
let ehr: Awaited<ReturnType<typeof startHostileEhr>>;
let rig: SmartRig;
/** All Patients of the EHR, by id. */
let charts: Map<string, Readonly<Record<string, unknown>>>;
/** What the EHR sends beside what it was asked for. */
let uncalled: readonly object[] = [];

const patient = (id: string, family: string, more: object = {}) => ({
  resourceType: 'Patient',
  id,
  identifier: [{ system: MRN, value: `mrn-${id}` }],
  name: [{ family, given: ['Given'] }],
  birthDate: '1970-05-12',
  gender: 'female',
  ...more,
});
const LINKED = Array.from({ length: 7 }, (_, n) => `linked-${n}`);

beforeAll(async () => {
  ehr = await startHostileEhr();
  rig = await startSmart(ehr.url);
  ehr.answers(({ method, url, body }) => {
    const path = url.replace(/^\/ehr\//, '');
    if (method === 'GET') {
      const found = charts.get(path.replace('Patient/', ''));
      return found === undefined ? { status: 404, body: {} } : { body: found };
    }
    const asked = new URLSearchParams(body);
    const ids = (asked.get('_id') ?? '').split(',');
    const numbers = (asked.get('identifier') ?? '').split(',').map((one) => one.replace(`${MRN}|`, ''));
    const found = [...charts.values()].filter(
      (one) => ids.includes(String(one['id'])) || numbers.includes(`mrn-${String(one['id'])}`),
    );
    const entry = [...found, ...(asked.has('_id') ? uncalled : [])].map((resource) => ({ resource }));
    return { body: { resourceType: 'Bundle', type: 'searchset', entry } };
  });
  charts = new Map(LINKED.map((id) => [id, patient(id, 'Smith')]));
  for (const id of LINKED) await rig.link(`mrn-${id}`);
  await rig.refresh();
});
beforeEach(() => {
  charts = new Map(LINKED.map((id) => [id, patient(id, 'Smith')]));
  uncalled = [];
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});

const token = () => rig.token(aGrant('user/Patient.rs'));
interface Bundle {
  readonly total?: number;
  readonly link?: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly { readonly resource: { readonly id: string } }[];
}
/** An answer without what is random in it, and the questions that it cost. */
async function look(path: string, by = token()) {
  ehr.asked.length = 0;
  const answer = await rig.get(path, by);
  const text = await answer.text();
  const questions = ehr.asked.map(({ method, url, body }) => `${method} ${url} ${body}`);
  const bundle = JSON.parse(text) as Bundle;
  const next = bundle.link?.find(({ relation }) => relation === 'next')?.url.slice(rig.url.length);
  return { status: answer.status, text: text.replace(/_cursor=[\w-]+/g, '_cursor'), questions, bundle, next };
}
const ids = ({ entry = [] }: Bundle): string[] => entry.map(({ resource }) => resource.id);

describe('those who are not linked', () => {
  const QUERIES = [
    'name=smith',
    'name=smi&_count=3',
    'family=smith&_sort=-birthdate',
    'gender=female&_summary=count',
    'birthdate=1970-05-12&_count=7',
    'family=stranger',
    'name=nobody',
    '_id=linked-0,stranger-0,not-there',
    'name=smith&_revinclude=Provenance:target',
  ];
  test.each(QUERIES)('change neither the answer nor the questions: %s', async (query) => {
    const alone = await look(`/fhir/Patient?${query}`);
    for (let n = 0; n < 300; n += 1) {
      charts.set(`stranger-${n}`, patient(`stranger-${n}`, n % 2 === 0 ? 'Smith' : 'Stranger'));
    }
    const among = await look(`/fhir/Patient?${query}`);
    expect([among.status, among.text, among.questions]).toEqual([alone.status, alone.text, alone.questions]);
    expect(among.questions.join()).not.toContain('stranger');
    const last = ids(among.bundle);
    expect(last.filter((id) => !id.startsWith('linked'))).toEqual([]);
  });

  test('are never asked for: a name that only they have costs no question', async () => {
    charts.set('stranger-0', patient('stranger-0', 'Stranger'));
    await rig.get('/fhir/Patient/stranger-0', token());
    const { bundle, questions } = await look('/fhir/Patient?family=stranger');
    expect([bundle.total, questions]).toEqual([0, []]);
  });

  test('are not matched, and cost no question', async () => {
    charts.set('stranger-0', patient('stranger-0', 'Stranger'));
    ehr.asked.length = 0;
    const answer = await rig.post('/fhir/Patient/$match', token(), JSON.stringify(patient('x', 'Stranger')));
    const posted = await rig.post(
      '/fhir/Patient/$match',
      token(),
      JSON.stringify({ resourceType: 'Patient', identifier: [{ system: MRN, value: 'mrn-stranger-0' }] }),
    );
    expect([await answer.json(), await posted.json(), ehr.asked]).toEqual([
      expect.objectContaining({ total: 0 }),
      expect.objectContaining({ total: 0 }),
      [],
    ]);
  });

  test('do not come in because the EHR sends them uncalled', async () => {
    uncalled = [patient('stranger-0', 'Smith')];
    const { status, text } = await look('/fhir/Patient?name=smith');
    expect([status, text.includes('stranger')]).toEqual([502, false]);
  });

  test('are not shown where the EHR now says another number of a Patient', async () => {
    charts.set('linked-3', patient('linked-3', 'Smith', { identifier: [{ system: MRN, value: 'mrn-stranger' }] }));
    const { bundle } = await look('/fhir/Patient?name=smith');
    expect([ids(bundle).includes('linked-3'), bundle.total]).toEqual([false, 6]);
  });

  test('are not told by what was true of a Patient once', async () => {
    charts.set('linked-4', patient('linked-4', 'Jones'));
    const { bundle } = await look('/fhir/Patient?name=smith');
    expect([ids(bundle).includes('linked-4'), bundle.total]).toEqual([false, 6]);
    charts.set('linked-4', patient('linked-4', 'Smith'));
    await rig.get('/fhir/Patient/linked-4', token());
    // What a read has shown is written once its answer has gone.
    const total = async () => (await look('/fhir/Patient?name=smith')).bundle.total;
    expect(await eventually(total, (found) => found === 7)).toBe(7);
  });
});

describe('between two pages', () => {
  test('a link that ends takes its patient out of the next page, its total and its questions', async () => {
    const by = token();
    const first = await look('/fhir/Patient?name=smith&_count=3', by);
    expect([ids(first.bundle), first.bundle.total]).toEqual([LINKED.slice(0, 3), 7]);
    await rig.link('mrn-linked-4', 'revoked');
    const second = await look(first.next ?? '', by);
    expect([ids(second.bundle), second.bundle.total]).toEqual([['linked-3', 'linked-5', 'linked-6'], 6]);
    expect(second.questions.join()).not.toContain('linked-4');
    expect(second.next).toBeUndefined();
    await rig.link('mrn-linked-4');
    await rig.refresh();
  });

  test('a cursor is worth nothing to another token, and holds nobody’s name', async () => {
    const by = token();
    const first = await look('/fhir/Patient?name=smith&_count=3', by);
    const other = rig.token(aGrant('user/Patient.rs', { subject: 'somebody-else' }));
    expect((await rig.get(first.next ?? '', other)).status).toBe(400);
    const cursor = new URL(first.next ?? '', rig.url).searchParams.get('_cursor') ?? '';
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toMatch(/smith|linked/);
  });
});
