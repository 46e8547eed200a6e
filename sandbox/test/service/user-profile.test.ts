import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  buildProfile,
  profileDate,
  type Demographics,
  type ProfileInput,
  type ProfilePayload,
  type ProfileState,
} from '../../insights/index.ts';
import { DOMAINS, levelOf } from '../../insights/profile-payload.ts';
import { resolve, type Candidate } from '../../insights/remarks.ts';
import { sleepConsistencyOf } from '../../insights/sleep-consistency.ts';
import type { DaySummary } from '../../population/index.ts';
import { accepted, aDay, dateAfter, daysUpTo, wall, WHOSE, ZONE, type DayParts } from '../../../test/support/days.ts';

/** The last whole day; asked for in the morning of the next. */
const DATE = '2026-11-14';
const AT = wall('2026-11-15T09:30:00');
const REQUEST = '7d0c1a52-0000-4000-8000-00000000000a';
const WHO: Demographics = { sex: 'female', birthYear: 1980, country: 'ES', zone: ZONE };

const build = (days: readonly DaySummary[], previous: ProfileState | null = null, input: Partial<ProfileInput> = {}) =>
  buildProfile(previous, { whose: WHOSE, requestId: REQUEST, at: AT, demographics: WHO, days, ...input });

/** The profile of days of which at least one domain can be computed. */
function built(days: readonly DaySummary[], previous: ProfileState | null = null, input: Partial<ProfileInput> = {}) {
  const made = build(days, previous, input);
  if (made === null) throw new Error('no profile');
  return made;
}
const dataOf = (days: readonly DaySummary[], previous: ProfileState | null = null, input: Partial<ProfileInput> = {}) =>
  built(days, previous, input).payload.user_profile_data;

const NOTHING: DayParts = { body: null, physical: null, sleep: null };
const NO_BODY = {
  weightKg: null,
  heightCm: null,
  bmi: null,
  systolic: null,
  diastolic: null,
  restingHeartRate: null,
  hrvMs: null,
  spo2: null,
};
const MONTH = daysUpTo(DATE, 30);

describe('2.7 user_profile, root', () => {
  test.each([
    ['version', 1],
    ['document_version', 1],
    ['data_structure', 'user_profile'],
    ['user_id', WHOSE.user],
    ['client_uuid', WHOSE.client],
  ] as const)('%s', (field, value) => {
    expect(built(MONTH).payload[field]).toBe(value);
  });

  test('has every field, and no other', () => {
    const { payload } = built(MONTH);
    expect(Object.keys(payload).sort()).toEqual(
      ['version', 'document_version', 'data_structure', 'user_id', 'client_uuid', 'user_profile_data'].sort(),
    );
    expect(Object.keys(payload.user_profile_data).sort()).toEqual(
      ['metadata', 'demographics', 'profiles', 'overall', 'observations'].sort(),
    );
    accepted(payload);
  });
});

describe('2.7 user_profile_data.metadata', () => {
  test('names the user and the request', () => {
    expect(dataOf(MONTH).metadata).toEqual({
      datetime_string: '2026-11-14T00:00:00+01:00',
      user_id_string: WHOSE.user,
      request_id_string: REQUEST,
    });
  });

  test.each([
    ['Europe/Madrid', '2026-11-15T09:30:00Z', '2026-11-14T00:00:00+01:00'],
    ['Asia/Kolkata', '2026-11-15T09:30:00Z', '2026-11-14T00:00:00+05:30'],
    ['America/Los_Angeles', '2026-11-15T06:00:00Z', '2026-11-13T00:00:00-08:00'],
    ['Pacific/Auckland', '2026-11-15T18:00:00Z', '2026-11-15T00:00:00+13:00'],
    // Midnight of the day on which clocks change has the offset from before.
    ['Europe/Madrid', '2026-03-30T10:00:00Z', '2026-03-29T00:00:00+01:00'],
    ['Europe/Madrid', '2026-10-26T10:00:00Z', '2026-10-25T00:00:00+02:00'],
    [null, '2026-11-15T09:30:00Z', '2026-11-14T00:00:00+00:00'],
  ])('datetime_string in %s at %s is the date covered, at midnight', (zone, at, text) => {
    const moment = Date.parse(at);
    const days = daysUpTo(profileDate(moment, zone), 7, { zone: zone ?? 'UTC' });
    const { metadata, demographics } = dataOf(days, null, { at: moment, demographics: { ...WHO, zone } });
    expect(metadata.datetime_string).toBe(text);
    expect(demographics.utc_offset_seconds_int === null).toBe(zone === null);
  });
});

