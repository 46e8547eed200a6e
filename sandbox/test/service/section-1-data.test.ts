import { describe, expect, test } from '@jest/globals';
import {
  addDays,
  dayBounds,
  daysOf,
  localDateOf,
  makePerson,
  SOURCE_TRAITS,
  traitsOfSource,
  type BodyReadings,
  type PhysicalReadings,
  type SleepReadings,
  type SourceDay,
} from '../../population/index.ts';
import {
  buildGranularEvents,
  buildHealthScore,
  cleanDay,
  healthScoreOf,
  nextClinicalReady,
  nextDailySummary,
  asSentSummary,
  preExistingOf,
  SUMMARY_GROUPS,
} from '../../summaries/index.ts';

const ABOUT = { clientUuid: 'client-1', userId: 'user-1' };
const ON = { isCleaning: true, isTimeZone: true };
const NO_BODY: BodyReadings = {
  weightKg: null,
  heightCm: null,
  bmi: null,
  systolic: null,
  diastolic: null,
  restingHeartRate: null,
  hrvMs: null,
  spo2: null,
  caloricIntakeKcal: null,
};
const NO_PHYSICAL: PhysicalReadings = {
  steps: null,
  distanceM: null,
  averageHeartRate: null,
  maxHeartRate: null,
  minHeartRate: null,
  vo2max: null,
  spo2: null,
  activeSeconds: null,
  activeKcal: null,
};
const START = Date.parse('2026-03-08T05:00:00Z');
/** The day on which New York puts its clocks forward. */
const DAY: SourceDay = {
  dataSource: 'RingWearable',
  date: '2026-03-08',
  zone: 'America/New_York',
  startsAt: START,
  endsAt: START + 23 * 3_600_000,
  revision: 1,
  syncedAt: START + 25 * 3_600_000,
  body: null,
  physical: null,
  sleep: null,
  samples: [],
  hourlySteps: [],
};
const NIGHT: SleepReadings = {
  startedAt: START - 3_600_000,
  endedAt: START + 6 * 3_600_000,
  durationS: 24_000,
  inBedS: 25_200,
  remS: 5_000,
  deepS: 4_000,
  lightS: 15_000,
  awakeS: 900,
  breathingRate: 15,
  spo2: 96,
  latencyS: 300,
  isComplete: true,
};
const body = (dataSource: string, readings: Partial<BodyReadings>, more: Partial<SourceDay> = {}): SourceDay => ({
  ...DAY,
  dataSource,
  body: { ...NO_BODY, ...readings },
  ...more,
});
const night = (dataSource: string, readings: Partial<SleepReadings>, more: Partial<SourceDay> = {}): SourceDay => ({
  ...DAY,
  dataSource,
  sleep: { ...NIGHT, ...readings },
  ...more,
});

describe('1 Time Zone', () => {
  const periodWith = (isTimeZone: boolean, more: Partial<SourceDay> = {}): unknown => {
    const summary = cleanDay([body('RingWearable', { restingHeartRate: 60 }, more)], { isCleaning: true, isTimeZone });
    if (summary === null) throw new Error('no summary');
    const payload = nextClinicalReady(null, { about: ABOUT, summary, group: 'body', at: DAY.syncedAt, deviceOf: null });
    const [, entry] = payload?.clinical_ready.clinical_ready_data.entry ?? [];
    return entry?.resource.resourceType === 'Observation' ? entry.resource.effectivePeriod : null;
  };

  test('active: the day is that of the local time zone, 23 hours long where it is', () => {
    expect(periodWith(true)).toEqual({ start: '2026-03-08T00:00:00-05:00', end: '2026-03-08T23:59:59-04:00' });
  });

  test.each([
    ['Asia/Kolkata', '2026-07-01', 24, '2026-07-01T00:00:00+05:30', '2026-07-01T23:59:59+05:30'],
    ['America/St_Johns', '2026-11-01', 25, '2026-11-01T00:00:00-02:30', '2026-11-01T23:59:59-03:30'],
    ['Pacific/Chatham', '2026-09-27', 23, '2026-09-27T00:00:00+12:45', '2026-09-27T23:59:59+13:45'],
    ['Australia/Lord_Howe', '2026-10-04', 23.5, '2026-10-04T00:00:00+10:30', '2026-10-04T23:59:59+11:00'],
    ['Africa/Cairo', '2026-04-24', 23, '2026-04-24T01:00:00+03:00', '2026-04-24T23:59:59+03:00'],
    ['Africa/Cairo', '2026-10-29', 25, '2026-10-29T00:00:00+03:00', '2026-10-29T23:59:59+02:00'],
  ])('active: in %s %s has %d hours', (zone, date, hours, start, end) => {
    const bounds = dayBounds(zone, date);
    expect((bounds.endsAt - bounds.startsAt) / 3_600_000).toBe(hours);
    expect(periodWith(true, { zone, date, ...bounds })).toEqual({ start, end });
  });

  test('not active: the day is that of UTC', () => {
    expect(periodWith(false)).toEqual({ start: '2026-03-08T00:00:00+00:00', end: '2026-03-08T23:59:59+00:00' });
  });
});

