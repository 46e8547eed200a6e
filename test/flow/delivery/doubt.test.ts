import { describe, expect, test } from '@jest/globals';
import type { Switches } from '../../../sandbox/index.ts';
import { makeCuttingProxy } from '../../support/cutting-proxy.ts';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady, aLabResult, withAt, type Json } from '../../support/payloads/index.ts';
import { stopAfterTest } from '../../support/stop-after-test.ts';
import { aPatient, mergedInto, startRig, type Rig, type Shown } from './rig.ts';

const WEIGHT = '"29463-7"';
const HEIGHT = '"8302-2"';
const [LOST, NOT_SENT] = [{ drop: 'after-commit' }, { drop: 'before-commit' }] as const;
/** A patient may be looked for by POST too, at times that are nobody's business here. */
const A_WRITE = { method: 'POST', exceptPath: '_search' } as const;
const [sqlite] = PLACES;

const ENTRIES = 'clinical_ready.clinical_ready_data.entry';
const without = (payload: Json, code: string): Json =>
  withAt(
    payload,
    ENTRIES,
    (ENTRIES.split('.').reduce<unknown>((part, name) => (part as Json)[name], payload) as Json[]).filter(
      (entry) => !JSON.stringify(entry).includes(`"code":"${code}"`),
    ),
  );
const of = (userId: string, documentVersion: number, values: Record<string, number> = {}): Json =>
  aClinicalReady({ userId, observations: 4, documentVersion, values });
const stateOf = ({ state, reason }: Shown): string => [state, reason].filter((word) => word !== null).join(' ');

/** Each with an EHR and a gateway of its own, since what was learnt of the EHR is part of the matter. */
async function withRig(given: Parameters<typeof startRig>[1], work: (tools: Tools) => Promise<void>): Promise<void> {
  const rig = await startRig(sqlite[1], given);
  try {
    await work(toolsOf(rig));
  } finally {
    await rig.stop();
  }
}
type Tools = ReturnType<typeof toolsOf>;
function toolsOf(rig: Rig) {
  const standing = (patient: string, code: string): Json | undefined =>
    all().find(
      (one) =>
        JSON.stringify(one['subject'] ?? null).includes(`${patient}"`) &&
        JSON.stringify(one['code'] ?? null).includes(code),
    );
  const all = (): Json[] => {
    const last = new Map(rig.ehr.log.writes().map((write) => [`${write.type}/${write.id}`, write]));
    return [...last.values()].flatMap(({ json }) => (json === null ? [] : [JSON.parse(json) as Json]));
  };
  const valueOf = (patient: string, code: string): unknown =>
    (standing(patient, code)?.['valueQuantity'] as { value?: unknown } | undefined)?.value;
  function edit(patient: string, code: string, more: object): void {
    const { meta: _meta, ...found } = standing(patient, code) as Json & { meta: unknown };
    rig.ehr.put({ ...found, ...more } as never);
  }
  const faults = (...rules: Parameters<Rig['ehr']['board']['setRules']>[0]): void => rig.ehr.board.setRules(rules);
  async function decided(id: string, decision: 'keep-theirs' | 'overwrite'): Promise<Shown> {
    const before = (await rig.read(id)).steps.length;
    expect((await rig.admin('POST', `deliveries/${id}/decide`, { decision })).status).toBe(200);
    return rig.until(
      id,
      ({ state, steps }) => steps.length > before + 2 && (state === 'parked' || state === 'delivered'),
      40_000,
    );
  }
  /** Written, its answer lost, and then parked before anybody could look: the patient is inactive for a while. */
  async function lostAndParked(payload: Json, patient: string, mrn: string, fault: Switches = LOST): Promise<Shown> {
    faults({ ...A_WRITE, times: 1, ...fault });
    const id = await rig.send(payload);
    await rig.until(id, ({ state }) => state === 'unknown');
    const own = patient.replace('Patient/', '');
    rig.ehr.put(aPatient(own, mrn, { active: false }));
    await rig.restart();
    const parked = await rig.resting(id, 40_000);
    expect(stateOf(parked)).toBe('parked patient');
    rig.ehr.put(aPatient(own, mrn));
    faults();
    return parked;
  }
  return { rig, all, standing, valueOf, edit, faults, decided, lostAndParked };
}

