import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { eventually } from '../../support/eventually.ts';
import { postgresPlace, sqlitePlace } from '../../support/new-store.ts';
import { aClinicalReady, aLabResult, type Json } from '../../support/payloads/index.ts';
import { aPatient, startRig, type Rig } from './rig.ts';
import {
  evaluatedReport,
  foretoldByType,
  leaveShadow,
  LIVE,
  outcomesOf,
  reportOf,
  SHADOW,
  writtenByType,
} from './shadow-report.ts';

let rig: Rig;
afterEach(() => rig.stop());

const queued = async (payload: Json): Promise<string> => {
  const id = await rig.send(payload);
  await rig.until(id, ({ state }) => state === 'queued');
  return id;
};
const link = async (user: string, mrn: string): Promise<void> => {
  expect((await rig.admin('PUT', `links/${user}`, { mrn })).status).toBe(200);
};
const evaluations = (): number => rig.log.lines.filter(({ event }) => event === 'shadow.evaluated').length;

test('settings that change what would be written have it evaluated again, and a link that leads elsewhere too', async () => {
  rig = await startRig(sqlitePlace, { settings: { ...SHADOW, CHARTGATE_LAB_STATUS: 'preliminary' } });
  await rig.enrol('ann');
  await link('ben', 'MRN-OF-NOBODY');
  await queued(aLabResult({ userId: 'ann' }));
  await queued(aClinicalReady({ userId: 'ben', observations: 3 }));
  expect(outcomesOf(await evaluatedReport(rig, 2))).toEqual(['park patient patient.none 1', 'write - - 1']);
  expect(evaluations()).toBe(2);
  await rig.restart(undefined, { CHARTGATE_LAB_STATUS: 'as-given' });
  await eventually(evaluations, (n) => n === 4);
  await rig.enrol('ben', 'MRN-ben');
  expect(outcomesOf(await evaluatedReport(rig, 2))).toEqual(['write - - 2']);
  expect(evaluations()).toBe(5);
});

test('a patient who was registered meanwhile is found when somebody asks for another look', async () => {
  rig = await startRig(sqlitePlace, { settings: SHADOW });
  await link('ann', 'MRN-late');
  const id = await queued(aClinicalReady({ userId: 'ann', observations: 3 }));
  expect(outcomesOf(await evaluatedReport(rig, 1))).toEqual(['park patient patient.none 1']);
  rig.ehr.put(aPatient('late', 'MRN-late'));
  expect(await rig.admin('POST', 'shadow/evaluate?kind=write')).toMatchObject({ status: 200, body: { count: 0 } });
  expect(await rig.admin('POST', 'shadow/evaluate?kind=park&reason=patient.none')).toMatchObject({
    body: { count: 1 },
  });
  const report = await eventually(
    () => reportOf(rig),
    ({ outcomes }) => outcomes[0]?.kind === 'write',
  );
  expect(report.outcomes).toEqual([{ kind: 'write', reason: null, faultCode: null, count: 1, example: id }]);
});

test('an EHR that cannot be asked leaves it open, and is asked again', async () => {
  rig = await startRig(sqlitePlace, { settings: SHADOW });
  await rig.enrol('ann');
  rig.ehr.board.setRules([{ path: '/Patient', status: 503 }]);
  await queued(aClinicalReady({ userId: 'ann', observations: 3 }));
  const open = await eventually(
    () => reportOf(rig),
    ({ outcomes }) => outcomes.length > 0,
  );
  expect([outcomesOf(open), open.pending]).toEqual([['not-yet - ehr.busy 1'], 1]);
  rig.ehr.board.setRules([]);
  await rig.admin('POST', 'shadow/evaluate?kind=not-yet');
  expect(outcomesOf(await evaluatedReport(rig, 1))).toEqual(['write - - 1']);
});

test('where patients are created the report says for how many that would be so, and creates none', async () => {
  rig = await startRig(sqlitePlace, { settings: { ...SHADOW, CHARTGATE_PATIENT_MODE: 'create' } });
  await rig.enrol('ann');
  await link('ben', 'NEW-1');
  const before = rig.ehr.log.writes().length;
  await queued(aClinicalReady({ userId: 'ann', observations: 3 }));
  await queued(aClinicalReady({ userId: 'ben', observations: 3 }));
  await queued(aLabResult({ userId: 'ben' }));
  const report = await evaluatedReport(rig, 3);
  expect([outcomesOf(report), report.newPatients]).toEqual([['write - - 1', 'write new-patient - 2'], 1]);
  expect(rig.ehr.log.writes(before)).toEqual([]);
  await rig.restart(undefined, LIVE);
  expect((await leaveShadow(rig, 3)).status).toBe(200);
  await eventually(
    () => reportOf(rig),
    ({ waiting }) => waiting.total === 0,
  );
  expect(writtenByType(rig, before)).toEqual({ ...foretoldByType(report), 'Patient create': 1 });
});

