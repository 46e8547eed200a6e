import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseNotification } from '../../../src/payloads/index.ts';
import { API_SOURCES, MOBILE_SOURCES } from '../../index.ts';
import {
  nextStepsEvent,
  STEPS_SOURCES,
  stepsPolls,
  type NextSteps,
  type StepsAnswer,
  type StepsPoll,
  type StepsState,
} from '../../insights/index.ts';
import { accepted, aSourceDay, HOUR, wall, WHOSE, ZONE } from '../../../test/support/days.ts';

const DATE = '2026-11-14';

type Count = number | null | NonNullable<StepsAnswer['failure']>;
const answerOf = (dataSource: string, count: Count): StepsAnswer =>
  typeof count === 'string'
    ? { dataSource, accumulated: null, failure: count }
    : { dataSource, accumulated: count, failure: null };

const pollAt = (hour: number, counts: Readonly<Record<string, Count>>, date = DATE): StepsPoll => ({
  at: wall(`${date}T00:00:00`) + hour * HOUR,
  date,
  zone: ZONE,
  endsAt: wall(`${date}T00:00:00`) + 24 * HOUR,
  answers: Object.entries(counts).map(([name, count]) => answerOf(name, count)),
});

/** Poll after poll, the state as it comes back from a restart. */
function run(polls: readonly StepsPoll[]): NextSteps[] {
  let state: StepsState | null = null;
  return polls.map((poll) => {
    const next = nextStepsEvent(state, poll, WHOSE);
    state = JSON.parse(JSON.stringify(next.state)) as StepsState;
    return next;
  });
}

const eventOf = ({ payload }: NextSteps) => payload?.physical_health.events.steps_event[0];
const countsOf = (polls: readonly StepsPoll[]) =>
  run(polls).map((one) => eventOf(one)?.steps.accumulated_steps_int ?? null);
const ofOne = (...counts: readonly Count[]) => countsOf(counts.map((count, i) => pollAt(i + 8, { GpsWatch: count })));