describe('what is in doubt', () => {
  test(
    'a withdrawal whose answer was lost, and which could not be looked up at once, is not forgotten',
    () =>
      withRig({}, async ({ rig, standing, faults }) => {
        const userId = 'withdraw-lost';
        const patient = await rig.enrol(userId);
        await rig.deliver(of(userId, 1));
        faults({ method: 'PUT', path: '/Observation/', times: 1, ...LOST });
        const second = await rig.send(without(of(userId, 2), 'height'));
        await rig.until(second, ({ state }) => state === 'unknown');
        expect(standing(patient, HEIGHT)?.['status']).toBe('entered-in-error');
        // The EHR comes up again, and is not ready yet.
        faults({ method: 'GET', path: '/Observation/', status: 503 });
        const third = await rig.send(of(userId, 3));
        await rig.until(second, ({ steps }) => steps.filter(({ to }) => to === 'unknown').length > 1, 10_000);
        faults();
        const rested = await rig.resting(third, 60_000);
        expect([stateOf(rested), standing(patient, HEIGHT)?.['status']]).toEqual(['delivered', 'amended']);
      }),
    90_000,
  );

  test(
    'a version that says what the ledger says is not delivered while the chart may say what a lost write said',
    () =>
      withRig({}, async ({ rig, valueOf, lostAndParked }) => {
        const userId = 'lost-parked';
        const patient = await rig.enrol(userId);
        await rig.deliver(of(userId, 1, { weight: 71.25 }));
        await lostAndParked(of(userId, 2, { weight: 70.5 }), patient, `MRN-${userId}`);
        const third = await rig.deliver(of(userId, 3, { weight: 71.25 }), 40_000);
        expect([stateOf(third), valueOf(patient, WEIGHT)]).toEqual(['delivered', 71.25]);
      }),
    120_000,
  );

  test(
    'what only a lost write said is withdrawn when the next version drops it',
    () =>
      withRig({}, async ({ rig, standing, lostAndParked }) => {
        const userId = 'lost-dropped';
        const patient = await rig.enrol(userId);
        await rig.deliver(without(of(userId, 1), 'height'));
        await lostAndParked(of(userId, 2), patient, `MRN-${userId}`);
        expect(standing(patient, HEIGHT)?.['status']).toBe('final');
        const third = await rig.deliver(without(of(userId, 3, { weight: 70 }), 'height'), 40_000);
        expect([stateOf(third), standing(patient, HEIGHT)?.['status']]).toEqual(['delivered', 'entered-in-error']);
      }),
    120_000,
  );

  test(
    'what only a lost write said leaves a wrong chart too',
    () =>
      withRig({}, async ({ rig, standing, lostAndParked }) => {
        const userId = 'lost-relinked';
        const patient = await rig.enrol(userId);
        await rig.deliver(without(of(userId, 1), 'height'));
        const { id } = await lostAndParked(of(userId, 2), patient, `MRN-${userId}`);
        const right = await rig.enrol(userId, 'MRN-lost-right');
        await rig.admin('POST', `deliveries/${id}/replay`);
        await rig.until(id, ({ state }) => state === 'delivered' && standing(right, HEIGHT) !== undefined, 40_000);
        expect(standing(patient, WEIGHT)?.['status']).toBe('entered-in-error');
        expect(standing(patient, HEIGHT)?.['status']).toBe('entered-in-error');
      }),
    120_000,
  );
});