describe('2.7 user_profile_data.demographics', () => {
  test('says what is known', () => {
    expect(dataOf(MONTH).demographics).toEqual({
      sex_string: 'female',
      birth_year_int: 1980,
      country_string: 'ES',
      utc_offset_seconds_int: 3_600,
    });
  });
  test('each is null where it is not', () => {
    const demographics = { sex: null, birthYear: null, country: null, zone: null };
    const { payload } = built(MONTH, null, { demographics });
    expect(Object.values(payload.user_profile_data.demographics)).toEqual([null, null, null, null]);
    accepted(payload);
  });
});

describe('2.7 domains', () => {
  test('are the five, each with its four fields', () => {
    const { profiles } = dataOf(MONTH);
    expect(Object.keys(profiles)).toEqual([...DOMAINS]);
    for (const name of DOMAINS)
      expect(Object.keys(profiles[name]).sort()).toEqual(['level_string', 'metrics', 'score_int', 'trend_string']);
  });

  test.each([
    [
      'activity',
      90,
      {
        confidence_score_int: 100,
        daily_steps_avg_int: 9_500,
        active_avg_minutes_int: 50,
        activity_calories_avg_kcal_float: 420,
        activity_frequency_int: 7,
      },
    ],
    [
      'sleep',
      100,
      {
        confidence_score_int: 100,
        sleep_duration_avg_hours_float: 7.5,
        sleep_efficiency_1_100_avg_int: 94,
        time_in_bed_avg_hours_float: 8,
        sleep_consistency_dict: {
          score_int: 100,
          start: { variability_int: 0, typical_interval_array: ['23:15', '23:15'] },
          end: { variability_int: 0, typical_interval_array: ['07:00', '07:00'] },
        },
      },
    ],
    [
      'cardio',
      84,
      {
        confidence_score_int: 100,
        hr_resting_avg_int: 60,
        hrv_avg_float: 50,
        hrv_type_string: 'rmssd',
        active_duration_avg_seconds_float: 3_000,
        hr_max_avg_int: 150,
        hr_min_avg_int: 52,
      },
    ],
    [
      'recovery',
      88,
      {
        confidence_score_int: 100,
        hr_resting_avg_int: 60,
        hrv_avg_float: 50,
        hrv_type_string: 'rmssd',
        hrv_baseline_delta_float: 0,
        sleep_debt_hours_float: 0,
      },
    ],
    ['body', 98, { confidence_score_int: 100 }],
  ] as const)(
    '%s of good days has score %i and its metric fields, of which body shows none',
    (name, score, metrics) => {
      expect(dataOf(MONTH).profiles[name]).toEqual({
        score_int: score,
        level_string: 'Optimal',
        trend_string: null,
        metrics,
      });
    },
  );

  test.each([
    ['activity', { physical: null }],
    ['sleep', { sleep: null }],
    ['cardio', { body: { restingHeartRate: null, hrvMs: null } }],
    ['recovery', { body: { restingHeartRate: null, hrvMs: null }, sleep: null }],
    ['body', { body: NO_BODY }],
  ] as const)('%s that cannot be computed is null', (name, parts) => {
    const { payload } = built(daysUpTo(DATE, 7, parts));
    expect(payload.user_profile_data.profiles[name]).toEqual({
      score_int: null,
      level_string: null,
      trend_string: null,
      metrics: null,
    });
    accepted(payload);
  });

  test('of fewer than three days cannot be computed', () => {
    const some = (count: number) =>
      dataOf(daysUpTo(DATE, 7, (_, i) => (i < count ? {} : { physical: null }))).profiles.activity.score_int;
    expect(some(2)).toBeNull();
    expect(some(3)).not.toBeNull();
  });

  test('heart rate variability is of the kind that more days have, and the two are not averaged', () => {
    const parts = (_: string, i: number): DayParts =>
      i < 3
        ? { body: { hrvMs: 90 }, sourceOf: { 'body.hrvMs': 'IosHealth' } }
        : { body: { hrvMs: 40 }, sourceOf: { 'body.hrvMs': 'RingWearable' } };
    expect(dataOf(daysUpTo(DATE, 7, parts)).profiles.cardio.metrics).toMatchObject({
      hrv_avg_float: 40,
      hrv_type_string: 'rmssd',
    });
    const ios = daysUpTo(DATE, 7, { sourceOf: { 'body.hrvMs': 'IosHealth' } });
    expect(dataOf(ios).profiles.cardio.metrics).toMatchObject({ hrv_type_string: 'sdnn' });
  });

  test('hrv_baseline_delta_float is the change from what was usual before the week; null where that is not known', () => {
    const days = daysUpTo(DATE, 30, (date) => ({ body: { hrvMs: date > '2026-11-07' ? 41.5 : 50 } }));
    expect(dataOf(days).profiles.recovery.metrics?.hrv_baseline_delta_float).toBe(-8.5);
    expect(dataOf(days.slice(-10)).profiles.recovery.metrics?.hrv_baseline_delta_float).toBeNull();
  });

  test('sleep_debt_hours_float is what the nights of the week lack', () => {
    const days = daysUpTo(DATE, 7, { sleep: { durationS: 6 * 3_600 } });
    expect(dataOf(days).profiles.recovery.metrics?.sleep_debt_hours_float).toBe(10.5);
  });

  test.each([
    [100, 'Optimal'],
    [80, 'Optimal'],
    [79, 'Good'],
    [65, 'Good'],
    [64, 'Moderate'],
    [50, 'Moderate'],
    [49, 'Poor'],
    [30, 'Poor'],
    [29, 'Critical'],
    [0, 'Critical'],
  ])('health level of %i is %s', (score, level) => {
    expect(levelOf(score)).toBe(level);
  });

  test('a bad week has bad scores', () => {
    const bad = daysUpTo(DATE, 7, {
      body: { restingHeartRate: 96, hrvMs: 10, bmi: 38, systolic: 165, diastolic: 106, spo2: 87 },
      physical: { steps: 900, activeSeconds: 100, activeKcal: 20 },
      sleep: { durationS: 4 * 3_600, inBedS: 7 * 3_600 },
    });
    const { profiles, overall } = dataOf(bad);
    expect(DOMAINS.map((name) => [name, profiles[name].level_string])).toEqual([
      ['activity', 'Critical'],
      ['sleep', 'Critical'],
      ['cardio', 'Critical'],
      ['recovery', 'Poor'],
      ['body', 'Critical'],
    ]);
    expect(overall.category_string).toBe('Critical');
    accepted(built(bad).payload);
  });
});