describe('1 Data Cleaning', () => {
  const later = { syncedAt: DAY.syncedAt + 1 };

  test('active: several sources, one value, by priority', () => {
    const days = [body('IosHealth', { weightKg: 81, hrvMs: 40 }, later), body('ConnectedScale', { weightKg: 80 })];
    expect(cleanDay(days, ON)).toMatchObject({
      body: { weightKg: 80, hrvMs: 40 },
      sources: ['ConnectedScale', 'IosHealth'],
      sourceOf: { 'body.weightKg': 'ConnectedScale', 'body.hrvMs': 'IosHealth' },
    });
  });

  test('active: a value that no body gives counts for nothing, and the next source is asked', () => {
    const days = [body('RingWearable', { restingHeartRate: 231 }), body('IosHealth', { restingHeartRate: 62 })];
    expect(cleanDay(days, ON)?.body?.restingHeartRate).toBe(62);
    expect(cleanDay(days.slice(0, 1), ON)).toBeNull();
  });

  test('active: both pressures are of one cuff', () => {
    const days = [
      body('ConnectedScale', { systolic: 120, diastolic: null }),
      body('IosHealth', { systolic: 131, diastolic: 84 }),
      body('AndroidHealth', { systolic: 125, diastolic: 80 }),
    ];
    expect(cleanDay(days, ON)?.body).toMatchObject({ systolic: 131, diastolic: 84 });
    expect(cleanDay([body('ConnectedScale', { systolic: 120, diastolic: 125 })], ON)).toBeNull();
  });

  test('active: the stages of a night are of one source, and a whole night goes before a part', () => {
    const part = night('RingWearable', {
      durationS: 9_000,
      remS: 1_000,
      deepS: 2_000,
      lightS: 6_000,
      isComplete: false,
    });
    const whole = night('FitnessBand', { breathingRate: null });
    const summary = cleanDay([part, whole], ON);
    expect(summary?.sleep).toMatchObject({
      durationS: 24_000,
      remS: 5_000,
      deepS: 4_000,
      lightS: 15_000,
      isComplete: true,
    });
    expect(summary?.sourceOf).toMatchObject({
      'sleep.durationS': 'FitnessBand',
      'sleep.breathingRate': 'RingWearable',
    });
    expect(cleanDay([part], ON)?.sleep?.isComplete).toBe(false);
  });

  test('not active: the value of the source that synced last, plausible or not', () => {
    const days = [
      body('IosHealth', { weightKg: 310, hrvMs: null }, later),
      body('ConnectedScale', { weightKg: 80, hrvMs: 33 }),
    ];
    expect(cleanDay(days, { ...ON, isCleaning: false })?.body).toMatchObject({ weightKg: 310, hrvMs: 33 });
  });

  test('a later revision of a source replaces the earlier whole', () => {
    const days = [
      body('ConnectedScale', { weightKg: 80, bmi: 25 }),
      body('ConnectedScale', { weightKg: 79.5 }, { ...later, revision: 2 }),
    ];
    for (const isCleaning of [true, false])
      expect(cleanDay(days, { ...ON, isCleaning })?.body).toMatchObject({ weightKg: 79.5, bmi: null });
  });
});

