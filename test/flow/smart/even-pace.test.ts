import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startHostileEhr } from '../../support/smart/hostile-ehr.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

/*
 * How long an answer takes is, but for some microseconds, how often the EHR is asked for it, one question after the
 * other. So what must not be told apart must cost the same questions, the first time and every time after.
 */
const MRN = 'urn:example:mrn';
let ehr: Awaited<ReturnType<typeof startHostileEhr>>;
let rig: SmartRig;

const patient = (id: string): object => ({
  resourceType: 'Patient',
  id,
  identifier: [{ system: MRN, value: `mrn-${id}` }],
});
const of = (resourceType: string, id: string, owner: string, more: object = {}): object => ({
  resourceType,
  id,
  subject: { reference: `Patient/${owner}` },
  ...more,
});
const about = (id: string, ...targets: string[]): object => ({
  resourceType: 'Provenance',
  id,
  target: targets.map((reference) => ({ reference })),
});
const survey = { category: [{ coding: [{ system: 'http://cat', code: 'survey' }] }] };
const RECORDS: Readonly<Record<string, object>> = {
  'Patient/linked': patient('linked'),
  'Patient/stranger': patient('stranger'),
  'Observation/own': of('Observation', 'own', 'linked'),
  'Observation/other': of('Observation', 'other', 'stranger'),
  'Observation/other-2': of('Observation', 'other-2', 'stranger'),
  'Observation/survey': of('Observation', 'survey', 'linked', survey),
  'Observation/entangled': of('Observation', 'entangled', 'linked', { contained: [{ resourceType: 'Patient' }] }),
  'Observation/group': { resourceType: 'Observation', id: 'group', subject: { reference: 'Group/g' } },
  'Provenance/other': about('other', 'Observation/other'),
};

beforeAll(async () => {
  ehr = await startHostileEhr();
  rig = await startSmart(ehr.url);
  await rig.link('mrn-linked');
  ehr.answers(({ method, url, body }) => {
    const path = url.replace(/^\/ehr\//, '');
    if (method === 'GET') {
      const found = RECORDS[path];
      return found === undefined ? { status: 404, body: {} } : { body: found };
    }
    const type = path.replace('/_search', '');
    const ids = (new URLSearchParams(body).get('_id') ?? '').split(',');
    const entry = ids.flatMap((id) => RECORDS[`${type}/${id}`] ?? []).map((resource) => ({ resource }));
    return { body: { resourceType: 'Bundle', type: 'searchset', entry } };
  });
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});

/** The status of an answer, and what kinds of questions it cost. */
async function costOf(path: string, token: string): Promise<[number, string[]]> {
  ehr.asked.length = 0;
  const { status } = await rig.get(`/fhir/${path}`, token);
  return [status, ehr.asked.map(({ method }) => method)];
}

describe('not yours and not there cost the same questions', () => {
  test.each<[string, string, readonly string[]]>([
    ['user/*.rs', 'GET GET', ['Observation/none', 'Observation/other', 'Observation/entangled', 'Observation/group']],
    ['system/*.rs', 'GET GET', ['Observation/none', 'Observation/other', 'Observation/entangled']],
    [
      'user/Observation.rs?category=http://cat|lab',
      'GET GET',
      ['Observation/none', 'Observation/other', 'Observation/survey'],
    ],
    ['user/*.rs', 'GET', ['Patient/none', 'Patient/stranger']],
    ['user/*.rs', 'GET POST GET', ['Provenance/none', 'Provenance/other']],
    ['user/*.rs', 'GET GET', ['Observation/none/_history/1', 'Observation/other/_history/1']],
    ['user/*.rs', 'GET GET', ['Observation/none/_history', 'Observation/other/_history']],
    ['user/*.rs', 'GET', ['Patient/none/$everything', 'Patient/stranger/$everything']],
  ])('to %s: %s', async (scope, expected, paths) => {
    const token = rig.token(aGrant(scope));
    expect((await costOf('Observation/own', token))[0]).toBe(scope.includes('?') ? 404 : 200);
    for (const path of [...paths, ...paths])
      expect([path, await costOf(path, token)]).toEqual([path, [404, expected.split(' ')]]);
  });

  test.each<[string, string, readonly string[]]>([
    ['Observation?patient=', 'GET', ['none', 'stranger']],
    ['Provenance?target=Observation/', 'POST GET', ['none', 'other', 'entangled', 'other-2']],
  ])('%s finds nothing for %s', async (path, expected, ids) => {
    const token = rig.token(aGrant('user/*.rs'));
    for (const id of [...ids, ...ids])
      expect([id, await costOf(`${path}${id}`, token)]).toEqual([id, [200, expected.split(' ')]]);
  });

  test.each<[string, readonly string[]]>([
    ['GET', ['Observation/none', 'Observation/other', 'Observation/entangled']],
    ['GET POST', ['Provenance/none', 'Provenance/other']],
  ])('to a token of one patient: %s', async (expected, paths) => {
    const token = rig.token(aGrant('patient/*.rs', { patient: 'linked' }));
    await costOf('Observation/own', token);
    for (const path of [...paths, ...paths])
      expect([path, await costOf(path, token)]).toEqual([path, [404, expected.split(' ')]]);
  });
});

test('a linked patient is looked up once, and a link that was revoked ends at once', async () => {
  const token = rig.token(aGrant('user/*.rs'));
  await costOf('Observation/own', token);
  expect(await costOf('Observation/own', token)).toEqual([200, ['GET']]);
  await rig.link('mrn-linked', 'revoked');
  expect(await costOf('Observation/own', token)).toEqual([404, ['GET', 'GET']]);
  await rig.link('mrn-linked');
});