describe('2.7 confidence_score_int', () => {
  test('a metric that is missing lowers confidence and not the score', () => {
    const all = dataOf(MONTH).profiles.activity;
    const fewer = dataOf(daysUpTo(DATE, 30, { physical: { activeKcal: null } })).profiles.activity;
    expect(fewer.metrics?.confidence_score_int).toBeLessThan(all.metrics?.confidence_score_int ?? 0);
    expect(fewer.score_int).toBeGreaterThanOrEqual(all.score_int ?? 0);
    expect(fewer.metrics?.activity_calories_avg_kcal_float).toBeNull();
  });
  test('a high score with low confidence is valid', () => {
    const { score_int: score, metrics } = dataOf(
      daysUpTo(DATE, 7, (_, i) => (i < 4 ? NOTHING : { physical: { activeSeconds: null, activeKcal: null } })),
    ).profiles.activity;
    expect(score).toBe(97);
    expect(metrics?.confidence_score_int).toBeLessThan(20);
  });
  test('a night that is not complete counts half', () => {
    const half = dataOf(daysUpTo(DATE, 7, { sleep: { isComplete: false } })).profiles.sleep;
    expect(half).toMatchObject({ score_int: 100, metrics: { confidence_score_int: 50 } });
  });
});

describe('2.7 sleep_consistency_dict', () => {
  const nights = (starts: readonly string[], zone = ZONE): DaySummary[] =>
    starts.map((start, i) => {
      const date = dateAfter('2026-11-08', i);
      const evening = start >= '12:00' ? dateAfter(date, -1) : date;
      return aDay(date, {
        zone,
        sleep: { startedAt: wall(`${evening}T${start}:00`, zone), endedAt: wall(`${date}T07:00:00`, zone) },
      });
    });

  test('times on both sides of midnight meet at midnight, not at noon', () => {
    expect(sleepConsistencyOf(nights(['23:30', '00:30', '23:30', '00:30']))?.start).toEqual({
      variability_int: 30,
      typical_interval_array: ['23:30', '00:30'],
    });
  });
  test.each(['Asia/Kolkata', 'America/Los_Angeles', 'Pacific/Auckland'])(
    'is by the clock on the wall in %s',
    (zone) => {
      expect(sleepConsistencyOf(nights(['22:00', '22:30', '23:00'], zone))?.start.typical_interval_array).toEqual([
        '22:05',
        '22:55',
      ]);
    },
  );
  test('does not change where clocks do', () => {
    const days = daysUpTo('2026-10-28', 7);
    expect(sleepConsistencyOf(days)).toMatchObject({
      score_int: 100,
      end: { typical_interval_array: ['07:00', '07:00'] },
    });
  });
  test('of fewer than three nights is null', () => {
    expect(sleepConsistencyOf(nights(['22:00', '22:30']))).toBeNull();
  });
  test('turned by any number of minutes is as regular as before', () => {
    const times = fc.array(fc.integer({ min: -90, max: 90 }), { minLength: 3, maxLength: 7 });
    const nightsAt = (minutes: readonly number[]) =>
      minutes.map((minute, i) => {
        const startedAt = Date.parse('2026-11-08T12:00:00Z') + i * 86_400_000 + minute * 60_000;
        return aDay(dateAfter('2026-11-09', i), {
          zone: 'UTC',
          sleep: { startedAt, endedAt: startedAt + 8 * 3_600_000 },
        });
      });
    fc.assert(
      fc.property(times, fc.integer({ min: 0, max: 1_439 }), (minutes, turn) => {
        const here = sleepConsistencyOf(nightsAt(minutes));
        const there = sleepConsistencyOf(nightsAt(minutes.map((one) => one + turn)));
        expect(Math.abs((there?.start.variability_int ?? 0) - (here?.start.variability_int ?? 0))).toBeLessThanOrEqual(
          1,
        );
        for (const one of [
          ...(there?.start.typical_interval_array ?? []),
          ...(there?.end.typical_interval_array ?? []),
        ])
          expect(one).toMatch(/^([01]\d|2[0-3]):[0-5]\d$/);
      }),
    );
  });
});

