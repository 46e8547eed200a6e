import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Rule, Switches } from '../../../sandbox/index.ts';
import type { DeliveryViolation } from '../../support/check-delivery.ts';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady, aStepsEvent, type Json } from '../../support/payloads/index.ts';
import { runCases, startRig, type Rig } from './rig.ts';

/** An EHR as conformance.md 4.2 and peers.md describe it, as far as the demo EHR can play it. */
interface Kind {
  readonly dialect: string;
  readonly traits: Switches;
  readonly settings?: Record<string, string>;
  /** Holds for some requests alone. */
  readonly rules?: readonly Rule[];
  /** Nothing at the EHR tells a repetition apart: what is ambiguous waits for a person. */
  readonly isBlind?: boolean;
}

/** Single requests, no ids of ours, no conditions, Observations found by anything but our identifier, a bare 201. */
const LEGACY: Switches = {
  noTransactions: true,
  noBatch: true,
  noClientIds: true,
  refuseConditional: true,
  bareCreate: true,
  writableTypes: ['Observation'],
};
const UNFINDABLE: readonly Rule[] = [{ path: '/Observation', ignoreParams: ['identifier'] }];

const KINDS: readonly Kind[] = [
  { dialect: 'default', traits: {} },
  { dialect: 'hapi', traits: { software: 'HAPI FHIR Server' } },
  {
    dialect: 'medplum',
    traits: { software: 'medplum', noClientIds: true, maxConditionalEntries: 8, silentBatch: true },
  },
  { dialect: 'azure', traits: { software: 'Azure Healthcare APIs', publisher: 'Microsoft', maxEntries: 500 } },
  { dialect: 'google', traits: { implementation: 'healthcare.googleapis.com', noClientIds: true } },
  {
    dialect: 'oracle-health',
    traits: {
      ...LEGACY,
      publisher: 'Cerner',
      requireIfMatch: true,
      unsaidVersions: true,
      vitalSignsByPractitioner: true,
    },
    settings: { CHARTGATE_EHR_PRACTITIONER: 'Practitioner/interface' },
    rules: UNFINDABLE,
    isBlind: true,
  },
  { dialect: 'epic', traits: { ...LEGACY, software: 'Epic' }, rules: UNFINDABLE, isBlind: true },
  { dialect: 'athena', traits: { ...LEGACY, publisher: 'athenahealth' }, rules: UNFINDABLE, isBlind: true },
];

const userId = 'user-1';
const document = (more: Parameters<typeof aClinicalReady>[0] = {}): Json =>
  aClinicalReady({ userId, observations: 4, ...more });
function without(payload: Json, code: string): Json {
  const { entry } = (payload['clinical_ready'] as { clinical_ready_data: { entry: Json[] } }).clinical_ready_data;
  entry.splice(
    entry.findIndex((one) => JSON.stringify(one).includes(`"code":"${code}"`)),
    1,
  );
  return payload;
}

interface Done {
  readonly dialect: unknown;
  readonly logged: number;
  readonly states: readonly string[];
  readonly weights: readonly unknown[];
  readonly live: readonly number[];
  readonly rewritten: number;
  readonly lost: string;
  readonly violations: readonly DeliveryViolation[];
}

async function play({ rules = [] }: Kind, rig: Rig): Promise<Done> {
  const { board } = rig.ehr;
  board.setRules(rules);
  rig.ehr.put({ resourceType: 'Practitioner', id: 'interface', active: true });
  const patient = await rig.enrol(userId, 'MRN-1');
  const states: string[] = [];
  const weights: unknown[] = [];
  const live: number[] = [];
  const deliver = async (payload: Json): Promise<void> => {
    const { state, reason } = await rig.deliver(payload);
    states.push(reason === null ? state : `${state} ${reason}`);
    const chart = rig.chart(patient);
    const weight = chart.find((one) => JSON.stringify(one).includes('"29463-7"'));
    weights.push((weight?.['valueQuantity'] as { value?: unknown } | undefined)?.value);
    live.push(chart.length);
  };
  await deliver(document());
  await deliver(document({ documentVersion: 2, values: { weight: 70 } }));
  await deliver(without(document({ documentVersion: 3, values: { weight: 70 } }), 'height'));
  const before = rig.ehr.log.writes().length;
  await deliver(without(document({ documentVersion: 3, values: { weight: 70 } }), 'height'));
  expect((await rig.admin('POST', 'replay?state=delivered')).status).toBe(200);
  const { body } = await rig.admin('GET', 'deliveries?state=delivered');
  await Promise.all((body['deliveries'] as { id: string }[]).map(({ id }) => rig.resting(id)));
  const rewritten = rig.writesSince(before).length;

  // The answer to a new document is lost after the EHR has written it.
  board.setRules([...rules, { method: 'POST', after: 0, times: 1, drop: 'after-commit' }]);
  const other = await rig.deliver(
    document({ day: '2026-11-10', bundleId: 'c0ffee00-0000-4000-8000-00000000000d', observations: 2 }),
  );
  board.setRules(rules);
  const { targets } = (await rig.admin('GET', 'targets')).body as { targets: { dialect: unknown }[] };
  return {
    dialect: targets[0]?.dialect,
    logged: rig.log.lines.filter(({ event }) => event === 'ehr.dialect-chosen').length,
    states,
    weights,
    live,
    rewritten,
    lost: other.reason === null ? other.state : `${other.state} ${other.reason}`,
    violations: await rig.check(),
  };
}

