import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startHostileEhr } from '../../support/smart/hostile-ehr.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

/** A Provenance tells of everything that it is about, so one target that may not be seen hides it. */
const MRN = 'urn:example:mrn';
const MARKER = 'MarkerOfAnotherPatient';
const OWN = 'Observation/own';
const OWN_2 = 'Observation/own-2';
const LINKED = 'Observation/linked';
const STRANGE = 'Observation/strange';

const patient = (id: string): object => ({
  resourceType: 'Patient',
  id,
  identifier: [{ system: MRN, value: `mrn-${id}` }],
});
const observation = (id: string, of: string, versionId = '2'): object => ({
  resourceType: 'Observation',
  id,
  meta: { versionId },
  subject: { reference: `Patient/${of}` },
});
const RECORDS: Readonly<Record<string, object>> = {
  'Patient/a': patient('a'),
  'Patient/b': patient('b'),
  'Patient/c': patient('c'),
  [OWN]: observation('own', 'a'),
  [`${OWN}/_history/1`]: observation('own', 'c', '1'),
  [OWN_2]: observation('own-2', 'a'),
  [`${OWN_2}/_history/1`]: observation('own-2', 'a', '1'),
  [LINKED]: observation('linked', 'b'),
  [STRANGE]: observation('strange', 'c'),
  'Practitioner/p': { resourceType: 'Practitioner', id: 'p' },
};

let ehr: Awaited<ReturnType<typeof startHostileEhr>>;
let rig: SmartRig;
let targets: readonly unknown[] = [];
const provenance = (): object => ({
  resourceType: 'Provenance',
  id: 'x',
  target: targets,
  reason: [{ text: MARKER }],
});

beforeAll(async () => {
  ehr = await startHostileEhr();
  rig = await startSmart(ehr.url);
  await rig.link('mrn-a');
  await rig.link('mrn-b');
  ehr.answers(({ method, url, body }) => {
    const path = url.replace(/^\/ehr\//, '');
    if (method === 'GET') {
      const found = path === 'Provenance/x' ? provenance() : RECORDS[path];
      return found === undefined ? { status: 404, body: {} } : { body: found };
    }
    const [type = ''] = path.split('/');
    const form = new URLSearchParams(body);
    const own = { resource: RECORDS[OWN], search: { mode: 'match' } };
    const along = { resource: provenance(), search: { mode: 'include' } };
    const entry =
      type === 'Provenance'
        ? [{ resource: provenance() }]
        : form.has('_id')
          ? (form.get('_id') ?? '').split(',').flatMap((id) => {
              const resource = RECORDS[`${type}/${id}`];
              return resource === undefined ? [] : [{ resource }];
            })
          : type === 'Observation'
            ? [own, ...(form.has('_revinclude') ? [along] : [])]
            : [];
    return { body: { resourceType: 'Bundle', type: 'searchset', entry } };
  });
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});

const WAYS = [
  'Provenance/x',
  `Provenance?target=${OWN}`,
  'Observation?patient=a&_revinclude=Provenance:target',
  'Patient/a/$everything?_type=Observation,Provenance',
];
const refs = (...names: readonly unknown[]): unknown[] =>
  names.map((one) => (typeof one === 'string' ? { reference: one } : one));

/** In which of the ways it is shown. */
async function shownIn(token: string): Promise<boolean[]> {
  const shown: boolean[] = [];
  for (const way of WAYS) {
    const answer = await rig.get(`/fhir/${way}`, token);
    expect([way, [200, 403, 404].includes(answer.status)]).toEqual([way, true]);
    shown.push((await answer.text()).includes(MARKER));
  }
  return shown;
}
const ALL = [true, true, true, true];
const NONE = [false, false, false, false];

describe('to a token of one patient', () => {
  test.each<[string, unknown[], boolean[]]>([
    ['one record of the patient\u2019s', refs(OWN), ALL],
    ['two of them', refs(OWN, OWN_2), ALL],
    ['one, and who wrote it', refs(OWN, 'Practitioner/p'), ALL],
    ['an older version that was the patient\u2019s', refs(OWN, `${OWN_2}/_history/1`), ALL],
    ['the current version, named', refs(`${OWN}/_history/2`), ALL],
    ['own first, then another\u2019s', refs(OWN, STRANGE), NONE],
    ['another\u2019s first, then own', refs(STRANGE, OWN), NONE],
    ['one between two of the own', refs(OWN, LINKED, OWN_2), NONE],
    ['own, and another Patient', refs(OWN, 'Patient/c'), NONE],
    ['own, and one that is not there', refs(OWN, 'Observation/none'), NONE],
    ['own, and one of another server', refs(OWN, 'https://other.example/Observation/own-2'), NONE],
    ['own, and one known by a number', refs(OWN, { identifier: { value: '1' } }), NONE],
    ['own, and a type that is not served', refs(OWN, 'Task/1'), NONE],
    ['a version that was another\u2019s', refs(`${OWN}/_history/1`), NONE],
    ['own, and an older version that was another\u2019s', refs(OWN_2, `${OWN}/_history/1`), NONE],
    ['who wrote it alone', refs('Practitioner/p'), NONE],
    ['nothing', [], NONE],
  ])('a Provenance about %s', async (_, given, expected) => {
    targets = given;
    expect(await shownIn(rig.token(aGrant('patient/*.rs', { patient: 'a' })))).toEqual(expected);
  });
});

describe('to a token of a clinician', () => {
  test.each<[string, unknown[], boolean[]]>([
    [
      'two linked patients is read and found, and stands in no one\u2019s everything',
      refs(OWN, LINKED),
      [true, true, true, false],
    ],
    ['a linked patient and a stranger', refs(OWN, STRANGE), NONE],
    ['a stranger and a linked patient', refs(STRANGE, OWN), NONE],
    ['a linked patient alone', refs(OWN), ALL],
  ])('a Provenance about %s', async (_, given, expected) => {
    targets = given;
    expect(await shownIn(rig.token(aGrant('user/*.rs')))).toEqual(expected);
  });

  test('one of whose targets the scopes do not cover is hidden', async () => {
    targets = refs(OWN, 'Patient/a');
    const token = rig.token(aGrant('user/Provenance.rs user/Observation.rs'));
    expect((await shownIn(token)).slice(0, 3)).toEqual([false, false, false]);
    const both = rig.token(aGrant('user/Provenance.rs user/Observation.rs user/Patient.rs'));
    expect(await shownIn(both)).toEqual(ALL);
  });
});