describe('2.7 trend_string', () => {
  const better = daysUpTo(DATE, 7);
  const worse = daysUpTo(DATE, 7, { physical: { steps: 3_000 }, sleep: { durationS: 5 * 3_600 } });
  test('is null without a profile before', () => {
    const { profiles, overall } = dataOf(better);
    expect([...DOMAINS.map((name) => profiles[name].trend_string), overall.trend_string]).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
  });
  test('is improving where the score rose, else stable: only these two occur', () => {
    const up = dataOf(better, built(worse).state);
    expect([up.profiles.activity.trend_string, up.profiles.cardio.trend_string, up.overall.trend_string]).toEqual([
      'improving',
      'stable',
      'improving',
    ]);
    expect(dataOf(worse, built(better).state).profiles.activity.trend_string).toBe('stable');
  });
  test('is null where the profile before had no score', () => {
    const before = built(daysUpTo(DATE, 7, { physical: null })).state;
    expect(dataOf(better, before).profiles.activity.trend_string).toBeNull();
  });
});

describe('2.7 overall', () => {
  test('combines the domains that are available', () => {
    const data = dataOf(daysUpTo(DATE, 7, { body: null, sleep: null, physical: { steps: 4_000 } }));
    expect(data.overall.health_score_int).toBe(data.profiles.activity.score_int);
    expect(data.overall.category_string).toBe(data.profiles.activity.level_string);
    expect(data.overall.confidence_score_int).toBe(
      Math.round((data.profiles.activity.metrics?.confidence_score_int ?? 0) / 5),
    );
  });
});