describe('a link that changes while an outcome is unknown', () => {
  test(
    'what never reached the old chart is looked for there, and written to the new one alone',
    () =>
      withRig({}, async ({ rig, standing, faults }) => {
        const userId = 'lost-before-relink';
        const wrong = await rig.enrol(userId, 'MRN-wrong');
        await rig.deliver(without(of(userId, 1), 'height'));
        faults({ ...A_WRITE, times: 1, ...NOT_SENT }, { method: 'GET', path: '/Observation', status: 503 });
        const id = await rig.send(of(userId, 2, { weight: 64.5 }));
        await rig.until(id, ({ state }) => state === 'unknown');
        const before = rig.ehr.log.writes().length;
        const right = await rig.enrol(userId, 'MRN-right');
        faults();
        const shown = await rig.until(
          id,
          ({ state }) => state === 'delivered' && standing(right, HEIGHT) !== undefined,
          60_000,
        );
        expect(standing(right, HEIGHT)).toBeDefined();
        // Of the old chart, where it never stood, nobody ever says that it was delivered.
        expect(shown.steps.filter(({ to }) => to === 'delivered')).toHaveLength(1);
        const toTheOld = rig.ehr.log
          .writes(before)
          .map(({ json }) => JSON.parse(json ?? '{}') as Json)
          .filter((one) => JSON.stringify(one['subject'] ?? null).includes(`${wrong}"`));
        expect([...new Set(toTheOld.map(({ status }) => status))]).toEqual(['entered-in-error']);
        expect(standing(wrong, HEIGHT)).toBeUndefined();
        expect(standing(wrong, WEIGHT)?.['status']).toBe('entered-in-error');
      }),
    120_000,
  );
});