describe('1 Steps Events in API', () => {
  test('polls the six kinds of provider, and no other source', () => {
    expect([...STEPS_SOURCES].sort()).toEqual(
      API_SOURCES.map(({ name }) => name)
        .filter((name) => name !== 'GlucoseMonitor')
        .sort(),
    );
    const hourlySteps = [{ at: wall(`${DATE}T10:00:00`), accumulated: 700, failure: null }];
    const names = [...API_SOURCES, ...MOBILE_SOURCES].map(({ name }) => name);
    const polls = stepsPolls(
      names.map((name) => aSourceDay(name, DATE, { hourlySteps })),
      0,
      Infinity,
    );
    expect(polls).toHaveLength(1);
    expect(polls[0]?.answers.map(({ dataSource }) => dataSource).sort()).toEqual([...STEPS_SOURCES].sort());
  });

  test('polls every hour, each hour once', () => {
    const hourlySteps = Array.from({ length: 24 }, (_, i) => ({
      at: wall(`${DATE}T00:55:00`) + i * HOUR,
      accumulated: i * 100,
      failure: null,
    }));
    const days = [aSourceDay('GpsWatch', DATE, { hourlySteps }), aSourceDay('RingWearable', DATE, { hourlySteps })];
    const all = stepsPolls(days, 0, Infinity);
    expect(all).toHaveLength(24);
    const noon = wall(`${DATE}T12:00:00`);
    const inTwo = [...stepsPolls(days, 0, noon), ...stepsPolls(days, noon, Infinity)];
    expect(inTwo).toEqual(all);
  });

  test('reads the newest revision of a day', () => {
    const revised = (revision: number, accumulated: number) =>
      aSourceDay('GpsWatch', DATE, {
        revision,
        hourlySteps: [{ at: wall(`${DATE}T10:00:00`), accumulated, failure: null }],
      });
    expect(stepsPolls([revised(2, 500), revised(1, 400)], 0, Infinity)).toMatchObject([
      { answers: [{ accumulated: 500 }] },
    ]);
  });

  test('only ascending values are accepted', () => {
    expect(ofOne(100, 300, 200, 300, 301)).toEqual([100, 300, null, null, 301]);
  });

  test('with several connected sources the highest value is selected', () => {
    const all = run([
      pollAt(8, { GpsWatch: 100, RingWearable: 250, FitnessBand: 250 }),
      pollAt(9, { GpsWatch: 900, RingWearable: 300 }),
    ]);
    expect(all.map((one) => eventOf(one)?.steps.accumulated_steps_int)).toEqual([250, 900]);
    expect(all.map((one) => eventOf(one)?.metadata.sources_of_data_array)).toEqual([
      ['FitnessBand', 'RingWearable'],
      ['GpsWatch'],
    ]);
  });

  test.each([
    ['zero', 0],
    ['null', null],
  ] as const)('%s falls back to the last valid value', (_, nothing) => {
    expect(ofOne(nothing, 400, nothing, 500)).toEqual([null, 400, null, 500]);
    // The source that said nothing still holds what it last said.
    const [, second] = run([pollAt(8, { GpsWatch: 400 }), pollAt(9, { GpsWatch: nothing, RingWearable: 300 })]);
    expect(second?.state.lastValid).toEqual({ GpsWatch: 400, RingWearable: 300 });
    expect(second?.payload).toBeNull();
  });

  test('what is no count is no value', () => {
    expect(ofOne(-5, 10.5, Number.NaN, 10)).toEqual([null, null, null, 10]);
  });

  test.each(['timeout', 'authentication', 'quota'] as const)(
    'a fetch that fails by %s gives a notification',
    (failure) => {
      const [, second] = run([pollAt(8, { GpsWatch: 100 }), pollAt(9, { GpsWatch: failure, RingWearable: 300 })]);
      expect(second?.failures).toMatchObject([
        {
          client_uuid: WHOSE.client,
          user_id: WHOSE.user,
          data_source: 'GpsWatch',
          action: 'steps_event_fetch_failed',
          level: 'error',
        },
      ]);
      expect(second?.failures[0]?.message).toMatch(/^Steps could not be fetched: /);
      expect(second?.failures[0]?.message).not.toMatch(/\d/);
      // The others are not held up by it.
      expect(second?.payload).not.toBeNull();
      const notification = { ...second?.failures[0], action_datetime: '2026-11-14T09:00:00', environment: 'sandbox' };
      expect(parseNotification(notification)).toMatchObject({ ok: true });
    },
  );

  test('a failure alone gives no event', () => {
    const [only] = run([pollAt(8, { GpsWatch: 'timeout' })]);
    expect(only).toMatchObject({ payload: null, failures: [{ data_source: 'GpsWatch' }] });
  });

  test('midnight begins a new day from nothing', () => {
    expect(
      countsOf([
        pollAt(22, { GpsWatch: 9_000 }),
        pollAt(1, { GpsWatch: 0 }, '2026-11-15'),
        pollAt(2, { GpsWatch: 15 }, '2026-11-15'),
      ]),
    ).toEqual([9_000, null, 15]);
  });

  test('the count of a day that ends at midnight is filed under that day', () => {
    const [only] = run([pollAt(24, { GpsWatch: 9_000 })]);
    expect(eventOf(only as NextSteps)?.metadata.datetime_string).toBe('2026-11-14T23:59:59+01:00');
  });

  test('an answer about a day that is over changes nothing', () => {
    const [, second, third] = run([
      pollAt(1, { GpsWatch: 50 }, '2026-11-15'),
      pollAt(25, { RingWearable: 12_000 }),
      pollAt(3, { GpsWatch: 60 }, '2026-11-15'),
    ]);
    expect(second?.payload).toBeNull();
    expect(eventOf(third as NextSteps)?.steps.accumulated_steps_int).toBe(60);
  });
});

