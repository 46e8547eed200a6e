import { randomBytes } from 'node:crypto';
import { afterEach, expect, test } from '@jest/globals';
import { auditSet } from '../../../src/audit/index.ts';
import { openTarget } from '../../../src/ehr/index.ts';
import { learnHabits, runLanes, shadowSet } from '../../../src/forward/index.ts';
import { makePretranslations, makeTranslationContextHolder } from '../../../src/judge/index.ts';
import { deliverSet, laneSet } from '../../../src/lanes/index.ts';
import { identitySet } from '../../../src/identity/index.ts';
import { inboxSet } from '../../../src/inbox/index.ts';
import { makeBudget, secret, silentLog, systemClock } from '../../../src/kernel/index.ts';
import type { Switches } from '../../../sandbox/index.ts';
import { eventually } from '../../support/eventually.ts';
import { newId } from '../../support/gateway.ts';
import { postgresPlace } from '../../support/new-store.ts';
import { aClinicalReady, aLabResult, aUserProfile } from '../../support/payloads/index.ts';
import { TRANSLATION_SETTINGS } from '../../support/translation-settings.ts';
import { startRig, type Rig } from './rig.ts';

/**
 * Together they lead over every way of writing: Bundles of both kinds and none, ids of ours, conditions, searches, the
 * ledger alone.
 */
const PERSONALITIES: readonly (readonly [name: string, traits: Switches])[] = [
  ['transactions, ids of ours', {}],
  ['batches, ids of ours', { noTransactions: true }],
  ['single requests, ids of ours', { noTransactions: true, noBatch: true }],
  ['transactions, conditions', { noClientIds: true }],
  ['single requests, conditions', { noClientIds: true, noTransactions: true, noBatch: true }],
  [
    'single requests, search before write',
    { noClientIds: true, refuseConditional: true, noTransactions: true, noBatch: true },
  ],
  ['If-Match required', { requireIfMatch: true }],
];

let rig: Rig;
afterEach(() => rig.stop());

const isRead = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  method === 'GET' || (method === 'POST' && path.split('?')[0]?.endsWith('/_search') === true);

/** Sends what waits with the very code of live mode, past every gate but the door to the EHR. */
async function sendPastTheGates(): Promise<void> {
  await rig.place.tamper('UPDATE target SET shadow_since = NULL');
  const settings = rig.settings();
  const store = await rig.place.open({
    keys: {
      data: [secret(settings['CHARTGATE_DATA_KEY'] ?? '')],
      pseudonym: secret(settings['CHARTGATE_PSEUDONYM_KEY'] ?? ''),
    },
    sets: [auditSet, inboxSet, identitySet, deliverSet, laneSet, shadowSet],
  });
  const translationContext = makeTranslationContextHolder(TRANSLATION_SETTINGS);
  const parts = { clock: systemClock, log: silentLog, newId };
  const target = openTarget({
    ...parts,
    ehr: { url: rig.ehr.url, auth: { kind: 'none' }, tls: null },
    mode: 'shadow',
    patientMode: 'create',
    dialect: () => translationContext.current().translationContext.setting.dialect,
    onSelfDescription: () => undefined,
    chance: randomBytes,
    onLookUp: () => undefined,
    onProbed: () => undefined,
  });
  await target.refresh();
  const lanes = store.use(laneSet);
  const budget = makeBudget(64 * 1024 * 1024);
  const sender = runLanes({
    ...parts,
    tenant: 'default',
    owner: 'past-the-gates',
    lanes,
    translationContext: () => translationContext.current().translationContext,
    target: target.current,
    guard: target.guard,
    pretranslated: makePretranslations(budget),
    pretranslate: () => Promise.resolve(null),
    budget,
    habits: learnHabits({ tenant: 'default', lanes, software: () => null, log: silentLog }),
    contentKey: 'k',
    spread: () => 0,
    onFinished: () => undefined,
  });
  try {
    await sender.start();
    // What goes to another chart waits until it is out of the wrong one, which the door does not allow.
    const left = await eventually(
      () => lanes.read('lane.lag', { tenant: 'default' }),
      (lag) => lag.ok && lag.value.jobs === 1,
    );
    expect(left).toMatchObject({ ok: true, value: { jobs: 1, retractionsParked: 1 } });
  } finally {
    await sender.stop();
    await target.stop();
  }
}

test.each(PERSONALITIES)(
  'an EHR with %s is not written to in shadow mode, not even by the code of live mode',
  async (name, traits) => {
    rig = await startRig(postgresPlace, { traits, settings: { CHARTGATE_PATIENT_MODE: 'create' } });
    const user = 'user';
    for (const one of [user, `${user}-moves`]) {
      await rig.enrol(one);
      expect((await rig.deliver(aClinicalReady({ userId: one, observations: 6 }))).state).toBe('delivered');
    }
    const writes = rig.ehr.log.writes().length;
    const requests = rig.ehr.log.requests().length;

    await rig.restart(undefined, { CHARTGATE_MODE: 'shadow' });
    // An update and a withdrawal, creations, a patient who would be created, and a chart that is not the right one.
    await rig.send(aClinicalReady({ userId: user, documentVersion: 2, observations: 5, values: { weight: 70 } }));
    await rig.send(aLabResult({ userId: user }));
    await rig.admin('PUT', `links/${user}-new`, { mrn: `NEW-${user}` });
    await rig.send(aUserProfile({ userId: `${user}-new` }));
    await rig.admin('PUT', `links/${user}-moves`, { mrn: `ELSEWHERE-${user}` });
    const report = await eventually(
      async () => (await rig.admin('GET', 'shadow')).body as unknown as Report,
      ({ waiting, pending }) => waiting.total === 5 && pending === 0,
    );
    expect(report.outcomes.map(({ kind, reason, count }) => `${kind} ${reason ?? '-'} ${count}`).sort()).toEqual(
      name.includes('search')
        ? ['park patient 2', 'write - 2', 'write relink 1']
        : ['write - 2', 'write new-patient 2', 'write relink 1'],
    );
    await sendPastTheGates();

    expect(
      rig.ehr.log
        .requests()
        .slice(requests)
        .filter((seen) => !isRead(seen)),
    ).toEqual([]);
    expect(rig.ehr.log.writes(writes)).toEqual([]);
  },
  60_000,
);

interface Report {
  readonly waiting: { readonly total: number };
  readonly pending: number;
  readonly outcomes: readonly { readonly kind: string; readonly reason: string | null; readonly count: number }[];
}
