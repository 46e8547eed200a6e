import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { HOMES } from '../../population/homes.ts';
import {
  addDays,
  clockAheadDays,
  dayBounds,
  daysOf,
  deviceOf,
  HAZARDS,
  illnessOn,
  dayNumber,
  localDateOf,
  localTime,
  makePerson,
  misfile,
  permit,
  SOURCE_TRAITS,
  truthOf,
  zoneOn,
  type Hazard,
  type SourceDay,
} from '../../population/index.ts';
import { cleanDay } from '../../summaries/index.ts';
import { howMany } from '../../../test/support/how-much.ts';

const HOUR_MS = 3_600_000;
const SOURCES = Object.keys(SOURCE_TRAITS);
const seed = fc.integer({ min: 0, max: 0x7fff_ffff });
const n = fc.integer({ min: 0, max: 5_000 });
const source = fc.constantFrom(...SOURCES);
const date = fc.integer({ min: 0, max: 1_500 }).map((days) => addDays('2024-01-01', days));
const question = fc.tuple(seed, n, source, date);
const ask = ([s, number, name, day]: readonly [number, number, string, string]): readonly SourceDay[] =>
  daysOf(s, makePerson(s, number), name, day);

/** People, their sources and a month of days. */
function* month(people: number, from = '2026-03-10', days = 30, world = 7): Generator<readonly SourceDay[]> {
  for (let number = 0; number < people; number += 1) {
    const person = makePerson(world, number);
    for (let i = 0; i < days; i += 1)
      for (const name of person.dataSources) yield daysOf(world, person, name, addDays(from, i));
  }
}
const MONTH = [...month(60)];
const LAST = MONTH.flatMap((revisions) => revisions.slice(-1));
const numbersIn = (value: unknown): number[] =>
  typeof value === 'number'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(numbersIn)
      : [];

describe('what is asked for', () => {
  test('is the same again, in whatever order it is asked', () => {
    fc.assert(
      fc.property(fc.array(question, { minLength: 2, maxLength: 8 }), (questions) => {
        const forward = questions.map(ask);
        const backward = [...questions].reverse().map(ask).reverse();
        expect(backward).toEqual(forward);
      }),
    );
  });

  test('is another in another world, for another person and on another day', () => {
    const text = (...args: Parameters<typeof daysOf>): string => JSON.stringify(daysOf(...args));
    const person = makePerson(1, 0);
    const one = text(1, person, 'IosHealth', '2026-05-05');
    expect(text(2, person, 'IosHealth', '2026-05-05')).not.toBe(one);
    expect(text(1, { ...person, n: 1 }, 'IosHealth', '2026-05-05')).not.toBe(one);
    expect(text(1, person, 'IosHealth', '2026-05-06')).not.toBe(one);
  });

  test('of a data source that there is not, is nothing', () => {
    expect(daysOf(1, makePerson(1, 0), 'constructor', '2026-05-05')).toEqual([]);
  });
});

describe('the revisions of a day', () => {
  test('rise from 1, each later than the one before and all after the end of the day by the clock of the device', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const revisions = ask(asked);
        const [world, number] = asked;
        // A day more: where clocks are changed meanwhile, days are not of one length.
        const aheadMs =
          makePerson(world, number).hazard === 'clock-ahead' ? (clockAheadDays('clock-ahead') + 1) * 24 * HOUR_MS : 0;
        expect(revisions.map(({ revision }) => revision)).toEqual(revisions.map((_, i) => i + 1));
        for (const [i, day] of revisions.entries())
          expect(day.syncedAt).toBeGreaterThan(revisions[i - 1]?.syncedAt ?? day.endsAt - aheadMs);
      }),
      { numRuns: howMany(150, 500) },
    );
  });

  test('differ from each other, but not in samples and hourly steps', () => {
    const several = MONTH.filter((revisions) => revisions.length > 1);
    expect(several.length).toBeGreaterThan(100);
    for (const [i, revisions] of several.entries()) {
      const said = revisions.map(({ body, physical, sleep }) => JSON.stringify({ body, physical, sleep }));
      expect([i, new Set(said).size]).toEqual([i, said.length]);
      expect(new Set(revisions.map(({ samples }) => samples)).size).toBe(1);
      expect(new Set(revisions.map(({ hourlySteps }) => hourlySteps)).size).toBe(1);
    }
  });
});