describe('2.2 steps_event', () => {
  test('has every field, and no other', () => {
    const [, second] = run([pollAt(8, { GpsWatch: 1_200 }), pollAt(9, { GpsWatch: 3_100 })]);
    expect(second?.payload).toEqual({
      version: 2,
      data_structure: 'steps_event',
      client_uuid: WHOSE.client,
      user_id: WHOSE.user,
      document_version: 2,
      auto_detected: true,
      physical_health: {
        events: {
          steps_event: [
            {
              metadata: {
                datetime_string: '2026-11-14T09:00:00+01:00',
                user_id_string: WHOSE.user,
                sources_of_data_array: ['GpsWatch'],
                was_the_user_under_physical_activity_bool: true,
              },
              steps: { accumulated_steps_int: 3_100 },
              non_structured_data_array: [],
            },
          ],
        },
      },
    });
    expect(accepted(second?.payload ?? {}).translation.wanted).toHaveLength(1);
  });

  test.each([
    ['2026-03-29', 'Europe/Madrid', '2026-03-29T10:00:00+02:00'],
    ['2026-10-25', 'Europe/Madrid', '2026-10-25T10:00:00+01:00'],
    ['2026-11-14', 'Asia/Kolkata', '2026-11-14T10:00:00+05:30'],
    ['2026-11-14', 'America/St_Johns', '2026-11-14T10:00:00-03:30'],
    ['2026-11-14', 'Asia/Kathmandu', '2026-11-14T10:00:00+05:45'],
    ['2026-11-14', 'UTC', '2026-11-14T10:00:00+00:00'],
  ])('datetime_string on %s in %s has the offset of that moment', (date, zone, text) => {
    const hourlySteps = [{ at: wall(`${date}T10:00:00`, zone), accumulated: 5, failure: null }];
    const [poll] = stepsPolls([aSourceDay('GpsWatch', date, { zone, hourlySteps })], 0, Infinity);
    const next = nextStepsEvent(null, poll as StepsPoll, WHOSE);
    expect(eventOf(next)?.metadata.datetime_string).toBe(text);
  });

  test('was_the_user_under_physical_activity_bool says whether much was walked since the event before', () => {
    const all = run([pollAt(8, { GpsWatch: 200 }), pollAt(9, { GpsWatch: 1_900 }), pollAt(13, { GpsWatch: 4_000 })]);
    expect(all.map((one) => eventOf(one)?.metadata.was_the_user_under_physical_activity_bool)).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe('6 steps_event', () => {
  test('is emitted when a poll produces one, and the gateway takes each of a day after the other', () => {
    const payloads = run([
      pollAt(8, { GpsWatch: 100 }),
      pollAt(9, { GpsWatch: 100 }),
      pollAt(10, { GpsWatch: 90, RingWearable: 140 }),
      pollAt(11, { GpsWatch: 200 }),
    ]).flatMap(({ payload }) => payload ?? []);
    expect(payloads).toHaveLength(3);
    const read = payloads.map((payload) => accepted(payload).parsed);
    expect(new Set(read.map(({ documentKey }) => documentKey)).size).toBe(1);
    expect(read.map(({ order }) => order.value)).toEqual([100, 140, 200]);
  });
});

describe('9 steps_event', () => {
  test('version is 2; document_version counts the events of a local day', () => {
    const payloads = run([
      pollAt(8, { GpsWatch: 100 }),
      pollAt(9, { GpsWatch: 150 }),
      pollAt(3, { GpsWatch: 10 }, '2026-11-15'),
    ]).map(({ payload }) => [payload?.version, payload?.document_version]);
    expect(payloads).toEqual([
      [2, 1],
      [2, 2],
      [2, 1],
    ]);
  });
});

describe('any polls', () => {
  const count = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 30_000 }) },
    fc.constantFrom<Count>(null, 0, 'timeout', 'authentication', 'quota'),
  );
  const polls = fc
    .array(fc.record({ GpsWatch: count, RingWearable: count, FitnessBand: count }), { minLength: 1, maxLength: 60 })
    .map((all) => all.map((counts, i) => pollAt(i % 24, counts, `2026-11-${14 + Math.floor(i / 24)}`)));

  test('give strictly ascending counts and versions within a day, and never more than a source said', () => {
    fc.assert(
      fc.property(polls, (all) => {
        const highest = new Map<string, { steps: number; version: number }>();
        run(all).forEach((next, i) => {
          const { date = '', answers = [] } = all[i] ?? {};
          expect(next.failures).toHaveLength(answers.filter(({ failure }) => failure !== null).length);
          const before = highest.get(date) ?? { steps: 0, version: 0 };
          const said = Math.max(0, ...answers.map(({ accumulated }) => accumulated ?? 0));
          const event = eventOf(next);
          if (event === undefined) {
            expect(said).toBeLessThanOrEqual(before.steps);
            return;
          }
          expect(event.steps.accumulated_steps_int).toBe(said);
          expect(said).toBeGreaterThan(before.steps);
          expect(next.payload?.document_version).toBe(before.version + 1);
          highest.set(date, { steps: said, version: before.version + 1 });
        });
      }),
    );
  });

  test('give payloads that the gateway takes', () => {
    fc.assert(
      fc.property(polls, (all) => {
        for (const { payload } of run(all).slice(0, 5)) if (payload !== null) accepted(payload);
      }),
      { numRuns: 15 },
    );
  });
});
