import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { runCommand } from '../../support/run-command.ts';
import { PLACES } from '../../support/new-store.ts';
import {
  aClinicalReady,
  aLabResult,
  anAlertSummary,
  aStepsEvent,
  aUserProfile,
  type Json,
} from '../../support/payloads/index.ts';
import { startRig, type Rig } from './rig.ts';
import {
  evaluatedReport,
  foretoldByType,
  leaveShadow,
  LIVE,
  outcomesOf,
  reportOf,
  SHADOW,
  writtenByType,
  type ShadowReport,
} from './shadow-report.ts';

/**
 * The whole walk: shadow mode with the data of several people, a look at the report, live mode, a wrong number, the
 * right one.
 */
describe.each(PLACES)('going live through shadow mode on %s', (_name, makePlace) => {
  let rig: Rig;
  let before: number;
  let foretold: ShadowReport;
  const waiting: string[] = [];
  const waits = async (payload: Json): Promise<void> => {
    const id = await rig.send(payload);
    expect((await rig.until(id, ({ state }) => state !== 'received')).state).toBe('queued');
    waiting.push(id);
  };
  const command = (...args: string[]) =>
    runCommand(['shadow', ...args], {
      env: { CHARTGATE_ADMIN_TOKEN: rig.settings()['CHARTGATE_ADMIN_TOKEN'] ?? '', CHARTGATE_PUBLIC_URL: rig.url('') },
    });

  beforeAll(async () => {
    rig = await startRig(makePlace);
    for (const user of ['ann', 'ben', 'cleo']) await rig.enrol(user);
    expect((await rig.admin('PUT', 'links/dan', { mrn: 'MRN-OF-NOBODY' })).status).toBe(200);
    // Written before shadow mode: what comes later updates it, takes some of it back, and would take back too much of
    // it.
    for (const userId of ['ann', 'ben', 'cleo'])
      expect((await rig.deliver(aClinicalReady({ userId, observations: 6 }))).state).toBe('delivered');
    await rig.restart(undefined, SHADOW);
    before = rig.ehr.log.writes().length;
  });
  afterAll(() => rig.stop());

  test('what is sound and linked waits, a newer version takes the place of an older, and the rest is parked as ever', async () => {
    await waits(aClinicalReady({ userId: 'ann', documentVersion: 2, observations: 5, values: { weight: 70 } }));
    await waits(aClinicalReady({ userId: 'ann', day: '2026-11-15', bundleId: 'ann-2' }));
    await waits(aLabResult({ userId: 'ann' }));
    const older = await rig.send(aStepsEvent({ userId: 'ben', steps: 100 }));
    await rig.until(older, ({ state }) => state === 'queued');
    await waits(aStepsEvent({ userId: 'ben', steps: 200 }));
    expect((await rig.read(older)).state).toBe('superseded');
    await waits(anAlertSummary({ userId: 'ben' }));
    await waits(aUserProfile({ userId: 'ben' }));
    await waits(aClinicalReady({ userId: 'cleo', documentVersion: 2, observations: 1 }));
    await waits(aClinicalReady({ userId: 'dan' }));
    const others: [Json, string, string][] = [
      [aClinicalReady({ userId: 'eve' }), 'parked', 'unlinked'],
      [{ ...aClinicalReady({ userId: 'ann' }), data_structure: 'never_heard_of' }, 'parked', 'unmapped'],
      [{ ...aClinicalReady({ userId: 'ann' }), clinical_ready: 3 }, 'quarantined', 'shape'],
    ];
    for (const [payload, state, reason] of others) expect(await rig.deliver(payload)).toMatchObject({ state, reason });
  });

  test('the report says what would be written and what would wait for a person, and why', async () => {
    const report = await evaluatedReport(rig, waiting.length);
    expect(report).toMatchObject({
      mode: 'shadow',
      state: 'shadow',
      waiting: { total: 8, deliveries: 8, retractions: 0, lanes: 4 },
      evaluated: 8,
      newPatients: 0,
    });
    expect(outcomesOf(report)).toEqual(['park patient patient.none 1', 'park suspicious - 1', 'write - - 6']);
    expect(report.outcomes.find(({ reason }) => reason === 'patient')?.example).toBe(waiting.at(-1));
    expect(report.parked.map(({ reason, count }) => `${reason} ${count}`).sort()).toEqual(['unlinked 1', 'unmapped 1']);
    expect(report.quarantined.map(({ reason, count }) => `${reason} ${count}`)).toEqual(['shape 1']);
    const observations = report.resources.find(({ resourceType }) => resourceType === 'Observation');
    expect(observations).toMatchObject({ update: 1, withdraw: 1 });
    expect(rig.writesSince(before)).toEqual([]);
  });

  test('each delivery has its own line, in pages that do not move', async () => {
    const list = async (query: string) => (await rig.admin('GET', `shadow/deliveries?${query}`)).body;
    const first = await list('limit=5');
    const second = await list(`limit=5&cursor=${String(first['next'])}`);
    const ids = [...(first['deliveries'] as Json[]), ...(second['deliveries'] as Json[])].map(({ id }) => id);
    expect([ids, second['next']]).toEqual([[...waiting].reverse(), null]);
    expect((await list('kind=park&reason=patient.none'))['deliveries']).toMatchObject([
      { id: waiting.at(-1), kind: 'park', reason: 'patient', faultCode: 'patient.none', counts: {} },
    ]);
    expect((await list('kind=write'))['deliveries']).toHaveLength(6);
  });

  test('the command line shows the same to a person', async () => {
    const { code, out } = await command('report', '--watch');
    expect(code).toBe(0);
    expect(out).toMatch(/^Shadow mode since .*\. Nothing is written to the EHR\.\n8 deliveries wait, for 4 patients/);
    expect(out).toMatch(/6 would be written\n[^]*2 would be parked[^]*patient, patient\.none {2}for example dlv_/);
    expect(out).toMatch(/Observation +\d+ +1 +1 +0 +0\n/);
    expect(JSON.parse((await command('report', '--json')).out)).toMatchObject({
      state: 'shadow',
      waiting: { total: 8 },
    });
    expect((await command('list', '--kind', 'park')).out).toContain('patient, patient.none');
    expect(await command('leave')).toMatchObject({ code: 2 });
    expect(await command('leave', '--confirm', '8')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/CHARTGATE_MODE=live .*shadow\.mode/),
    });
  });

  test('a restart in shadow mode goes on with what was found out', async () => {
    const evaluations = (): number => rig.log.lines.filter(({ event }) => event === 'shadow.evaluated').length;
    const [found, so] = [await reportOf(rig), evaluations()];
    await rig.restart();
    expect(await evaluatedReport(rig, 8)).toMatchObject({ since: found.since, outcomes: found.outcomes });
    expect(evaluations()).toBe(so);
    expect(rig.log.lines.filter(({ event }) => event === 'shadow.entered')).toHaveLength(2);
  });

  test('in live mode everything is held, also what arrives, until its number is confirmed', async () => {
    await rig.restart(undefined, LIVE);
    await waits(aClinicalReady({ userId: 'ben', day: '2026-11-16', bundleId: 'ben-2' }));
    foretold = await evaluatedReport(rig, 9);
    expect(foretold).toMatchObject({ mode: 'live', state: 'held', next: expect.stringContaining('--confirm 9') });
    expect((await rig.admin('GET', 'targets')).body['targets']).toMatchObject([
      { state: 'held', forwarding: { waiting: 9 } },
    ]);
    const readiness = await eventually(
      async () => (await fetch(rig.url('/readyz'))).json() as Promise<{ forwarding: { waiting: number } }>,
      ({ forwarding }) => forwarding.waiting === 9,
    );
    expect(readiness).toMatchObject({ ready: true, forwarding: { state: 'held', waiting: 9 } });
    expect(rig.log.lines.filter(({ event }) => event === 'shadow.held')).toHaveLength(1);

    expect(await leaveShadow(rig, 8)).toMatchObject({ status: 409, body: { code: 'shadow.unconfirmed', count: 9 } });
    expect(await command('leave', '--confirm', '12')).toMatchObject({
      code: 1,
      err: expect.stringContaining('it is 9'),
    });
    for (const odd of [-1, 1.5, '9', null, undefined]) expect((await leaveShadow(rig, odd)).status).toBe(400);
    expect(rig.writesSince(before)).toEqual([]);
  });

  test('the right number forwards it in order, and what is written is what was foretold', async () => {
    expect(await command('leave', '--confirm', '9')).toMatchObject({ code: 0, out: '9 are forwarded now, in order\n' });
    const states = [];
    for (const id of waiting) {
      const { state, reason } = await rig.resting(id);
      states.push(reason === null ? state : `${state} ${reason}`);
    }
    expect(states).toEqual([
      ...Array.from({ length: 6 }, () => 'delivered'),
      'parked suspicious',
      'parked patient',
      'delivered',
    ]);
    expect(writtenByType(rig, before)).toEqual(foretoldByType(foretold));
    expect(await rig.ledgerAddsUp()).toBe(true);
    expect((await reportOf(rig)).state).toBe('running');
    expect(await leaveShadow(rig, 0)).toMatchObject({ status: 200, body: { outcome: 'not-held' } });
    expect((await command('report')).out).toBe('Shadow mode is off: deliveries are written to the EHR.\n');
  });

  test('of each patient they were written one after the other, in the order of arrival', async () => {
    const days = rig.ehr.log.writes(before).flatMap(({ type, json }) => {
      const { subject, effectiveDateTime, effectivePeriod } = JSON.parse(json ?? '{}') as {
        subject?: { reference?: string };
        effectiveDateTime?: string;
        effectivePeriod?: { start: string };
      };
      const day = (effectiveDateTime ?? effectivePeriod?.start)?.slice(0, 10);
      return type === 'Observation' && subject?.reference === 'Patient/pat-mrn-ann' && day !== undefined ? [day] : [];
    });
    // The correction came first, the day after it next, the laboratory result of an earlier day last.
    expect(days.filter((day, i) => day !== days[i - 1])).toEqual(['2026-11-14', '2026-11-15', '2026-11-10']);
    expect(await rig.check()).toEqual([]);
  });

  test('entering, looking, a wrong number and leaving are in the audit', async () => {
    const { records } = (await rig.admin('GET', 'audit?type=admin&limit=500')).body as unknown as {
      records: readonly { why?: string; to?: string; outcome: string; actor: string; count?: number }[];
    };
    const of = (why: string) => records.filter((one) => one.why === why);
    expect(of('shadow').filter(({ to }) => to !== undefined)).toMatchObject([
      { actor: 'operator', to: 'live', outcome: '0', count: 9 },
      { actor: 'gateway', to: 'shadow', outcome: '0' },
    ]);
    expect(of('shadow').some(({ actor, to }) => actor === 'operator' && to === undefined)).toBe(true);
    expect(of('shadow deliveries').length).toBeGreaterThan(0);
    expect(of('shadow unconfirmed').map(({ count, outcome }) => [count, outcome])).toEqual([
      [9, '4'],
      [9, '4'],
    ]);
    expect(of('shadow.mode')).toHaveLength(1);
  });
});
