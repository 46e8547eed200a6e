import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Switches } from '../../../sandbox/index.ts';
import type { DeliveryViolation } from '../../support/check-delivery.ts';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady, aLabResult, aUserProfile } from '../../support/payloads/index.ts';
import { runCases, startRig, type Rig } from './rig.ts';

interface Personality {
  readonly name: string;
  readonly traits: Switches;
  /** It can be told from nothing at the EHR whether a write was done: what is ambiguous waits for a person. */
  readonly isBlind?: boolean;
}

const NO_IDS_NO_BUNDLES: Switches = { noClientIds: true, noTransactions: true, noBatch: true };
const ALTERED: Switches = {
  normaliseNumbers: true,
  addNarrative: true,
  reorderIdentifiers: true,
  addDisplay: true,
  absoluteReferences: true,
};

const PERSONALITIES: readonly Personality[] = [
  { name: 'as it should be', traits: {} },
  { name: 'no transactions', traits: { noTransactions: true } },
  { name: 'no Bundles at all', traits: { noTransactions: true, noBatch: true } },
  { name: 'no ids of clients', traits: { noClientIds: true } },
  { name: 'no ids of clients, no transactions', traits: { noClientIds: true, noTransactions: true } },
  { name: 'no ids of clients, no Bundles', traits: { noClientIds: true, noTransactions: true, noBatch: true } },
  { name: 'no ids of clients, no conditions', traits: { noClientIds: true, refuseConditional: true } },
  {
    name: 'no ids of clients, no conditions, no Bundles',
    traits: { noClientIds: true, refuseConditional: true, noTransactions: true, noBatch: true },
  },
  { name: 'two entries at most', traits: { maxEntries: 2 } },
  { name: 'two entries at most, no ids of clients', traits: { maxEntries: 2, noClientIds: true } },
  {
    name: 'eight entries at most where one is conditional, as Medplum has it',
    traits: { software: 'medplum', maxConditionalEntries: 8, noClientIds: true },
  },
  { name: 'If-Match required', traits: { requireIfMatch: true } },
  { name: 'If-Match required, no ids of clients', traits: { requireIfMatch: true, noClientIds: true } },
  {
    name: 'a bare answer to a create',
    traits: { bareCreate: true, noClientIds: true, noTransactions: true, noBatch: true },
  },
  { name: 'identifiers ignored', traits: { ignoreParams: ['identifier'], noClientIds: true }, isBlind: true },
  {
    name: 'identifiers ignored, no Bundles',
    traits: { ignoreParams: ['identifier'], noClientIds: true, noTransactions: true, noBatch: true },
    isBlind: true,
  },
  { name: 'Observations only', traits: { writableTypes: ['Observation'] } },
  { name: 'tags are joined', traits: { unionTags: true } },
  { name: 'tags are joined, no ids of clients, no Bundles', traits: { unionTags: true, ...NO_IDS_NO_BUNDLES } },
  { name: 'meta is dropped', traits: { meta: 'dropped' } },
  { name: 'meta is dropped, no ids of clients, no Bundles', traits: { meta: 'dropped', ...NO_IDS_NO_BUNDLES } },
  { name: 'meta is rewritten, no ids of clients', traits: { meta: 'rewritten', noClientIds: true } },
  { name: 'versions are UUIDs', traits: { versionIds: 'uuid' } },
  { name: 'versions are UUIDs, no ids of clients', traits: { versionIds: 'uuid', noClientIds: true } },
  { name: 'no versions', traits: { versionIds: 'absent' } },
  {
    name: 'no versions, meta is dropped, no ids of clients',
    traits: { versionIds: 'absent', meta: 'dropped', noClientIds: true },
  },
  { name: 'a transaction is run as a batch', traits: { transactionAsBatch: true } },
  {
    name: 'a transaction is run as a batch, no ids of clients',
    traits: { transactionAsBatch: true, noClientIds: true },
  },
  { name: 'what is stored looks otherwise', traits: ALTERED },
  {
    name: 'what is stored looks otherwise, no ids of clients, no Bundles',
    traits: { ...ALTERED, ...NO_IDS_NO_BUNDLES },
  },
  { name: 'search lags, no ids of clients', traits: { searchLagMs: 400, noClientIds: true } },
  { name: 'no history', traits: { noHistory: true } },
  { name: 'answers from a cache', traits: { staleAnswers: true } },
  { name: 'answers from a cache, no Bundles', traits: { staleAnswers: true, noTransactions: true, noBatch: true } },
];