test('what somebody else changed, what the EHR does not take and what it holds already are told apart', async () => {
  rig = await startRig(sqlitePlace);
  for (const user of ['ann', 'ben']) await rig.enrol(user);
  expect((await rig.deliver(aClinicalReady({ userId: 'ann', observations: 2 }))).state).toBe('delivered');
  expect((await rig.deliver(aClinicalReady({ userId: 'ben', observations: 2 }))).state).toBe('delivered');
  const ours = rig.chart('Patient/pat-mrn-ann')[0] as Json & { id: string; resourceType: string };
  rig.ehr.put({ ...ours, note: [{ text: 'looked at' }] });
  // It no longer takes reports, and then no Observations either.
  rig.ehr.board.setTraits({ writableTypes: ['Observation'] });
  await rig.restart(undefined, SHADOW);
  const before = rig.ehr.log.writes().length;
  await queued(aClinicalReady({ userId: 'ann', documentVersion: 2, observations: 1, values: { weight: 70 } }));
  await queued(aLabResult({ userId: 'ben' }));
  await rig.admin('POST', 'replay?state=delivered');
  const report = await evaluatedReport(rig, 3);
  expect(report.outcomes.map(({ kind }) => kind).sort()).toEqual(['nothing-to-write', 'park', 'write']);
  expect(report.resources.find(({ resourceType }) => resourceType === 'DiagnosticReport')).toMatchObject({
    leftOut: 1,
    create: 0,
  });
  rig.ehr.board.setTraits({ writableTypes: ['Device'] });
  await rig.restart();
  const refused = await eventually(
    () => reportOf(rig),
    ({ outcomes, pending }) => pending === 0 && outcomes.some(({ kind }) => kind === 'refuse'),
  );
  expect(outcomesOf(refused)).toEqual(['nothing-to-write - - 1', 'refuse rejected ehr.rejected 2']);
  expect(rig.ehr.log.writes(before)).toEqual([]);
});

test('a document in the wrong chart is counted with both charts, and moved after leaving', async () => {
  rig = await startRig(sqlitePlace);
  const wrong = await rig.enrol('ann', 'MRN-wrong');
  expect((await rig.deliver(aClinicalReady({ userId: 'ann', observations: 4 }))).state).toBe('delivered');
  await rig.restart(undefined, SHADOW);
  const before = rig.ehr.log.writes().length;
  const right = await rig.enrol('ann', 'MRN-right');
  const report = await evaluatedReport(rig, 2);
  expect(report.waiting).toMatchObject({ deliveries: 1, retractions: 1 });
  expect(outcomesOf(report)).toEqual(['write - - 1', 'write relink - 1']);
  expect(report.resources.find(({ resourceType }) => resourceType === 'Observation')).toMatchObject({
    create: 4,
    withdraw: 4,
  });
  expect(rig.writesSince(before)).toEqual([]);
  await rig.restart(undefined, LIVE);
  expect((await leaveShadow(rig, 2)).status).toBe(200);
  await eventually(
    () => rig.chart(right).length,
    (n) => n === 4,
  );
  expect([rig.chart(wrong), writtenByType(rig, before)]).toEqual([[], foretoldByType(report)]);
});

test('the number of the last report is good although more arrives, and nothing has to be confirmed where nothing waits', async () => {
  rig = await startRig(sqlitePlace, { settings: SHADOW });
  await rig.enrol('ann');
  await rig.restart(undefined, LIVE);
  expect((await rig.deliver(aClinicalReady({ userId: 'ann', bundleId: 'a', observations: 2 }))).state).toBe(
    'delivered',
  );
  await rig.restart(undefined, SHADOW);
  await queued(aClinicalReady({ userId: 'ann', bundleId: 'b', day: '2026-11-15', observations: 2 }));
  await rig.restart(undefined, LIVE);
  expect((await reportOf(rig)).waiting.total).toBe(1);
  const late = await queued(aClinicalReady({ userId: 'ann', bundleId: 'c', day: '2026-11-16', observations: 2 }));
  expect(await leaveShadow(rig, 1)).toMatchObject({ status: 200, body: { waiting: 2 } });
  expect((await rig.resting(late)).state).toBe('delivered');
});