describe('the local day', () => {
  const zones = fc.constantFrom(...HOMES.map(({ zone }) => zone));

  test('has 23, 24 or 25 hours, and the next begins where it ends', () => {
    fc.assert(
      fc.property(zones, date, (zone, day) => {
        const { startsAt, endsAt } = dayBounds(zone, day);
        expect([23, 24, 25]).toContain((endsAt - startsAt) / HOUR_MS);
        expect(dayBounds(zone, addDays(day, 1)).startsAt).toBe(endsAt);
        expect(localDateOf(zone, startsAt)).toBe(day);
        expect(localDateOf(zone, startsAt - 1)).toBe(addDays(day, -1));
        expect(localDateOf(zone, endsAt - 1)).toBe(day);
        expect(Date.parse(localTime(zone, startsAt))).toBe(startsAt);
      }),
      { numRuns: howMany(500, 2_000) },
    );
  });

  test.each([
    ['America/New_York', '2026-03-08', 23, '2026-03-08T00:00:00-05:00', '2026-03-08T23:59:59-04:00'],
    ['America/New_York', '2026-11-01', 25, '2026-11-01T00:00:00-04:00', '2026-11-01T23:59:59-05:00'],
    ['Europe/Berlin', '2026-03-29', 23, '2026-03-29T00:00:00+01:00', '2026-03-29T23:59:59+02:00'],
    ['Australia/Adelaide', '2026-04-05', 25, '2026-04-05T00:00:00+10:30', '2026-04-05T23:59:59+09:30'],
    ['Asia/Kathmandu', '2026-04-05', 24, '2026-04-05T00:00:00+05:45', '2026-04-05T23:59:59+05:45'],
    // Put forward at midnight: the day begins at one o'clock.
    ['America/Santiago', '2026-09-06', 23, '2026-09-06T01:00:00-03:00', '2026-09-06T23:59:59-03:00'],
    // Put back at midnight: the hour before it is there twice.
    ['America/Santiago', '2026-04-04', 25, '2026-04-04T00:00:00-03:00', '2026-04-04T23:59:59-04:00'],
  ])('%s, %s: %i hours', (zone, day, hours, first, last) => {
    const { startsAt, endsAt } = dayBounds(zone, day);
    expect((endsAt - startsAt) / HOUR_MS).toBe(hours);
    expect([localTime(zone, startsAt), localTime(zone, endsAt - 1_000)]).toEqual([first, last]);
  });

  test('is that of where the person is, and some travel', () => {
    const people = Array.from({ length: 60 }, (_, i) => makePerson(7, i));
    const travellers = people.filter((person) =>
      Array.from({ length: 90 }, (_, i) => zoneOn(7, person, addDays('2026-01-01', i))).some(
        (zone) => zone !== person.zone,
      ),
    );
    expect(travellers.length).toBeGreaterThan(5);
    expect(travellers.length).toBeLessThan(30);
    const [person = makePerson(7, 0)] = travellers;
    for (let i = 0; i < 60; i += 1) {
      const day = addDays('2026-01-01', i);
      for (const one of daysOf(7, person, 'IosHealth', day))
        expect(one).toMatchObject({ ...dayBounds(one.zone, day), zone: zoneOn(7, person, day) });
    }
  });
});