const uuidOf = (n: number): string => `urn:uuid:6a1d2c3b-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
const aResult = (n: number, code: string, value: number): Json => ({
  fullUrl: uuidOf(n),
  resource: {
    resourceType: 'Observation',
    id: `o${n}`,
    status: 'final',
    code: { coding: [{ system: 'http://loinc.org', code }] },
    subject: { reference: uuidOf(0) },
    effectiveDateTime: '2026-11-10T08:15:00+01:00',
    valueQuantity: { value, unit: 'mg/dL', system: 'http://unitsofmeasure.org', code: 'mg/dL' },
  },
});
function aPanel(userId: string, documentVersion: number, results: readonly (readonly [string, number])[]): Json {
  const entries = results.map(([code, value], i) => aResult(i + 2, code, value));
  const report = {
    resourceType: 'DiagnosticReport',
    id: 'r1',
    status: 'final',
    code: { text: 'Metabolic panel' },
    subject: { reference: uuidOf(0) },
    effectiveDateTime: '2026-11-10T08:15:00+01:00',
    issued: '2026-11-10T09:00:00+01:00',
    result: entries.map(({ fullUrl }) => ({ reference: fullUrl })),
  };
  return aLabResult({
    userId,
    documentVersion,
    resource: {
      resourceType: 'Bundle',
      id: 'lab-bundle-1',
      type: 'collection',
      entry: [
        { fullUrl: uuidOf(0), resource: { resourceType: 'Patient', id: 'p1' } },
        { fullUrl: uuidOf(1), resource: report },
        ...entries,
      ],
    },
  });
}

describe('a laboratory report', () => {
  test(
    'leaves a wrong chart before the results that it refers to',
    () =>
      withRig({}, async ({ rig, standing }) => {
        const userId = 'lab-order';
        const wrong = await rig.enrol(userId, 'MRN-lab-wrong');
        const { id } = await rig.deliver(
          aPanel(userId, 1, [
            ['2345-7', 92],
            ['2093-3', 180],
          ]),
        );
        const before = rig.ehr.log.writes().length;
        const right = await rig.enrol(userId, 'MRN-lab-right');
        await rig.until(id, ({ state }) => state === 'delivered' && standing(right, '2093-3') !== undefined, 60_000);
        const withdrawn = rig.ehr.log
          .writes(before)
          .map(({ json }) => JSON.parse(json ?? '{}') as Json)
          .filter((one) => JSON.stringify(one['subject'] ?? null).includes(`${wrong}"`));
        expect(withdrawn.map(({ resourceType, status }) => [resourceType, status])).toEqual([
          ['DiagnosticReport', 'entered-in-error'],
          ['Observation', 'entered-in-error'],
          ['Observation', 'entered-in-error'],
        ]);
      }),
    120_000,
  );

  test(
    'that got another result is written, also where its write was lost before it reached the EHR',
    () =>
      withRig({}, async ({ rig, all, faults }) => {
        const userId = 'lab-more';
        await rig.enrol(userId);
        const resultsOf = (): number =>
          (all().find(({ resourceType }) => resourceType === 'DiagnosticReport')?.['result'] as unknown[]).length;
        const ALL = [
          ['2345-7', 92],
          ['2093-3', 180],
          ['2571-8', 110],
        ] as const;
        for (const count of [1, 2]) await rig.deliver(aPanel(userId, count, ALL.slice(0, count)));
        expect(resultsOf()).toBe(2);
        faults({ ...A_WRITE, times: 1, ...NOT_SENT });
        const third = await rig.deliver(aPanel(userId, 3, ALL), 40_000);
        expect([stateOf(third), resultsOf()]).toEqual(['delivered', 3]);
      }),
    60_000,
  );

  test(
    'refers to nothing that a person removed and wants to stay removed',
    () =>
      withRig({}, async ({ rig, all, decided }) => {
        const userId = 'lab-removed';
        await rig.enrol(userId);
        await rig.deliver(
          aPanel(userId, 1, [
            ['2345-7', 92],
            ['2093-3', 180],
          ]),
        );
        const glucose = all().find(
          (one) => one['resourceType'] === 'Observation' && JSON.stringify(one['code']).includes('2345-7'),
        );
        await fetch(`${rig.ehr.url}/Observation/${String(glucose?.['id'])}`, { method: 'DELETE' });
        const parked = await rig.deliver(
          aPanel(userId, 2, [
            ['2345-7', 93],
            ['2093-3', 181],
          ]),
        );
        expect(stateOf(parked)).toBe('parked conflict');
        await decided(parked.id, 'keep-theirs');
        await rig.deliver(
          aPanel(userId, 3, [
            ['2345-7', 93],
            ['2093-3', 182],
            ['2160-0', 1],
          ]),
        );
        const report = all().find(({ resourceType }) => resourceType === 'DiagnosticReport');
        expect(JSON.stringify(report?.['result'])).not.toContain(String(glucose?.['id']));
      }),
    60_000,
  );
});

