import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Switches } from '../../../sandbox/index.ts';
import { PLACES } from '../../support/new-store.ts';
import {
  aClinicalReady,
  aLabResult,
  anAlertEvent,
  anAlertSummary,
  aStepsEvent,
  aUserProfile,
  withAt,
  type Json,
} from '../../support/payloads/index.ts';
import { startRig, type Rig, type Shown } from './rig.ts';

/** What real servers were seen to do, and what must hold there all the same. */
const HAPI: Switches = { unionTags: true, meta: 'rewritten', addNarrative: true };
const MEDPLUM: Switches = {
  software: 'medplum',
  noClientIds: true,
  versionIds: 'uuid',
  normaliseNumbers: true,
  maxConditionalEntries: 8,
  emptyMinimal: true,
  resurrectDeleted: true,
  bareEntries: true,
};
const SERVERS: readonly (readonly [string, Switches])[] = [
  ['HAPI', HAPI],
  ['Medplum with transactions', MEDPLUM],
  ['Medplum without transactions', { ...MEDPLUM, transactionAsBatch: true }],
  ['an EHR without versions', { versionIds: 'absent' }],
  ['an EHR that answers with what stood there before', { staleAnswers: true }],
  [
    'an EHR that rewrites what it is given',
    { meta: 'dropped', absoluteReferences: true, addDisplay: true, reorderIdentifiers: true },
  ],
];
const WEIGHT = '"29463-7"';
const HEIGHT = '"8302-2"';
const [LOST, NOT_SENT] = [{ drop: 'after-commit' }, { drop: 'before-commit' }] as const;

const without = (payload: Json, code: string): Json => {
  const path = 'clinical_ready.clinical_ready_data.entry';
  const entries = path.split('.').reduce<unknown>((part, name) => (part as Json)[name], payload) as Json[];
  return withAt(
    payload,
    path,
    entries.filter((entry) => !JSON.stringify(entry).includes(`"code":"${code}"`)),
  );
};

const stateOf = ({ state, reason }: Shown): string => [state, reason].filter((word) => word !== null).join(' ');