test('apps read through SMART in shadow mode', async () => {
  rig = await startRig(sqlitePlace, { settings: SHADOW });
  const patient = await rig.enrol('ann');
  rig.ehr.put({
    resourceType: 'Observation',
    id: 'pulse',
    status: 'final',
    code: { text: 'pulse' },
    subject: { reference: patient },
  });
  const { publicKey, privateKey } = await generateKeyPair('ES384');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES384' }] };
  const scope = 'system/Observation.rs';
  await rig.admin('POST', 'clients', { id: 'reader', name: 'Reader', kind: 'backend', scope, jwks });
  const base = rig.settings()['CHARTGATE_PUBLIC_URL'] ?? 'http://localhost:8080';
  const claims = new SignJWT({ jti: 'once' }).setProtectedHeader({ alg: 'ES384', kid: 'k1', typ: 'JWT' });
  claims.setIssuer('reader').setSubject('reader').setAudience(`${base}/auth/token`).setExpirationTime('4m');
  const answer = await fetch(rig.url('/auth/token'), {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await claims.sign(privateKey),
    }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const found = await fetch(rig.url(`/fhir/Observation?patient=${patient}`), {
    headers: { authorization: `Bearer ${token}` },
  });
  expect([found.status, await found.json()]).toMatchObject([200, { total: 1 }]);
});

test('nothing of what is stored, logged or reported leads to a person', async () => {
  rig = await startRig(sqlitePlace, { settings: SHADOW });
  await rig.enrol('marker-user', 'marker-mrn', 'marker-patient');
  await link('marker-other', 'marker-unknown');
  await queued(aClinicalReady({ userId: 'marker-user', observations: 3, values: { weight: 71.2718281828 } }));
  await queued(aClinicalReady({ userId: 'marker-other', observations: 3 }));
  const report = await evaluatedReport(rig, 2);
  const { body: list } = await rig.admin('GET', 'shadow/deliveries');
  const { database } = rig.place;
  const db = new DatabaseSync(database.engine === 'sqlite' ? database.file : '', { readOnly: true });
  const rows = ['shadow_result', 'shadow_item'].flatMap((table) => db.prepare(`SELECT * FROM ${table}`).all());
  db.close();
  expect(rows.length).toBeGreaterThan(4);
  const plain = rows.map((row) =>
    Object.values(row).map((cell) => (cell instanceof Uint8Array ? Buffer.from(cell).toString() : cell)),
  );
  const everything = JSON.stringify([report, list, plain, rig.log.lines]);
  expect(everything).not.toMatch(/marker|71\.27/);
  // Not even the name of a resource, which is at the EHR and in the ledger.
  for (const { name } of await namesOf('marker-user')) expect(everything).not.toContain(name);
});

/** By which the EHR would know what is written for this user. */
async function namesOf(user: string): Promise<readonly { readonly name: string }[]> {
  const { deliveries } = (await rig.admin('GET', `deliveries?user_id=${user}`)).body as unknown as {
    deliveries: { id: string }[];
  };
  const { resources } = (await rig.admin('GET', `deliveries/${deliveries[0]?.id ?? ''}/explain`)).body as unknown as {
    resources: { name: string }[];
  };
  return resources;
}

test('replicas share the work, and none of them forwards anything until it is confirmed', async () => {
  rig = await startRig(postgresPlace, { settings: SHADOW });
  for (const user of ['ann', 'ben', 'cleo']) await rig.enrol(user);
  const another = await rig.startAnother();
  try {
    const before = rig.ehr.log.writes().length;
    const ids: string[] = [];
    // Of days that are over: one to come would wait by itself.
    for (let day = 10; day < 22; day += 1)
      for (const userId of ['ann', 'ben', 'cleo'])
        ids.push(
          await rig.send(
            aClinicalReady({ userId, day: `2026-10-${day}`, bundleId: `${userId}-${day}`, observations: 3 }),
          ),
        );
    const report = await evaluatedReport(rig, ids.length);
    expect(outcomesOf(report)).toEqual(['write - - 36']);
    const evaluated = rig.log.lines
      .filter(({ event }) => event === 'shadow.evaluated')
      .map(({ deliveryId }) => deliveryId);
    expect([...evaluated].sort()).toEqual([...ids].sort());

    // One of them in live mode, while the other is still in shadow mode.
    await rig.restart(undefined, LIVE);
    expect(await leaveShadow(rig, 35)).toMatchObject({ status: 409, body: { count: 36 } });
    expect(rig.writesSince(before)).toEqual([]);
    expect((await leaveShadow(rig, 36)).status).toBe(200);
    for (const id of ids) expect((await rig.resting(id)).state).toBe('delivered');
    expect(writtenByType(rig, before)).toEqual(foretoldByType(report));
  } finally {
    await another.stop();
  }
}, 60_000);
