import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sqlitePlace } from '../support/new-store.ts';
import { aClinicalReady, aLabResult, aUserProfile, CLIENT } from '../support/payloads/index.ts';
import { portOf, runProcess, serveSettings } from '../support/run-process.ts';
import { startRig, type Rig } from './delivery/rig.ts';
import { howMany } from '../support/how-much.ts';

/*
 * Some 200 marked names (500 and more in the long form), ids, MRNs, values and tokens through every flow, and then a
 * look into every place that is not sealed.
 */

const USERS = howMany(24, 60);
const SENT_BY_PROCESS = howMany(12, 24);
const word = (kind: string, n: number): string => `cnry${kind}${String(n).padStart(4, '0')}q`;

interface Person {
  readonly user: string;
  readonly mrn: string;
  readonly patient: string;
  readonly name: string;
  readonly evidence: string;
  /** Numbers that stand in no code and no clock. */
  readonly weight: string;
  readonly glucose: string;
}

const PEOPLE: readonly Person[] = Array.from({ length: USERS }, (_, n) => ({
  user: word('user', n),
  mrn: word('mrn', n),
  patient: word('pat', n),
  name: word('name', n),
  evidence: word('why', n),
  weight: `7${n % 10}.6180${String(n).padStart(4, '0')}3`,
  glucose: `9${n % 10}.2718${String(n).padStart(4, '0')}7`,
}));
const TOKENS = Array.from({ length: USERS }, (_, n) => word('token', n).padEnd(40, 'z'));
const QUERIES = Array.from({ length: USERS }, (_, n) => word('query', n));
const MARKERS = [...PEOPLE.flatMap((one) => Object.values<string>({ ...one })), ...TOKENS, ...QUERIES];