/** How an EHR is written to does not depend on the store: some are enough on the second. */
const BOTH = new Set([
  'as it should be',
  'no Bundles at all',
  'no ids of clients',
  'If-Match required',
  'identifiers ignored',
  'tags are joined',
  'no versions',
]);
const personalitiesOn = (engine: string): readonly Personality[] =>
  PERSONALITIES.filter(({ name }) => engine === 'sqlite' || BOTH.has(name));

interface Done {
  readonly states: readonly string[];
  readonly live: number;
  readonly conflict: string;
  readonly dropped: string;
  readonly violations: readonly DeliveryViolation[];
}

const playing = new Map<string, Promise<Map<Personality, Done | Error>>>();

async function play({ traits, isBlind }: Personality, rig: Rig): Promise<Done> {
  const { board } = rig.ehr;
  const userId = 'user-1';
  // A server that ignores identifiers finds every patient; a person has to see to it that there is only one.
  const patient = await rig.enrol(userId, 'MRN-1');
  const states: string[] = [];
  const deliver = async (payload: Parameters<Rig['deliver']>[0]): Promise<void> => {
    const { state, reason } = await rig.deliver(payload);
    states.push(reason === null ? state : `${state} ${reason}`);
  };
  const bundleId = 'c0ffee00-0000-4000-8000-00000000000c';
  await deliver(aClinicalReady({ userId, observations: 6 }));
  await deliver(aLabResult({ userId }));
  await deliver(aUserProfile({ userId }));
  await deliver(aClinicalReady({ userId, documentVersion: 2, observations: 5, values: { weight: 70 } }));
  await deliver(aLabResult({ userId, documentVersion: 2, glucose: 95 }));
  const live = rig.chart(patient).filter(({ resourceType }) => resourceType === 'Observation').length;

  // The answer to a write is lost; and again for its update.
  board.setRules([
    {
      method: rig.ehr.board.traits().noClientIds === true || traits.noTransactions !== true ? 'POST' : 'PUT',
      times: 1,
      drop: 'after-commit',
    },
  ]);
  const lost = await rig.deliver(aClinicalReady({ userId, bundleId, day: '2026-11-12', observations: 4 }));
  board.setRules([]);
  let dropped = lost.reason === null ? lost.state : `${lost.state} ${lost.reason}`;
  if (isBlind !== true) {
    board.setRules([
      {
        method: traits.noTransactions === true && traits.noBatch === true ? 'PUT' : 'POST',
        times: 1,
        drop: 'after-commit',
      },
    ]);
    const second = aClinicalReady({
      userId,
      bundleId,
      day: '2026-11-12',
      documentVersion: 2,
      observations: 4,
      values: { weight: 69, bmi: 21 },
    });
    dropped += `, ${(await rig.deliver(second)).state}`;
    board.setRules([]);
  }

  // A person changes what is ours.
  const weight = rig
    .chart(patient)
    .find((one) => JSON.stringify(one).includes('"29463-7"') && JSON.stringify(one).includes('2026-11-14'));
  rig.ehr.put({ ...weight, note: [{ text: 'checked' }] } as never);
  const third = aClinicalReady({ userId, documentVersion: 3, observations: 5, values: { weight: 68, height: 180 } });
  const parked = await rig.until(
    await rig.send(third),
    ({ state, reason }) =>
      state === 'parked' || state === 'delivered' || (state === 'queued' && reason === 'ehr.conflict'),
  );
  return { states, live, conflict: `${parked.state} ${parked.reason ?? ''}`, dropped, violations: await rig.check() };
}

beforeAll(() => {
  for (const [name, makePlace] of PLACES)
    playing.set(
      name,
      runCases(personalitiesOn(name), 5, async (one) => {
        const rig = await startRig(makePlace, { traits: one.traits });
        try {
          return await play(one, rig);
        } finally {
          await rig.stop();
        }
      }),
    );
});
afterAll(async () => {
  await Promise.all(playing.values());
}, 60_000);

describe.each(PLACES)('EHRs of all kinds, on %s', (engine, _makePlace) => {
  let done: Map<Personality, Done | Error>;
  beforeAll(async () => {
    done = (await playing.get(engine)) ?? new Map<Personality, Done | Error>();
  }, 150_000);

  test.each(personalitiesOn(engine).map((one) => [one.name, one] as const))('%s', (_case, one) => {
    const found = done.get(one);
    expect(found).not.toBeInstanceOf(Error);
    expect(found).toEqual({
      states: Array.from({ length: 5 }, () => 'delivered'),
      live: 11,
      dropped: one.isBlind === true ? 'parked ambiguous' : 'delivered, delivered',
      conflict: 'parked conflict',
      violations: [],
    });
  });
});
