import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { startHostileEhr } from '../../support/smart/hostile-ehr.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

let ehr: Awaited<ReturnType<typeof startHostileEhr>>;
let rig: SmartRig;
let other: string;

const HALF = 32;
const patient = { resourceType: 'Patient', id: 'a', identifier: [{ system: 'urn:example:mrn', value: 'mrn-a' }] };
const SLOW_MS = 20_000;

beforeAll(async () => {
  ehr = await startHostileEhr();
  rig = await startSmart(ehr.url, { limits: { deadlineMs: 30_000 } });
  await rig.link('mrn-a');
  other = rig.token(aGrant('patient/*.rs', { patient: 'a', clientId: 'another-app' }));
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});

const ask = (token: string, signal: AbortSignal) =>
  fetch(`${rig.base}/Observation/1`, { headers: { authorization: `Bearer ${token}` }, signal }).then(
    ({ status }) => status,
    () => null,
  );

test('whose patient takes long to look up has no more than half of the way to the EHR', async () => {
  ehr.answers(({ url }) =>
    url === '/ehr/Patient/slow' ? { delayMs: SLOW_MS } : url === '/ehr/Patient/a' ? { body: patient } : { status: 404 },
  );
  const token = rig.token(aGrant('patient/*.rs', { patient: 'slow', clientId: 'hungry-app' }));
  const leave = new AbortController();
  const asked = Array.from({ length: 3 * HALF }, () => ask(token, leave.signal));
  await eventually(
    () => ehr.asked.length,
    (length) => length >= HALF,
  );
  expect((await rig.get('/fhir/Observation/1', other)).status).toBe(404);
  expect(ehr.asked.filter(({ url }) => url === '/ehr/Patient/slow')).toHaveLength(HALF);
  leave.abort();
  const statuses = await Promise.all(asked);
  expect(statuses.filter((status) => status === 503)).toHaveLength(2 * HALF);
});

test('who asks and leaves, again and again, asks no more of the EHR than who stays', async () => {
  ehr.answers(({ url }) => (url === '/ehr/Patient/a' ? { body: patient } : { delayMs: SLOW_MS }));
  const token = rig.token(aGrant('patient/*.rs', { patient: 'a', clientId: 'restless-app' }));
  const leave = new AbortController();
  const asked = Array.from({ length: HALF }, () => ask(token, leave.signal));
  const ofRecord = (urls: readonly string[]): number => urls.filter((url) => url === '/ehr/Observation/1').length;
  await eventually(
    () => ofRecord(ehr.asked.map(({ url }) => url)),
    (count) => count === HALF,
  );
  leave.abort();
  await Promise.all(asked);
  await eventually(
    () => ofRecord(ehr.left),
    (count) => count === HALF,
  );
  expect((await rig.get('/fhir/Observation/1', token)).status).toBe(503);
  ehr.answers(({ url }) => (url === '/ehr/Patient/a' ? { body: patient } : { status: 404 }));
  expect((await rig.get('/fhir/Observation/1', other)).status).toBe(404);
  const again = await eventually(
    async () => (await rig.get('/fhir/Observation/1', token)).status,
    (status) => status === 404,
  );
  expect(again).toBe(404);
});