let rig: Rig;
let folder: string;
const answers: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chartgate-canary-'));
  rig = await startRig(sqlitePlace, {
    settings: { CHARTGATE_AUDIT_ANCHOR: `${folder}/anchor/`, CHARTGATE_LOG_LEVEL: 'debug' },
  });
});
afterAll(async () => {
  await rig.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Only what the world outside is told; the operator asked for what an admin answer of 200 shows. */
async function ask(path: string, init: RequestInit = {}): Promise<number> {
  const answer = await fetch(rig.url(path), init);
  const text = await answer.text();
  // Who sent an id of its own is told that id again, and nobody else.
  const headers = JSON.stringify([...answer.headers].filter(([name]) => name !== 'x-request-id'));
  if (answer.status !== 200 || !path.startsWith('/admin/')) answers.push(`${headers}\n${text}`);
  return answer.status;
}

async function sendAll(): Promise<void> {
  for (const [n, one] of PEOPLE.entries()) {
    const { user, mrn, patient, name } = one;
    rig.ehr.put({
      resourceType: 'Patient',
      id: patient,
      active: true,
      identifier: [{ system: 'urn:example:mrn', value: mrn }],
      name: [{ family: name }],
    });
    // Some links only come after the delivery, some lead to nobody, some are revoked again.
    if (n % 5 !== 0) await rig.admin('PUT', `links/${user}`, { mrn, evidence: one.evidence });
    const id = await rig.send(
      aClinicalReady({
        userId: user,
        observations: 4,
        bundleId: `bundle-${n}`,
        values: { weight: Number(one.weight) },
      }),
    );
    await rig.send(aLabResult({ userId: user, documentId: `lab-${n}`, glucose: Number(one.glucose) }));
    if (n % 7 === 0) await rig.send(aUserProfile({ userId: user, fields: { note: name } }));
    await rig.resting(id);
    if (n % 5 === 0)
      await rig.admin('PUT', `links/${user}`, { mrn: n % 10 === 0 ? `${mrn}x` : mrn, evidence: one.evidence });
    if (n % 9 === 0) await rig.admin('DELETE', `links/${user}`);
    await rig.admin('GET', `audit?patient=${mrn}`);
    await rig.admin('GET', `audit?patient=Patient/${patient}`);
    await rig.admin('GET', `links?mrn=${mrn}`);
  }
}

async function sendOdd(): Promise<void> {
  for (const [n, token] of TOKENS.entries()) {
    const query = QUERIES[n] ?? '';
    const person = PEOPLE[n % USERS];
    const body = `{"user_id":"${person?.user ?? ''}","name":"${person?.name ?? ''}"`;
    await ask(`/webhooks/${token}/data`, { method: 'POST', body, headers: { authorization: `Bearer ${token}` } });
    await ask(`/webhooks/data-secret-0123456789abcdef0123456789/data`, { method: 'POST', body });
    await ask(`/fhir/Patient/${query}?name=${person?.name ?? ''}`, { headers: { authorization: `Bearer ${token}` } });
    await ask(`/admin/api/deliveries?state=${query}`, { headers: { authorization: `Bearer ${token}` } });
    await ask(`/admin/api/audit?patient=${query}&type=${query}`, {
      headers: {
        authorization: 'Bearer admin-token-0123456789abcdef0123456789',
        traceparent: query,
        'x-request-id': query,
      },
    });
    await ask(`/${query}/${person?.mrn ?? ''}`, { method: 'DELETE', headers: { cookie: token } });
    if (n % 10 === 0) await ask('/metrics');
  }
}

const found = (text: string): string[] => MARKERS.filter((marker) => text.includes(marker));

function everyFile(path: string): string[] {
  return statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => everyFile(join(path, name))) : [path];
}

/** Sends the same through a process of its own, and gives all that it printed. */
async function printedByProcess(
  environment: Record<string, string>,
): Promise<{ readonly code: number | null; readonly text: string }> {
  const settings = {
    ...environment,
    ...serveSettings(`sqlite:${join(folder, randomUUID(), 'chartgate.db')}?filesystem=any&create=yes`),
    CHARTGATE_LOG_LEVEL: 'debug',
    CHARTGATE_EHR_URL: rig.ehr.url,
    CHARTGATE_MRN_SYSTEM: 'urn:example:mrn',
    CHARTGATE_CLIENT_UUID: CLIENT,
    CHARTGATE_ADMIN_TOKEN: TOKENS[0] ?? '',
    CHARTGATE_WEBHOOK_SECRET: TOKENS[1] ?? '',
  };
  const running = runProcess(['serve'], settings);
  const base = `http://127.0.0.1:${await portOf(running)}`;
  const operator = { authorization: `Bearer ${TOKENS[0] ?? ''}`, 'content-type': 'application/json' };
  const statuses: number[] = [];
  const send = async (path: string, init: RequestInit): Promise<void> => {
    const answer = await fetch(`${base}${path}`, init);
    statuses.push(answer.status);
    await answer.arrayBuffer();
  };
  for (const [n, { user, mrn, patient, name, evidence, weight, glucose }] of PEOPLE.slice(
    0,
    SENT_BY_PROCESS,
  ).entries()) {
    const token = TOKENS[n % TOKENS.length] ?? '';
    const query = QUERIES[n % QUERIES.length] ?? '';
    await send(`/admin/api/links/${user}`, {
      method: 'PUT',
      headers: operator,
      body: JSON.stringify({ mrn, evidence }),
    });
    const hook = `/webhooks/${TOKENS[1] ?? ''}/data`;
    const weighed = aClinicalReady({
      userId: user,
      observations: 2,
      bundleId: `own-${n}`,
      values: { weight: Number(weight) },
    });
    await send(hook, { method: 'POST', body: JSON.stringify(weighed) });
    await send(hook, {
      method: 'POST',
      body: JSON.stringify(aLabResult({ userId: user, documentId: `own-${n}`, glucose: Number(glucose) })),
    });
    await send(hook, { method: 'POST', body: `{"user_id":"${user}","name":"${name}"` });
    await send(`/webhooks/${query}/data`, { method: 'POST', body: name, headers: { authorization: token } });
    await send(`/fhir/Patient/${patient}?name=${name}`, {
      headers: { authorization: `Bearer ${token}`, 'x-request-id': query },
    });
    await send(`/oauth/authorize?client_id=${query}&login_hint=${name}&state=${token}`, { redirect: 'manual' });
    await send(`/admin/api/audit?patient=${mrn}`, { headers: operator });
    await send(`/admin/api/deliveries?user_id=${user}&state=${query}`, { headers: operator });
    await send(`/admin/api/patients/${mrn}/connections`, { headers: operator });
    await send(`/${query}/${mrn}`, { method: 'DELETE', headers: { cookie: token, traceparent: query } });
  }
  expect(statuses.filter((status) => status === 202).length).toBeGreaterThanOrEqual(2 * SENT_BY_PROCESS);
  // Judging begins in its own time.
  await running.saw('"delivery.');
  running.signal('SIGTERM');
  const { code, stdout, stderr } = await running.ended;
  return { code, text: `${stdout}\n${stderr}` };
}

test.each([
  ['', {}],
  [' and DEBUG=*', { DEBUG: '*', DEBUG_FD: '1', DIAGNOSTICS: '*', NODE_ENV: 'development', TRACE_DEPRECATION: '*' }],
])(
  'a process at debug level%s prints none of the marks, to stdout or to stderr',
  async (_, environment: Record<string, string>) => {
    for (const { patient, mrn, name } of PEOPLE)
      rig.ehr.put({
        resourceType: 'Patient',
        id: patient,
        active: true,
        identifier: [{ system: 'urn:example:mrn', value: mrn }],
        name: [{ family: name }],
      });
    const { code, text } = await printedByProcess(environment);
    expect(code).toBe(0);
    expect(text).toContain('"request.answered"');
    expect(text).toContain('"delivery.');
    expect(found(text)).toEqual([]);
  },
  180_000,
);

test(`${MARKERS.length} marks are found nowhere outside the sealed columns and the EHR`, async () => {
  expect(new Set(MARKERS).size).toBeGreaterThanOrEqual(howMany(200, 500));
  await sendAll();
  await sendOdd();
  // What was meant to arrive did: the marks went all the way.
  const chart = JSON.stringify(rig.live());
  expect(PEOPLE.filter(({ weight }) => chart.includes(weight)).length).toBeGreaterThan(USERS / 2);

  const { database } = rig.place;
  if (database.engine !== 'sqlite') throw new Error('not SQLite');
  const stored = (): string[] =>
    everyFile(dirname(database.file)).flatMap((file) =>
      found(readFileSync(file, 'latin1')).map((mark) => `${file}: ${mark}`),
    );
  expect(stored()).toEqual([]);
  await rig.restart();
  expect(stored()).toEqual([]);
  expect(everyFile(folder).length).toBeGreaterThan(0);
  expect(everyFile(folder).flatMap((file) => found(readFileSync(file, 'utf8')))).toEqual([]);
  expect(rig.log.lines.length).toBeGreaterThan(200);
  expect(rig.log.lines.flatMap((line) => found(JSON.stringify(line)))).toEqual([]);
  expect(answers.flatMap(found)).toEqual([]);
}, 180_000);
