import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { startHostileEhr } from '../../support/smart/hostile-ehr.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';

let ehr: Awaited<ReturnType<typeof startHostileEhr>>;
let rig: SmartRig;
let token: string;

beforeAll(async () => {
  ehr = await startHostileEhr();
  rig = await startSmart(ehr.url, { limits: { deadlineMs: 30_000 } });
  await rig.link('mrn-a');
  token = rig.token(aGrant('patient/*.rs', { patient: 'a' }));
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});

const patient = { resourceType: 'Patient', id: 'a', identifier: [{ system: 'urn:example:mrn', value: 'mrn-a' }] };
const SLOW_MS = 20_000;
beforeEach(() =>
  ehr.answers(({ url }) => (url === '/ehr/Patient/a' ? { body: patient } : { delayMs: SLOW_MS, body: {} })),
);

test.each([
  ['read', 'Observation/1', '/ehr/Observation/1', 'fhir.read'],
  ['history-instance', 'Observation/1/_history', '/ehr/Observation/1', 'fhir.read'],
  ['search-type', 'Observation?code=x', '/ehr/Observation/_search', 'fhir.search'],
  ['search-type', 'Observation?_summary=count', '/ehr/Observation/_search', 'fhir.search'],
])('%s: the EHR is let go when the app leaves, and the audit says it', async (interaction, path, asked, type) => {
  const before = (await rig.audits()).length;
  const leave = new AbortController();
  const answer = fetch(`${rig.base}/${path}`, { headers: { authorization: `Bearer ${token}` }, signal: leave.signal });
  await eventually(
    () => ehr.asked.map(({ url }) => url),
    (urls) => urls.includes(asked),
  );
  leave.abort();
  await expect(answer).rejects.toThrow();
  expect(
    await eventually(
      () => [...ehr.left],
      ({ length }) => length > 0,
    ),
  ).toEqual([asked]);
  const audits = await eventually(rig.audits, ({ length }) => length > before);
  expect(audits).toHaveLength(before + 1);
  expect(audits.at(-1)).toMatchObject({ type, interaction, outcome: '8', why: 'ehr.abandoned' });
});

test('who leaves while it is looked up whose record it is, is in the audit too', async () => {
  const before = (await rig.audits()).length;
  ehr.answers(() => ({ delayMs: SLOW_MS }));
  const other = rig.token(aGrant('patient/*.rs', { patient: 'slow' }));
  const leave = new AbortController();
  const answer = fetch(`${rig.base}/Observation/1`, {
    headers: { authorization: `Bearer ${other}` },
    signal: leave.signal,
  });
  await eventually(
    () => ehr.asked.length,
    (length) => length > 0,
  );
  leave.abort();
  await expect(answer).rejects.toThrow();
  expect(
    await eventually(
      () => [...ehr.left],
      ({ length }) => length > 0,
    ),
  ).toEqual(['/ehr/Patient/slow']);
  const audits = await eventually(rig.audits, ({ length }) => length > before);
  expect(audits.at(-1)).toMatchObject({ type: 'fhir.deny', outcome: '8', why: 'ehr.abandoned' });
});

test('many requests on one connection are let go together', async () => {
  const { port } = new URL(rig.url);
  const socket = connect(Number(port), '127.0.0.1');
  const one = (id: number): string =>
    `GET /fhir/Observation/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  socket.write(Array.from({ length: 15 }, (_, i) => one(i)).join(''));
  const isSlow = ({ url }: { url: string }): boolean => url.includes('Observation');
  await eventually(
    () => ehr.asked.filter(isSlow).length,
    (length) => length >= 5,
  );
  socket.destroy();
  expect(
    await eventually(
      () => ehr.left.length === ehr.asked.filter(isSlow).length,
      (isSame) => isSame,
    ),
  ).toBe(true);
});

test('an app that comes again finds room, and one that stays on the same connection is answered', async () => {
  ehr.answers(({ url }) => (url === '/ehr/Patient/a' ? { body: patient } : { status: 404 }));
  for (let n = 0; n < 3; n += 1) expect((await rig.get('/fhir/Observation/1', token)).status).toBe(404);
  expect(ehr.asked.filter(({ url }) => url === '/ehr/Observation/1')).toHaveLength(3);
  expect(ehr.left).toEqual([]);
});
