import { describe, expect, test } from '@jest/globals';
import { aClinicalReadyOf, type Metric } from '../../support/payloads/index.ts';
import { built, edited, smallFiles } from '../../support/mapping-files.ts';
import { observationsOf, translated } from '../../support/translated.ts';
import { problemsOf, settingOf, translateText } from '../../support/translate-steps.ts';

interface Rows {
  readonly consistency: { kind: string; action: string }[];
}

const at = (hour: number, day = 14) => {
  const moment = `2026-11-${day}T${String(hour).padStart(2, '0')}:00:00+01:00`;
  return { start: moment, end: moment };
};
const wholeDay = (day: number) => {
  const date = `2026-11-${String(day).padStart(2, '0')}`;
  return { start: `${date}T00:00:00+01:00`, end: `${date}T23:59:59+01:00` };
};
const pressure = (systolic: string, diastolic: string, more: Partial<Metric> = {}): Metric[] => [
  { code: 'blood_pressure_systolic', value: systolic, unit: 'mmHg', ucum: 'mm[Hg]', ...more },
  { code: 'blood_pressure_diastolic', value: diastolic, unit: 'mmHg', ucum: 'mm[Hg]', ...more },
];
const weight = (value: string, more: Partial<Metric> = {}): Metric => ({ code: 'weight', value, unit: 'kg', ...more });
const body = (kg: string, cm: string, index: string): Metric[] => [
  weight(kg),
  { code: 'height', value: cm, unit: 'cm' },
  { code: 'bmi', value: index, unit: 'kg/m2' },
];
const read = (metrics: readonly Metric[]) => translated(aClinicalReadyOf(metrics), { unmapped: 'leave-out' });
const found = (metrics: readonly Metric[]) => read(metrics).findings.map(({ code, what }) => [code, what]);
const notes = (metrics: readonly Metric[]) => observationsOf(read(metrics)).map(({ note }) => note);

describe('blood pressure', () => {
  test.each([{}, { context: 'daily_average' }])(
    'waits as a panel where the systolic is below the diastolic: %j',
    (context) => {
      const translation = read([...pressure('70', '120', context), weight('70')]);
      expect(translation.findings.map(({ code }) => code)).toEqual(['values.contradict', 'codes.left-out']);
      expect(translation.leftOut).toMatchObject([{ why: 'implausible' }]);
      expect(translation.wanted.length).toBe(1);
    },
  );

  test('goes out where it is not, and where one side is missing', () => {
    expect(found(pressure('120', '80'))).toEqual([]);
    expect(found(pressure('80', '80'))).toEqual([]);
    expect(found(pressure('120', '80').slice(0, 1))).toEqual([]);
  });

  test('stops its document with CHARTGATE_UNMAPPED=park', () => {
    expect(translated(aClinicalReadyOf([...pressure('70', '120'), weight('70')])).trouble).toBe('implausible');
  });

  test('of two times is compared within each', () => {
    expect(found([...pressure('120', '80', at(8)), ...pressure('90', '60', at(20))])).toEqual([]);
  });
});

describe('weight, height and body mass index', () => {
  test('that do not fit go out with a note, each of them', () => {
    const metrics = body('70', '178', '32.1');
    expect(found(metrics)).toEqual(Array.from({ length: 3 }, () => ['values.doubtful', 'body-mass-index']));
    for (const note of notes(metrics))
      expect(note).toEqual([{ text: expect.stringContaining('do not fit together') as unknown }]);
    expect(problemsOf(read(metrics))).toEqual([]);
  });

  test('that fit are left alone; one pair of several is enough, and another day does not count', () => {
    expect(found(body('70', '178', '22.1'))).toEqual([]);
    expect(found([...body('70', '178', '22.1'), weight('69', at(22))])).toEqual([]);
    expect(found([weight('70', wholeDay(13)), ...body('70', '178', '22.1').slice(1)])).toEqual([]);
  });
});

describe('a jump', () => {
  test('of more than its share within a day is noted on both values', () => {
    const metrics = [weight('70', at(8)), weight('80', at(20))];
    expect(found(metrics)).toEqual([
      ['values.doubtful', 'jump'],
      ['values.doubtful', 'jump'],
    ]);
    expect(notes(metrics)).toEqual([
      [{ text: 'Differs by more than 10 % from another value within 24 hours.' }],
      [{ text: 'Differs by more than 10 % from another value within 24 hours.' }],
    ]);
  });

  test('of less, or over more than a day, is none', () => {
    expect(found([weight('70', at(8)), weight('71', at(20))])).toEqual([]);
    expect(found([weight('70', at(8)), weight('80', at(8, 15))])).toEqual([]);
  });
});

describe('one value day after day', () => {
  const days = (values: readonly string[], first = 1) => values.map((value, i) => weight(value, wholeDay(first + i)));
  test('is noted from seven days on', () => {
    const same = Array.from({ length: 7 }, () => '70.1');
    expect(found(days(same))).toEqual(Array.from({ length: 7 }, () => ['values.doubtful', 'repeat']));
    expect(found(days(same.slice(1)))).toEqual([]);
  });

  test('is none where a day between is missing or differs, to the last digit', () => {
    expect(found([...days(['70', '70', '70', '70']), ...days(['70', '70', '70', '70'], 6)])).toEqual([]);
    expect(found(days(['70', '70', '70', '70.1', '70', '70', '70']))).toEqual([]);
    expect(found(days(['70', '70', '70', '70.0', '70', '70', '70']))).toEqual([]);
  });
});

test('whoever is withdrawn or waits already is not judged', () => {
  expect(found(body('70', '178', '32.1').map((one) => ({ ...one, status: 'entered-in-error' })))).toEqual([]);
  expect(found([...body('7000', '178', '22.1')]).filter(([code]) => code === 'values.doubtful')).toEqual([]);
});

test('the order of entries does not matter', () => {
  const metrics = [...body('70', '178', '32.1'), weight('80', at(20)), ...pressure('70', '120')];
  const [one, other] = [metrics, metrics.toReversed()].map((all) => {
    const { wanted, leftOut } = read(all);
    return JSON.stringify([wanted, leftOut.map(({ name }) => name)]);
  });
  expect(other).toBe(one);
});

test('a row can make what does not fit preliminary, or wait', () => {
  const withAction = (action: string) =>
    settingOf(
      built(
        edited(smallFiles(), 'plausibility.json', ({ consistency }: Rows) => {
          for (const row of consistency) if (row.kind === 'body-mass-index') row.action = action;
        }),
      ),
      { unmapped: 'leave-out' },
    );
  const text = JSON.stringify(aClinicalReadyOf([...body('70', '178', '32.1'), ...pressure('120', '80')]));
  const preliminary = observationsOf(translateText(text, withAction('preliminary')));
  expect(preliminary.map(({ status }) => status).sort()).toEqual([
    'final',
    'preliminary',
    'preliminary',
    'preliminary',
  ]);
  expect(translateText(text, withAction('park')).leftOut.length).toBe(3);
});