describe('2.7 observations', () => {
  const one = (parts: Partial<Candidate>): Candidate => ({
    topic: 'a',
    stance: 'well',
    text: 'text',
    confidence: 50,
    ...parts,
  });
  test('two about the same thing are one: the one with more data behind it', () => {
    expect(resolve([one({ text: 'first' }), one({ text: 'second', confidence: 80 }), one({ topic: 'b' })])).toEqual([
      one({ text: 'second', confidence: 80 }),
      one({ topic: 'b' }),
    ]);
  });
  test('of two that contradict each other, caution stays', () => {
    const caution = one({ stance: 'watch', confidence: 10 });
    expect(resolve([one({}), caution])).toEqual([caution]);
    expect(resolve([caution, one({})])).toEqual([caution]);
  });
  test('short nights and the debt that they make are said once', () => {
    const { observations } = dataOf(daysUpTo(DATE, 7, { sleep: { durationS: 5 * 3_600, inBedS: 5.5 * 3_600 } }));
    expect(observations.filter(({ text_string: text }) => /hours of sleep|sleep debt/.test(text))).toEqual([
      { text_string: 'Nights average 5 hours of sleep, less than recommended.', confidence_int: 100 },
    ]);
  });
  test('have as confidence the coverage of the data behind them, and no maximum count', () => {
    const { observations } = dataOf(daysUpTo(DATE, 30, (_, i) => (i % 2 === 0 ? { body: null } : {})));
    expect(observations.find(({ text_string: text }) => text.startsWith('Weight'))?.confidence_int).toBe(57);
    expect(observations.find(({ text_string: text }) => text.startsWith('Daily steps'))?.confidence_int).toBe(100);
    expect(observations.length).toBeGreaterThanOrEqual(5);
  });
});

describe('6 user_profile', () => {
  test('is emitted when there is enough data for at least one domain', () => {
    const { payload } = built(daysUpTo(DATE, 3, { body: null, physical: null }));
    expect(DOMAINS.filter((name) => payload.user_profile_data.profiles[name].score_int !== null)).toEqual([
      'sleep',
      'recovery',
    ]);
    accepted(payload);
  });
  test.each([
    ['no days', []],
    ['days without data', daysUpTo(DATE, 30, NOTHING)],
    ['too few days', daysUpTo(DATE, 2)],
    ['only older days', daysUpTo('2026-11-07', 20)],
    ['only the day that is not over', [aDay('2026-11-15')]],
  ])('is not with %s', (_, days) => {
    expect(build(days)).toBeNull();
  });
});

describe('8 profile analysis window', () => {
  test('is the previous seven days', () => {
    const week = daysUpTo(DATE, 7);
    const around = [
      ...daysUpTo('2026-11-07', 3, { physical: { steps: 100 } }),
      ...week,
      aDay('2026-11-15', { physical: { steps: 100 } }),
    ];
    expect(dataOf(around).profiles.activity).toEqual(dataOf(week).profiles.activity);
  });
});