const [sqlite] = PLACES;
describe.each(SERVERS)('at %s', (_server, traits) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(sqlite[1], { traits });
  });
  afterAll(() => rig.stop());

  const subjectOf = (one: Json): string => String((one['subject'] as { reference?: string } | undefined)?.reference);
  const chart = (patient: string): Json[] =>
    rig.live().filter((one) => one['resourceType'] === 'Observation' && subjectOf(one).endsWith(patient));
  const measured = (patient: string, code: string): Json | undefined =>
    chart(patient).find((one) => JSON.stringify(one).includes(code));
  const valueOf = (patient: string, code: string): unknown =>
    (measured(patient, code)?.['valueQuantity'] as { value?: unknown } | undefined)?.value;
  function edit(patient: string, more: object): void {
    const { meta: _meta, ...found } = measured(patient, WEIGHT) as Json & { meta: unknown };
    rig.ehr.put({ ...found, ...more } as never);
  }
  const of = (userId: string, documentVersion: number, values: Record<string, number> = {}): Json =>
    aClinicalReady({ userId, observations: 4, documentVersion, values });
  const faults = (...rules: Parameters<Rig['ehr']['board']['setRules']>[0]): void => rig.ehr.board.setRules(rules);

  test('what is dropped, said again and dropped again is withdrawn, and nothing of it stays after a re-link', async () => {
    const userId = 'dropper';
    const patient = await rig.enrol(userId);
    await rig.deliver(of(userId, 1));
    await rig.deliver(without(of(userId, 2), 'height'));
    expect(measured(patient, HEIGHT)).toBeUndefined();
    await rig.deliver(of(userId, 3));
    expect(valueOf(patient, HEIGHT)).toBe(178);
    await rig.deliver(without(of(userId, 4), 'height'));
    expect(measured(patient, HEIGHT)).toBeUndefined();
    const last = await rig.deliver(of(userId, 5));
    expect(stateOf(last)).toBe('delivered');
    const right = await rig.enrol(userId, 'MRN-dropper-right');
    await rig.until(last.id, () => chart(right).length === 4 && chart(patient).length === 0);
    expect([chart(patient).length, chart(right).length]).toEqual([0, 4]);
  }, 60_000);

  test('the value before the last, said again by a write that was lost, stands in the chart', async () => {
    const userId = 'again';
    const patient = await rig.enrol(userId);
    await rig.deliver(of(userId, 1, { weight: 71.25 }));
    await rig.deliver(of(userId, 2, { weight: 70.5 }));
    faults({ method: 'POST', times: 1, ...NOT_SENT }, { method: 'PUT', times: 1, ...NOT_SENT });
    expect(stateOf(await rig.deliver(of(userId, 3, { weight: 71.25 }), 60_000))).toBe('delivered');
    faults();
    expect(valueOf(patient, WEIGHT)).toBe(71.25);
  }, 90_000);

  test('a person who edits while a write is in doubt is not written over, whether it had arrived or not', async () => {
    for (const [userId, fault, more] of [
      [
        'edit-lost',
        LOST,
        { valueQuantity: { value: 66, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' } },
      ],
      ['edit-not-sent', NOT_SENT, { note: [{ text: 'nurse was here' }] }],
    ] as const) {
      const patient = await rig.enrol(userId);
      await rig.deliver(of(userId, 1));
      const isSingle = rig.ehr.board.traits().noTransactions === true;
      faults({ method: isSingle ? 'PUT' : 'POST', times: 1, ...fault });
      const second = await rig.send(of(userId, 2, { weight: 70 }));
      await rig.until(second, ({ state }) => state === 'unknown');
      edit(patient, more);
      const edited = measured(patient, WEIGHT);
      expect(stateOf(await rig.resting(second, 60_000))).toBe('parked conflict');
      expect(measured(patient, WEIGHT)).toEqual(edited);
      expect(stateOf(await rig.deliver(of(userId, 3, { weight: 69, height: 180 }), 60_000))).toBe('parked conflict');
      expect(measured(patient, WEIGHT)).toEqual(edited);
      expect(valueOf(patient, HEIGHT)).toBe(180);
    }
  }, 150_000);

  test('what a person deleted stays deleted until a person wants it back', async () => {
    const userId = 'deleter';
    const patient = await rig.enrol(userId);
    await rig.deliver(of(userId, 1));
    await fetch(`${rig.ehr.url}/Observation/${String(measured(patient, WEIGHT)?.['id'])}`, { method: 'DELETE' });
    const second = await rig.deliver(of(userId, 2, { weight: 70 }));
    expect([stateOf(second), measured(patient, WEIGHT)]).toEqual(['parked conflict', undefined]);
  });

  test('nothing is a conflict that only the EHR changed', async () => {
    const userId = 'plain';
    const patient = await rig.enrol(userId);
    await rig.deliver(of(userId, 1, { weight: 70.1 }));
    faults({ method: 'POST', times: 1, ...LOST });
    expect(stateOf(await rig.deliver(of(userId, 2, { weight: 70.2 }), 60_000))).toBe('delivered');
    faults();
    expect(stateOf(await rig.deliver(of(userId, 3, { weight: 70.3 }), 60_000))).toBe('delivered');
    expect(valueOf(patient, WEIGHT)).toBe(70.3);
    expect(await rig.ledgerAddsUp()).toBe(true);
  }, 90_000);
});

test('of an EHR that changes nothing it is learnt that it changes nothing, whatever it is given', async () => {
  const rig = await startRig(sqlite[1]);
  try {
    const userId = 'everything';
    await rig.enrol(userId);
    const payloads = [
      aClinicalReady({ userId }),
      aLabResult({ userId }),
      anAlertSummary({ userId }),
      aUserProfile({ userId }),
      aStepsEvent({ userId }),
      anAlertEvent({ userId }),
    ];
    for (const payload of payloads) expect(stateOf(await rig.deliver(payload))).toBe('delivered');
    const { body } = await rig.admin('GET', 'targets');
    const [{ habits }] = body['targets'] as [{ habits: { changes: Record<string, string[]> } }];
    expect(Object.keys(habits.changes).sort()).toEqual(expect.arrayContaining(['DiagnosticReport', 'Observation']));
    expect(Object.values(habits.changes).flat()).toEqual([]);
  } finally {
    await rig.stop();
  }
}, 60_000);