describe('an edit by a person', () => {
  const NURSE = { note: [{ text: 'nurse was here' }] };

  test(
    'is seen also after the EHR was upgraded',
    () =>
      withRig({ traits: { software: 'EHR 1' } }, async ({ rig, standing, edit }) => {
        const userId = 'upgraded';
        const patient = await rig.enrol(userId);
        await rig.deliver(of(userId, 1));
        rig.ehr.board.setTraits({ software: 'EHR 2' });
        await rig.restart();
        edit(patient, WEIGHT, NURSE);
        const second = await rig.deliver(of(userId, 2, { weight: 70 }));
        expect([stateOf(second), standing(patient, WEIGHT)?.['note']]).toEqual(['parked conflict', NURSE.note]);
      }),
    60_000,
  );

  test(
    'is seen also where the answer to the very first write was lost',
    () =>
      withRig({}, async ({ rig, standing, edit, faults }) => {
        const userId = 'first-lost';
        const patient = await rig.enrol(userId);
        faults({ ...A_WRITE, times: 1, ...LOST });
        const first = await rig.deliver(of(userId, 1), 40_000);
        expect(first.steps.map(({ to }) => to)).toContain('unknown');
        faults();
        edit(patient, WEIGHT, NURSE);
        const second = await rig.deliver(of(userId, 2, { weight: 70 }));
        expect([stateOf(second), standing(patient, WEIGHT)?.['note']]).toEqual(['parked conflict', NURSE.note]);
      }),
    60_000,
  );

  test(
    'of the note on what was withdrawn is not lost when it is said again',
    () =>
      withRig({}, async ({ rig, standing, edit }) => {
        const userId = 'withdrawn-note';
        const patient = await rig.enrol(userId);
        await rig.deliver(of(userId, 1));
        await rig.deliver(without(of(userId, 2), 'height'));
        edit(patient, HEIGHT, { note: [{ text: 'patient was measured by me: 176' }] });
        const third = await rig.deliver(of(userId, 3));
        expect([stateOf(third), standing(patient, HEIGHT)?.['status']]).toEqual([
          'parked conflict',
          'entered-in-error',
        ]);
      }),
    60_000,
  );

  test(
    'who says that it was entered in error stands, also where the document drops it and says it again',
    () =>
      withRig({}, async ({ rig, standing, edit }) => {
        const userId = 'in-error';
        const patient = await rig.enrol(userId);
        await rig.deliver(of(userId, 1));
        edit(patient, HEIGHT, { status: 'entered-in-error', note: [{ text: 'not this patient' }] });
        await rig.deliver(without(of(userId, 2), 'height'));
        const third = await rig.deliver(of(userId, 3));
        expect([stateOf(third), standing(patient, HEIGHT)?.['status']]).toEqual([
          'parked conflict',
          'entered-in-error',
        ]);
      }),
    60_000,
  );

  test.each([
    ['performer', { performer: [{ reference: 'Practitioner/demo-clinician' }] }],
    ['encounter', { encounter: { reference: 'Encounter/1' } }],
    ['identifier', null],
  ])(
    'that adds %s is not written over',
    (name, more) =>
      withRig({}, async ({ rig, standing, edit }) => {
        const userId = 'adds';
        const patient = await rig.enrol(userId);
        await rig.deliver(of(userId, 1));
        const before = standing(patient, WEIGHT) as Json & { identifier: object[]; code: object };
        const added = {
          identifier: { identifier: [...before.identifier, { system: 'urn:ward', value: '4711' }] },
        }[name];
        edit(patient, WEIGHT, more ?? added ?? {});
        const edited = standing(patient, WEIGHT);
        const second = await rig.deliver(of(userId, 2, { weight: 70 }));
        expect([stateOf(second), standing(patient, WEIGHT)]).toEqual(['parked conflict', edited]);
      }),
    60_000,
  );
});

describe('a decision', () => {
  test(
    'to overwrite what was kept is carried out once, also where the answer was lost',
    () =>
      withRig({}, async ({ rig, valueOf, edit, faults, decided }) => {
        const userId = 'kept-over';
        const patient = await rig.enrol(userId);
        await rig.deliver(of(userId, 1));
        edit(patient, WEIGHT, { note: [{ text: 'checked' }] });
        const second = await rig.deliver(of(userId, 2, { weight: 70 }));
        expect(stateOf(await decided(second.id, 'keep-theirs'))).toBe('delivered');
        const third = await rig.deliver(of(userId, 3, { weight: 69 }));
        expect(stateOf(third)).toBe('parked conflict');
        faults({ ...A_WRITE, times: 1, ...LOST });
        const done = await decided(third.id, 'overwrite');
        expect([stateOf(done), valueOf(patient, WEIGHT)]).toEqual(['delivered', 69]);
      }),
    60_000,
  );
});