const playing = new Map<string, Promise<Map<Kind, Done | Error>>>();
beforeAll(() => {
  for (const [name, makePlace] of PLACES)
    playing.set(
      name,
      runCases(KINDS, 4, async (one) => {
        const rig = await startRig(makePlace, { traits: one.traits, settings: one.settings ?? {} });
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

test('every dialect that is shipped is played', () => {
  const shipped = readdirSync(new URL('../../../mappings/dialects/', import.meta.url)).map((name) =>
    name.replace('.json', ''),
  );
  expect(KINDS.map(({ dialect }) => dialect).toSorted()).toEqual(shipped.toSorted());
});

test.each(PLACES)('what an EHR takes nothing of is not said to be in its chart, on %s', async (_engine, makePlace) => {
  const rig = await startRig(makePlace, { traits: { ...LEGACY, software: 'Epic' } });
  try {
    const patient = await rig.enrol(userId, 'MRN-1');
    const delivery = await rig.deliver(aStepsEvent({ userId }));
    expect(delivery).toMatchObject({ state: 'delivered', reason: 'not-taken' });
    expect(rig.chart(patient)).toEqual([]);
    const { body } = await rig.admin('GET', `deliveries/${delivery.id}`);
    expect(JSON.stringify(body)).toContain('takes none of what the document says');
    expect((await rig.admin('GET', 'deliveries?state=delivered&reason=not-taken')).body['deliveries']).toHaveLength(1);
    expect(await rig.check()).toEqual([]);
  } finally {
    await rig.stop();
  }
});

test.each(PLACES)(
  'without a Practitioner a vital sign is sent, refused and parked, and a finding says why, on %s',
  async (_engine, makePlace) => {
    const rig = await startRig(makePlace, { traits: { publisher: 'Cerner', vitalSignsByPractitioner: true } });
    try {
      const patient = await rig.enrol(userId, 'MRN-1');
      const delivery = await rig.deliver(document());
      expect([delivery.state, delivery.reason, rig.chart(patient)]).toEqual(['parked', 'rejected', []]);
      const { body } = await rig.admin('GET', `deliveries/${delivery.id}`);
      expect(body['findings']).toContain('performer.unnamed Observation.performer');
    } finally {
      await rig.stop();
    }
  },
);

describe.each(PLACES)('dialects, on %s', (engine, _makePlace) => {
  let done: Map<Kind, Done | Error>;
  beforeAll(async () => {
    done = (await playing.get(engine)) ?? new Map<Kind, Done | Error>();
  }, 150_000);

  test.each(KINDS.map((one) => [one.dialect, one] as const))(
    '%s is recognised, and its chart holds what was said, once',
    (_case, one) => {
      const found = done.get(one);
      expect(found).not.toBeInstanceOf(Error);
      expect(found).toEqual({
        dialect: { name: one.dialect, because: one.dialect === 'default' ? 'nothing-fits' : 'recognised' },
        logged: 1,
        states: ['delivered', 'delivered', 'delivered', 'duplicate same-bytes'],
        weights: [71.25, 70, 70, 70],
        live: [4, 4, 3, 3],
        rewritten: 0,
        lost: one.isBlind === true ? 'parked ambiguous' : 'delivered',
        violations: [],
      });
    },
  );
});