describe('readings', () => {
  test('are numbers, and only of metrics that the source has', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const traits = SOURCE_TRAITS[asked[2] as keyof typeof SOURCE_TRAITS];
        for (const { body, physical, sleep, samples, hourlySteps } of ask(asked)) {
          expect(numbersIn({ body, physical, sleep, samples, hourlySteps }).every(Number.isFinite)).toBe(true);
          const having = (readings: object | null): string[] =>
            Object.entries(readings ?? {}).flatMap(([name, value]) => (value === null ? [] : [name]));
          expect(traits.body).toEqual(expect.arrayContaining(having(body)));
          expect(traits.physical).toEqual(expect.arrayContaining(having(physical)));
          if (traits.sleep === null) expect(sleep).toBeNull();
          expect(traits.samples).toEqual(expect.arrayContaining([...new Set(samples.map(({ kind }) => kind))]));
          expect(hourlySteps.length > 0).toBe(traits.isPolledForSteps);
        }
      }),
      { numRuns: howMany(150, 500) },
    );
  });

  /** Bounds of what a person can be; what lies outside is one of the few readings that are the sensor's fault. */
  const RANGES: readonly (readonly [keyof SourceDay, string, number, number])[] = [
    ['body', 'weightKg', 40, 170],
    ['body', 'heightCm', 140, 205],
    ['body', 'bmi', 13, 50],
    ['body', 'systolic', 80, 175],
    ['body', 'diastolic', 45, 110],
    ['body', 'restingHeartRate', 40, 112],
    ['body', 'hrvMs', 5, 160],
    ['body', 'spo2', 85, 100],
    ['body', 'caloricIntakeKcal', 600, 5_000],
    ['physical', 'steps', 300, 60_000],
    ['physical', 'distanceM', 150, 60_000],
    ['physical', 'averageHeartRate', 45, 140],
    ['physical', 'maxHeartRate', 80, 220],
    ['physical', 'minHeartRate', 35, 110],
    ['physical', 'vo2max', 15, 70],
    ['physical', 'spo2', 85, 100],
    ['physical', 'activeSeconds', 100, 40_000],
    ['physical', 'activeKcal', 5, 4_000],
    ['sleep', 'durationS', 7_800, 42_000],
    ['sleep', 'breathingRate', 9, 27],
    ['sleep', 'spo2', 85, 100],
    ['sleep', 'latencyS', 60, 4_200],
    ['sleep', 'awakeS', 180, 8_000],
    ['sleep', 'remS', 600, 14_000],
    ['sleep', 'deepS', 400, 14_000],
    ['sleep', 'lightS', 3_000, 34_000],
  ];
  test.each(RANGES)('%s.%s is plausible but for a broken sensor', (group, metric, low, high) => {
    const all = MONTH.flat().flatMap((day) => numbersIn((day[group] as Record<string, unknown> | null)?.[metric]));
    const odd = all.filter((value) => value < low || value > high);
    expect(all.length).toBeGreaterThan(500);
    expect(odd.length).toBeLessThan(all.length * 0.012);
    for (const value of odd) expect([231, 48, 254, 240_000, 62]).toContain(value);
  });

  test('of a night add up, and the night ends on its day', () => {
    for (const day of MONTH.flat()) {
      const { sleep } = day;
      if (sleep === null) continue;
      expect((sleep.remS ?? 0) + (sleep.deepS ?? 0) + (sleep.lightS ?? 0)).toBe(sleep.durationS);
      expect(sleep.endedAt - sleep.startedAt).toBe((sleep.inBedS ?? 0) * 1_000);
      expect(sleep.inBedS).toBeGreaterThan(sleep.durationS ?? 0);
      expect(sleep.endedAt).toBeLessThan(day.endsAt);
      expect(sleep.endedAt).toBeGreaterThan(day.startsAt);
    }
  });

  test('taken singly lie in their day, in the order of their times', () => {
    const wrong = LAST.flatMap(({ samples, startsAt, endsAt }) =>
      samples.filter(
        ({ at, kind, values }, i) =>
          at < (samples[i - 1]?.at ?? startsAt) ||
          at >= endsAt ||
          values.length !== (kind === 'blood_pressure' ? 2 : 1),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

describe('the days of a person', () => {
  const person = makePerson(7, 3);
  const dates = Array.from({ length: 720 }, (_, i) => addDays('2025-01-01', i));
  const truths = dates.map((day) => truthOf(7, person, day));
  const mean = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0) / list.length;

  test('are each like the day before', () => {
    const rates = truths.map(({ restingHeartRate }) => restingHeartRate);
    const middle = mean(rates);
    const variance = mean(rates.map((rate) => (rate - middle) ** 2));
    const together = mean(rates.slice(1).map((rate, i) => (rate - middle) * ((rates[i] ?? 0) - middle)));
    expect(together / variance).toBeGreaterThan(0.5);
  });

  test('have weekends: nights are longer', () => {
    const nights = (isWeekend: boolean): number =>
      mean(
        truths
          .filter((_, i) => ['0', '6'].includes(String(new Date(dates[i] ?? '').getUTCDay())) === isWeekend)
          .map(({ sleepS }) => sleepS),
      );
    expect(nights(true) - nights(false)).toBeGreaterThan(900);
  });

  test('have a middle of their own', () => {
    const middles = Array.from({ length: 40 }, (_, i) => truthOf(7, makePerson(7, i), '2026-02-02').restingHeartRate);
    expect(Math.max(...middles) - Math.min(...middles)).toBeGreaterThan(12);
  });

  test('are ill now and then: heart up, variability and oxygen down, below 92 at the worst', () => {
    const byIllness = dates.map((day, i) => ({ illness: illnessOn(7, person.n, dayNumber(day)), truth: truths[i] }));
    const ill = byIllness.filter(({ illness }) => illness > 0.4).flatMap(({ truth }) => truth ?? []);
    const well = byIllness.filter(({ illness }) => illness === 0).flatMap(({ truth }) => truth ?? []);
    expect(ill.length).toBeGreaterThan(5);
    expect(well.length).toBeGreaterThan(550);
    expect(mean(ill.map((one) => one.restingHeartRate))).toBeGreaterThan(
      mean(well.map((one) => one.restingHeartRate)) * 1.08,
    );
    expect(mean(ill.map((one) => one.hrvMs))).toBeLessThan(mean(well.map((one) => one.hrvMs)) * 0.82);
    expect(mean(ill.map((one) => one.breathingRate))).toBeGreaterThan(
      mean(well.map((one) => one.breathingRate)) * 1.08,
    );
    expect(Math.min(...ill.map((one) => one.spo2))).toBeLessThan(92);
    expect(Math.min(...well.map((one) => one.spo2))).toBeGreaterThan(94);
  });

  test('are seen by each source with a lean of its own', () => {
    const of = (name: string): number[] =>
      dates.flatMap((day) => daysOf(7, person, name, day).at(-1)?.physical?.steps ?? []);
    expect(Math.abs(mean(of('IosHealth')) - mean(of('GpsWatch'))) / mean(of('GpsWatch'))).toBeGreaterThan(0.005);
  });
});

describe('over sixty people and thirty days there are', () => {
  const share = (count: number): number => count / MONTH.length;

  test('days without a word from a source', () => {
    expect(share(MONTH.filter((revisions) => revisions.length === 0).length)).toBeGreaterThan(0.04);
    expect(share(MONTH.filter((revisions) => revisions.length === 0).length)).toBeLessThan(0.25);
  });

  test('days that come late, by hours and by days', () => {
    const late = MONTH.flatMap(([first]) => (first === undefined ? [] : [(first.syncedAt - first.endsAt) / HOUR_MS]));
    expect(late.filter((hours) => hours > 3 && hours < 22).length).toBeGreaterThan(50);
    expect(late.filter((hours) => hours > 24).length).toBeGreaterThan(20);
  });

  test('nights in two parts: first a part, then all of it', () => {
    const parts = MONTH.filter(([first]) => first?.sleep?.isComplete === false);
    expect(parts.length).toBeGreaterThan(50);
    for (const revisions of parts) {
      expect(revisions.at(-1)?.sleep?.isComplete).toBe(true);
      expect(revisions.at(-1)?.sleep?.durationS).toBeGreaterThan(revisions[0]?.sleep?.durationS ?? 0);
    }
  });

  const flat = (day: SourceDay | undefined): Record<string, unknown> => ({
    ...Object.fromEntries(Object.entries(day?.body ?? {}).map(([name, value]) => [`body.${name}`, value])),
    ...Object.fromEntries(Object.entries(day?.physical ?? {}).map(([name, value]) => [`physical.${name}`, value])),
    ...Object.fromEntries(Object.entries(day?.sleep ?? {}).map(([name, value]) => [`sleep.${name}`, value])),
  });

  test('corrections that change a value, and some that take one back', () => {
    let changed = 0;
    let takenBack = 0;
    for (const revisions of MONTH)
      for (const [i, day] of revisions.entries()) {
        const [before, after] = [flat(revisions[i - 1]), flat(day)];
        if (i === 0) continue;
        const names = Object.keys(before).filter((name) => !name.startsWith('sleep.') || name === 'sleep.spo2');
        if (names.some((name) => before[name] !== null && after[name] !== null && before[name] !== after[name]))
          changed += 1;
        if (names.some((name) => before[name] !== null && after[name] === null)) takenBack += 1;
      }
    expect(changed).toBeGreaterThan(100);
    expect(takenBack).toBeGreaterThan(40);
  });

  test('days that lack one metric', () => {
    const without = LAST.filter(
      ({ dataSource, body }) => dataSource === 'RingWearable' && body !== null && numbersIn(body).length === 2,
    );
    expect(without.length).toBeGreaterThan(5);
  });

  test('hourly steps that rise, with every kind of mishap', () => {
    const all = LAST.flatMap(({ hourlySteps }) => hourlySteps);
    expect(new Set(all.map(({ failure }) => failure))).toEqual(new Set([null, 'timeout', 'authentication', 'quota']));
    expect(all.some(({ accumulated, failure }) => accumulated === null && failure === null)).toBe(true);
    let lower = 0;
    let outside = 0;
    for (const { hourlySteps, startsAt, endsAt } of LAST.filter((day) => day.hourlySteps.length > 0)) {
      expect(hourlySteps).toHaveLength((endsAt - startsAt) / HOUR_MS);
      let highest = 0;
      for (const { at, accumulated } of hourlySteps) {
        if (at <= startsAt || at >= endsAt) outside += 1;
        if (accumulated !== null && accumulated < highest) lower += 1;
        highest = Math.max(highest, accumulated ?? 0);
      }
    }
    expect(outside).toBe(0);
    expect(lower).toBeGreaterThan(50);
    expect(lower).toBeLessThan(all.length * 0.06);
  });

  test('oxygen readings below 92, fewer than two of a hundred, and days that are low as a whole', () => {
    const readings = LAST.flatMap(({ date: day, dataSource, samples, body }) =>
      samples
        .filter(({ kind }) => kind === 'spo2')
        .map(({ values: [percent = 0] }) => ({ day, dataSource, percent, mean: body?.spo2 })),
    );
    const low = readings.filter(({ percent }) => percent < 92);
    expect(low.length).toBeGreaterThan(20);
    expect(low.length).toBeLessThan(readings.length * 0.02);
    expect(low.some(({ mean }) => typeof mean === 'number' && mean < 92.5)).toBe(true);
  });

  test('homes all over, half-hour zones among them', () => {
    const zones = new Set(MONTH.flat().map(({ zone }) => zone));
    expect(zones.size).toBeGreaterThanOrEqual(HOMES.length);
    for (const zone of ['Asia/Kolkata', 'Asia/Kathmandu', 'America/St_Johns', 'Australia/Adelaide'])
      expect(zones).toContain(zone);
  });
});

describe('the blood pressure of a day', () => {
  const cuffs = fc.constantFrom('ConnectedScale', 'IosHealth', 'AndroidHealth', 'PhoneMakerHealth');
  /** Of each side, the readings of the day. */
  const readingsOf = ({ samples }: SourceDay) => {
    const taken = samples.filter(({ kind }) => kind === 'blood_pressure').map(({ values }) => values);
    return { systolic: taken.map(([one = 0]) => one), diastolic: taken.map(([, one = 0]) => one) };
  };

  test('lies between its readings, in every world, and is above the lower one', () => {
    fc.assert(
      fc.property(seed, n, cuffs, date, (s, number, name, on) => {
        for (const day of ask([s, number, name, on])) {
          const { systolic = null, diastolic = null } = day.body ?? {};
          if (systolic === null || diastolic === null) continue;
          expect(systolic).toBeGreaterThan(diastolic);
          const taken = readingsOf(day);
          if (taken.systolic.length === 0) continue;
          for (const [value, readings] of [
            [systolic, taken.systolic],
            [diastolic, taken.diastolic],
          ] as const) {
            expect(value).toBeGreaterThanOrEqual(Math.min(...readings));
            expect(value).toBeLessThanOrEqual(Math.max(...readings));
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  test('is read on most days of a cuff', () => {
    const days = LAST.filter(({ body }) => typeof body?.systolic === 'number');
    expect(days.filter((day) => readingsOf(day).systolic.length > 0).length / days.length).toBeGreaterThan(0.8);
  });
});

describe('people for each hazard', () => {
  const HEIGHT_TOLERANCE = 0.1;
  const of = (hazard: Hazard) => ({ ...makePerson(3, 12), hazard });
  const scaleOf = (hazard: Hazard, days = 28) =>
    Array.from({ length: days }, (_, i) => daysOf(3, of(hazard), 'ConnectedScale', addDays('2026-03-02', i)).at(-1));
  const bodies = (hazard: Hazard) => scaleOf(hazard).flatMap((day) => (day?.body ? [day.body] : []));

  test('are the last of each hundred, and own a ring and a scale', () => {
    const hazards = Array.from({ length: 200 }, (_, number) => makePerson(1, number)).filter(
      ({ hazard }) => hazard !== null,
    );
    expect(hazards.every((person) => person.n % 100 >= 95)).toBe(true);
    expect(hazards.map(({ hazard }) => hazard)).toEqual(
      expect.arrayContaining(['bmi-mismatch', 'repeated-weight', 'oxygen-dip']),
    );
    for (const { dataSources } of hazards)
      expect(dataSources).toEqual(expect.arrayContaining(['RingWearable', 'ConnectedScale']));
  });

  test('bmi-mismatch: weight and height do not give the BMI', () => {
    const all = bodies('bmi-mismatch').filter(
      ({ bmi, weightKg, heightCm }) => bmi !== null && weightKg !== null && heightCm !== null,
    );
    expect(all.length).toBeGreaterThan(20);
    for (const { bmi, weightKg, heightCm } of all)
      expect((bmi ?? 0) / ((weightKg ?? 0) / ((heightCm ?? 0) / 100) ** 2)).toBeGreaterThan(1 + HEIGHT_TOLERANCE);
  });

  test('repeated-weight: one value for more than a week, then it changes', () => {
    const weights = bodies('repeated-weight').map(({ weightKg }) => weightKg);
    const runs = weights.reduce<number[]>((all, one, i) => {
      if (i > 0 && one === weights[i - 1]) all[all.length - 1] = (all.at(-1) ?? 0) + 1;
      else all.push(1);
      return all;
    }, []);
    expect(Math.max(...runs)).toBeGreaterThanOrEqual(7);
    expect(runs.length).toBeGreaterThan(3);
  });

  test('oxygen-dip: a reading below 92 now and then, of a ring', () => {
    const days = Array.from({ length: 30 }, (_, i) =>
      daysOf(3, of('oxygen-dip'), 'RingWearable', addDays('2026-03-02', i)).at(-1),
    );
    const low = days.filter(
      (day) => day?.samples.some(({ kind, values: [value = 100] }) => kind === 'spo2' && value < 92) === true,
    );
    expect(low.length).toBeGreaterThan(5);
    expect(low.length).toBeLessThan(20);
  });

  test('clock-ahead: a day is told before it begins', () => {
    const days = scaleOf('clock-ahead').filter((day) => day !== undefined);
    expect(
      days.filter(({ revision, syncedAt, startsAt }) => revision === 1 && syncedAt < startsAt - 26 * HOUR_MS).length,
    ).toBeGreaterThan(10);
  });

  test('pressure-swapped: systolic below diastolic, each possible by itself', () => {
    const all = scaleOf('pressure-swapped').flatMap((day) => {
      const summary = day === undefined ? null : cleanDay([day], { isCleaning: true, isTimeZone: true });
      return misfile('pressure-swapped', summary)?.body ?? [];
    });
    expect(all.length).toBeGreaterThan(20);
    for (const { systolic, diastolic } of all) expect(systolic ?? 0).toBeLessThan(diastolic ?? 0);
  });

  test('have nothing wrong with their other devices', () => {
    for (const hazard of HAZARDS) {
      const person = of(hazard);
      expect(daysOf(3, person, 'IosHealth', '2026-03-05').map(({ body, syncedAt }) => [body, syncedAt])).toEqual(
        daysOf(3, { ...person, hazard: null }, 'IosHealth', '2026-03-05').map(({ body, syncedAt }) => [body, syncedAt]),
      );
    }
  });
});

test('a person keeps its device', () => {
  const person = makePerson(7, 3);
  for (const name of SOURCES) expect(deviceOf(person, name)).toEqual(deviceOf(makePerson(7, 3), name));
  expect(deviceOf(person, 'RingWearable')).toMatchObject({
    device_type_string: 'smart ring',
    medical_grade_bool: false,
    source_type_string: 'wearable',
  });
});

describe('a permission that was denied', () => {
  const [day] = MONTH.flat().filter(
    ({ dataSource, body, physical, sleep }) => dataSource === 'IosHealth' && body && physical && sleep,
  );
  if (day === undefined) throw new Error('no day of a phone');
  const all = ['activity', 'heart', 'sleep', 'body'];

  test('takes nothing where all are granted, and everything where none is', () => {
    expect(permit(day, all)).toEqual(day);
    expect(permit(day, [])).toMatchObject({ body: null, physical: null, sleep: null, samples: [], hourlySteps: [] });
  });

  test.each(all)('%s takes its own part away and leaves the rest', (denied) => {
    const left = permit(
      day,
      all.filter((one) => one !== denied),
    );
    expect(left).not.toEqual(day);
    expect(left.sleep === null).toBe(denied === 'sleep');
    expect(left.physical?.steps === null).toBe(denied === 'activity');
    expect(left.body?.restingHeartRate === null).toBe(denied === 'heart' || day.body?.restingHeartRate === null);
    expect(left.body?.weightKg === null).toBe(denied === 'body');
  });
});