describe('1 Activate Granular Data', () => {
  const SAMPLES: SourceDay['samples'] = [
    { kind: 'heart_rate', at: START, values: [61] },
    { kind: 'hrv', at: START, values: [42.5] },
    { kind: 'blood_pressure', at: START, values: [121, 79] },
    { kind: 'heart_rate', at: START + 60_000, values: [62] },
  ];
  const eventsOf = (dataSource: string, isTimeZone = true) =>
    buildGranularEvents({ about: ABOUT, day: { ...DAY, dataSource }, samples: SAMPLES, isTimeZone, device: null });

  test.each([
    ['heart rate', 'heart_rate_event', [{ hr_bpm_int: 61 }, { hr_bpm_int: 62 }]],
    ['heart rate variability', 'heart_rate_variability_event', [{ hrv_ms_float: 42.5 }]],
    ['blood pressure', 'blood_pressure_event', [{ systolic_mmhg_int: 121, diastolic_mmhg_int: 79 }]],
  ])('%s', (_, name, values) => {
    const payload = eventsOf('ConnectedScale').find(({ data_structure: structure }) => structure === name);
    expect(payload).toMatchObject({ client_uuid: 'client-1', user_id: 'user-1', document_version: 1 });
    expect(payload?.body_health.events[name]).toMatchObject(values);
    expect(payload?.body_health.events[name]?.[0]).toMatchObject({
      metadata: { datetime_string: '2026-03-08T00:00:00-05:00', sources_of_data_array: ['ConnectedScale'] },
    });
  });

  test('a phone says body_ before them', () => {
    expect(eventsOf('IosHealth').map(({ data_structure: name }) => name)).toEqual([
      'body_blood_pressure_event',
      'body_heart_rate_event',
      'body_heart_rate_variability_event',
    ]);
  });

  test('without Time Zone their times are in UTC', () => {
    expect(JSON.stringify(eventsOf('IosHealth', false))).toContain('2026-03-08T05:00:00+00:00');
  });
});

describe('1 daily summaries', () => {
  const summary = cleanDay([body('RingWearable', { hrvMs: 40 })], ON);
  if (summary === null) throw new Error('no summary');

  test('say what has no service code as well, and come again only when they change', () => {
    const first = nextDailySummary(null, { about: ABOUT, summary, group: 'body' });
    if (first === null) throw new Error('no payload');
    expect(first).toMatchObject({
      data_structure: 'body_summary',
      document_version: 1,
      summary: { hrv_avg_ms_float: 40 },
    });
    expect(nextDailySummary(asSentSummary(first), { about: ABOUT, summary, group: 'body' })).toBeNull();
    const changed = { ...summary, body: { ...NO_BODY, hrvMs: 41 } };
    expect(
      nextDailySummary(asSentSummary(first), { about: ABOUT, summary: changed, group: 'body' })?.document_version,
    ).toBe(2);
    expect(nextDailySummary(null, { about: ABOUT, summary, group: 'physical' })).toBeNull();
  });

  test('of sleep give the night in local time', () => {
    const slept = cleanDay([night('RingWearable', {})], ON);
    expect(slept && nextDailySummary(null, { about: ABOUT, summary: slept, group: 'sleep' })).toMatchObject({
      data_structure: 'sleep_summary',
      summary: {
        sleep_start_datetime_string: '2026-03-07T23:00:00-05:00',
        sleep_end_datetime_string: '2026-03-08T07:00:00-04:00',
      },
    });
  });
});