describe('9 user_profile', () => {
  test('version is 1; document_version increases each time the profile is recalculated', () => {
    const versions: [number, number][] = [];
    let state: ProfileState | null = null;
    for (let i = 0; i < 3; i += 1) {
      const made: { readonly payload: ProfilePayload; readonly state: ProfileState } = built(MONTH, state);
      versions.push([made.payload.version, made.payload.document_version]);
      state = JSON.parse(JSON.stringify(made.state)) as ProfileState;
    }
    expect(versions).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
    ]);
  });
});

describe('any week', () => {
  const maybe = (min: number, max: number) => fc.option(fc.double({ min, max, noNaN: true }), { freq: 4 });
  const body = fc.record({
    bmi: maybe(10, 60),
    systolic: maybe(60, 230),
    diastolic: maybe(30, 140),
    restingHeartRate: maybe(25, 130),
    hrvMs: maybe(0, 300),
    spo2: maybe(50, 100),
  });
  const physical = fc.record({
    steps: maybe(0, 60_000),
    maxHeartRate: maybe(60, 220),
    minHeartRate: maybe(30, 110),
    activeSeconds: maybe(0, 40_000),
    activeKcal: maybe(0, 6_000),
  });
  const sleep = fc.record({ durationS: maybe(0, 60_000), inBedS: maybe(0, 70_000), isComplete: fc.boolean() });
  const parts = fc.record({
    body: fc.option(body, { freq: 5 }),
    physical: fc.option(physical, { freq: 5 }),
    sleep: fc.option(sleep, { freq: 5 }),
  });
  const month = fc.array(parts, { minLength: 7, maxLength: 30 });
  const daysOf = (all: readonly DayParts[]) => daysUpTo(DATE, all.length, (_, i) => all[i] ?? {});

  test('gives a payload that the gateway takes, with scores and confidences from 0 to 100 and levels that agree', () => {
    let given = 0;
    fc.assert(
      fc.property(month, (all) => {
        const made = build(daysOf(all));
        if (made === null) return;
        given += 1;
        accepted(made.payload);
        const { profiles, overall } = made.payload.user_profile_data;
        for (const name of DOMAINS) {
          const { score_int: score, level_string: level, metrics } = profiles[name];
          expect(score === null).toBe(metrics === null);
          expect(level).toBe(score === null ? null : levelOf(score));
          for (const number of [score ?? 0, metrics?.confidence_score_int ?? 0, overall.health_score_int]) {
            expect(Number.isInteger(number)).toBe(true);
            expect(number).toBeGreaterThanOrEqual(0);
            expect(number).toBeLessThanOrEqual(100);
          }
        }
        expect(JSON.stringify(made.payload)).not.toMatch(/\d\.\d{3,}/);
      }),
      { numRuns: 40 },
    );
    expect(given).toBeGreaterThan(10);
  });

  const FIELDS = [
    'body.bmi',
    'body.systolic',
    'body.hrvMs',
    'body.restingHeartRate',
    'body.spo2',
    'physical.steps',
  ] as const;
  const MORE = [
    'physical.activeSeconds',
    'physical.activeKcal',
    'physical.maxHeartRate',
    'sleep.inBedS',
    'sleep.durationS',
  ] as const;
  test('from which a metric is taken away never has a lower score, nor a higher confidence', () => {
    fc.assert(
      fc.property(month, fc.constantFrom(...FIELDS, ...MORE), (all, field) => {
        const [group, metric] = field.split('.') as ['body' | 'physical' | 'sleep', string];
        const less = all.map((day) =>
          day[group] === null ? day : { ...day, [group]: { ...day[group], [metric]: null } },
        );
        const [before, after] = [build(daysOf(all)), build(daysOf(less))];
        for (const name of DOMAINS) {
          const was = before?.payload.user_profile_data.profiles[name];
          const is = after?.payload.user_profile_data.profiles[name];
          if (is === undefined || is.score_int === null) continue;
          expect(is.score_int).toBeGreaterThanOrEqual(was?.score_int ?? 0);
          expect(is.metrics?.confidence_score_int).toBeLessThanOrEqual(was?.metrics?.confidence_score_int ?? 0);
        }
      }),
    );
  });
});