describe('nobody but the gateway or the EHR changed anything', () => {
  test(
    'what a lost write of an older version said is written over, also where the EHR asked for patience once',
    () =>
      withRig({}, async ({ rig, valueOf, faults, lostAndParked }) => {
        const userId = 'lost-patience';
        const patient = await rig.enrol(userId);
        await rig.deliver(of(userId, 1, { weight: 71.25 }));
        await lostAndParked(of(userId, 2, { weight: 70.5 }), patient, `MRN-${userId}`);
        faults({ ...A_WRITE, times: 1, status: 503, retryAfter: '1' });
        const third = await rig.deliver(of(userId, 3, { weight: 69 }), 40_000);
        expect([stateOf(third), valueOf(patient, WEIGHT)]).toEqual(['delivered', 69]);
      }),
    120_000,
  );

  test(
    'what a lost write of another document said of the same measurement',
    () =>
      withRig({}, async ({ rig, valueOf, lostAndParked }) => {
        const userId = 'lost-other';
        const patient = await rig.enrol(userId);
        await rig.deliver(of(userId, 1, { weight: 71.25 }));
        const other = aClinicalReady({
          userId,
          observations: 4,
          bundleId: 'c0ffee00-0000-4000-8000-000000000002',
          timestamp: '2026-11-15T01:00:00Z',
          values: { weight: 70.5 },
        });
        await lostAndParked(other, patient, `MRN-${userId}`);
        const newest = aClinicalReady({
          userId,
          observations: 4,
          documentVersion: 2,
          timestamp: '2026-11-15T02:00:00Z',
          values: { weight: 69 },
        });
        const second = await rig.deliver(newest, 40_000);
        expect([stateOf(second), valueOf(patient, WEIGHT)]).toEqual(['delivered', 69]);
      }),
    120_000,
  );

  test(
    'the EHR moved what we wrote to the record that survived a merge',
    () =>
      withRig({}, async ({ rig, all, valueOf }) => {
        const userId = 'merged';
        const patient = await rig.enrol(userId);
        await rig.deliver(of(userId, 1));
        const survivor = 'Patient/pat-survivor';
        rig.ehr.put(aPatient('pat-survivor', 'MRN-survivor'));
        rig.ehr.put(aPatient(patient.replace('Patient/', ''), `MRN-${userId}`, mergedInto(survivor)));
        for (const { meta: _meta, ...one } of all() as (Json & { meta?: unknown })[])
          if (one['resourceType'] === 'Observation' && JSON.stringify(one).includes(`"${patient}"`))
            rig.ehr.put(JSON.parse(JSON.stringify(one).replaceAll(`"${patient}"`, `"${survivor}"`)) as never);
        await rig.restart();
        const second = await rig.deliver(of(userId, 2, { weight: 70 }), 40_000);
        expect([stateOf(second), valueOf(survivor, WEIGHT)]).toEqual(['delivered', 70]);
      }),
    60_000,
  );

  test('the EHR gives references as addresses of its own, by another name than the one that it is asked by', async () => {
    const front = async (url: string): Promise<string> => {
      const { port, pathname } = new URL(url);
      const proxy = await makeCuttingProxy(Number(port));
      stopAfterTest(() => proxy.close());
      return `http://127.0.0.1:${proxy.port}${pathname}`;
    };
    await withRig(
      { traits: { absoluteReferences: true, versionIds: 'uuid' }, front },
      async ({ rig, valueOf, faults }) => {
        const userId = 'absolute';
        const patient = await rig.enrol(userId);
        await rig.deliver(of(userId, 1));
        faults({ ...A_WRITE, times: 1, ...LOST });
        const second = await rig.deliver(of(userId, 2, { weight: 70 }), 40_000);
        expect([stateOf(second), valueOf(patient, WEIGHT)]).toEqual(['delivered', 70]);
      },
    );
  }, 60_000);

  test(
    'what was withdrawn and then removed is written anew when it is said again',
    () =>
      withRig({}, async ({ rig, standing, valueOf }) => {
        const userId = 'withdrawn-removed';
        const patient = await rig.enrol(userId);
        await rig.deliver(of(userId, 1));
        await rig.deliver(without(of(userId, 2), 'height'));
        await fetch(`${rig.ehr.url}/Observation/${String(standing(patient, HEIGHT)?.['id'])}`, { method: 'DELETE' });
        const third = await rig.deliver(of(userId, 3));
        expect([stateOf(third), valueOf(patient, HEIGHT)]).toEqual(['delivered', 178]);
      }),
    60_000,
  );
});