describe('1 Pre-Existing Data', () => {
  const connectedAt = Date.parse('2026-06-20T15:00:00Z');
  const people = Array.from({ length: 30 }, (_, n) => makePerson(5, n));
  const first = (dataSource: string, person = makePerson(5, 0), more = {}) =>
    preExistingOf({ seed: 5, person, dataSource, connectedAt, isAccountLinkedBefore: false, granted: null, ...more });
  const API = Object.keys(SOURCE_TRAITS).filter((name) => traitsOfSource(name)?.kind === 'api');
  const MOBILE = Object.keys(SOURCE_TRAITS).filter((name) => traitsOfSource(name)?.kind === 'mobile');

  test.each([...API.map((name) => [name, 7] as const), ...MOBILE.map((name) => [name, 29] as const)])(
    '%s: up to %i days, all before the day of the connection, as the source knew them then',
    (name, most) => {
      const counts = people.map((person) => {
        const days = first(name, person);
        const today = localDateOf(days[0]?.zone ?? person.zone, connectedAt);
        for (const day of days) {
          expect(day.date < today || day.zone !== days[0]?.zone).toBe(true);
          expect(day.date >= addDays(today, -most - 1)).toBe(true);
          expect(day.syncedAt).toBeLessThanOrEqual(connectedAt);
        }
        expect(days.map(({ date }) => date)).toEqual([...new Set(days.map(({ date }) => date))].sort());
        return days.length;
      });
      expect(Math.max(...counts)).toBeLessThanOrEqual(most);
      expect(Math.max(...counts)).toBeGreaterThan(most - 3);
    },
  );

  test('a health score for each extracted day', () => {
    const days = first('IosHealth');
    expect(days.length).toBeGreaterThan(20);
    for (const day of days) {
      const summary = cleanDay([day], ON);
      const score = summary && healthScoreOf(summary);
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(100);
      expect(summary && buildHealthScore(ABOUT, summary)).toMatchObject({
        data_structure: 'health_score',
        document_version: 1,
        health_score: { health_score_int: score },
      });
    }
  });

  test('a day of which nothing is known has no score', () => {
    const summary = cleanDay([{ ...DAY, physical: { ...NO_PHYSICAL, vo2max: 40 } }], ON);
    expect(summary && healthScoreOf(summary)).toBeNull();
    expect(summary && buildHealthScore(ABOUT, summary)).toBeNull();
  });

  test('the same JSON structure as summaries', () => {
    const [day] = first('IosHealth');
    const summary = day === undefined ? null : cleanDay([day], ON);
    if (day === undefined || summary === null) throw new Error('no day');
    const sent = SUMMARY_GROUPS.map((group) =>
      nextClinicalReady(null, { about: ABOUT, summary, group, at: connectedAt, deviceOf: null }),
    );
    expect(sent.map((payload) => payload?.data_structure)).toEqual([
      'clinical_ready',
      'clinical_ready',
      'clinical_ready',
    ]);
  });

  test('the sports-watch vendor supplies no physical or body summaries', () => {
    const days = people.flatMap((person) => first('SportsWatch', person));
    expect(days.length).toBeGreaterThan(100);
    for (const day of days) expect(day).toMatchObject({ body: null, physical: null });
    expect(days.some(({ sleep }) => sleep !== null)).toBe(true);
    // Only before the connection: afterwards it does.
    expect(daysOf(5, makePerson(5, 0), 'SportsWatch', '2026-06-25').at(-1)?.physical).not.toBeNull();
  });

  test('the strap-wearable vendor returns the most recent body summary for all of the seven days', () => {
    for (const person of people) {
      const days = first('StrapWearable', person);
      const own = days.flatMap(({ date }) =>
        daysOf(5, person, 'StrapWearable', date)
          .filter(({ syncedAt }) => syncedAt <= connectedAt)
          .slice(-1),
      );
      const recent = own.findLast((day) => day.body !== null)?.body ?? null;
      expect(days.map((day) => day.body)).toEqual(days.map(() => recent));
    }
  });

  test('the GPS-watch vendor sends them only on the first link of an account within a client', () => {
    expect(first('GpsWatch').length).toBeGreaterThan(0);
    expect(first('GpsWatch', makePerson(5, 0), { isAccountLinkedBefore: true })).toEqual([]);
    expect(first('RingWearable', makePerson(5, 0), { isAccountLinkedBefore: true }).length).toBeGreaterThan(0);
  });

  test('what was not permitted on the phone is not in them', () => {
    const days = first('IosHealth', makePerson(5, 0), { granted: ['sleep'] });
    for (const day of days) expect(day).toMatchObject({ body: null, physical: null, samples: [] });
    expect(days.some(({ sleep }) => sleep !== null)).toBe(true);
  });
});