describe('an edit by a person, still', () => {
  test(
    'of what was withdrawn from a wrong chart by a write that was lost once is seen when the link comes back',
    () =>
      withRig({}, async ({ rig, standing, edit, faults }) => {
        const userId = 'back';
        const patient = await rig.enrol(userId);
        const { id } = await rig.deliver(of(userId, 1));
        faults({ method: 'PUT', path: '/Observation/', times: 1, ...LOST });
        const right = await rig.enrol(userId, 'MRN-back-right');
        await rig.until(id, ({ state }) => state === 'delivered' && standing(right, WEIGHT) !== undefined, 40_000);
        faults();
        expect(standing(patient, WEIGHT)?.['status']).toBe('entered-in-error');
        edit(patient, WEIGHT, {
          valueQuantity: { value: 66, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
        });
        await rig.enrol(userId);
        const rested = await rig.until(
          id,
          ({ state, steps }) => state === 'parked' || (state === 'delivered' && steps.length > 12),
          40_000,
        );
        expect([stateOf(rested), standing(patient, WEIGHT)?.['status']]).toEqual([
          'parked conflict',
          'entered-in-error',
        ]);
      }),
    90_000,
  );

  test(
    'who removed what a lost write had made is not written over',
    () =>
      withRig({}, async ({ rig, standing, faults }) => {
        const userId = 'removed-in-doubt';
        const patient = await rig.enrol(userId);
        faults({ ...A_WRITE, times: 1, ...LOST });
        const first = await rig.send(of(userId, 1));
        await rig.until(first, ({ state }) => state === 'unknown');
        await fetch(`${rig.ehr.url}/Observation/${String(standing(patient, WEIGHT)?.['id'])}`, { method: 'DELETE' });
        faults();
        expect([stateOf(await rig.resting(first, 40_000)), standing(patient, WEIGHT)]).toEqual([
          'parked conflict',
          undefined,
        ]);
      }),
    60_000,
  );
});

describe('a decision, still', () => {
  test(
    'is not asked for where both sides say the same',
    () =>
      withRig({}, async ({ rig, edit, decided }) => {
        const userId = 'agreed';
        const patient = await rig.enrol(userId);
        await rig.deliver(of(userId, 1));
        edit(patient, WEIGHT, {
          valueQuantity: { value: 71, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
          status: 'amended',
        });
        const second = await rig.deliver(of(userId, 2, { weight: 70 }));
        expect(stateOf(await decided(second.id, 'keep-theirs'))).toBe('delivered');
        expect(stateOf(await rig.deliver(of(userId, 3, { weight: 71 })))).toBe('delivered');
      }),
    60_000,
  );

  test(
    'is not asked for where a person removed it, wants it so, and the document drops it',
    () =>
      withRig({}, async ({ rig, standing, decided }) => {
        const userId = 'agreed-removed';
        const patient = await rig.enrol(userId);
        await rig.deliver(of(userId, 1));
        await fetch(`${rig.ehr.url}/Observation/${String(standing(patient, HEIGHT)?.['id'])}`, { method: 'DELETE' });
        const second = await rig.deliver(of(userId, 2, { height: 179 }));
        expect(stateOf(await decided(second.id, 'keep-theirs'))).toBe('delivered');
        expect(stateOf(await rig.deliver(without(of(userId, 3), 'height')))).toBe('delivered');
      }),
    60_000,
  );
});
