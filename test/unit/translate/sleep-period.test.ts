import { describe, expect, test } from '@jest/globals';
import { aClinicalReadyOf, DAY, type Metric } from '../../support/payloads/index.ts';
import { nameOf, observationWith, observationsOf, translated } from '../../support/translated.ts';

const SPO2: Metric = { code: 'spo2', category: 'survey', context: 'daily_average', value: '94', unit: '%' };
const sleep = (start: string, end: string, code = 'sleep_duration'): Metric => ({
  code,
  category: 'survey',
  value: '26100',
  unit: 's',
  start,
  end,
});
const NIGHT = { start: '2026-11-13T22:48:00+01:00', end: '2026-11-14T06:41:00+01:00' };
const periodOf = (...metrics: readonly Metric[]) =>
  observationWith(translated(aClinicalReadyOf([SPO2, ...metrics])), '103209-3')['effectivePeriod'];

describe('a value of the sleep summary that is dated to its day', () => {
  test('has the period of the sleep where the document has it, under the name that it has without', () => {
    expect(periodOf(sleep(NIGHT.start, NIGHT.end))).toEqual(NIGHT);
    expect(periodOf(sleep(NIGHT.start, NIGHT.end, 'time_in_bed'))).toEqual(NIGHT);
    const [alone, beside] = [[SPO2], [SPO2, sleep(NIGHT.start, NIGHT.end)]].map((metrics) =>
      nameOf(observationWith(translated(aClinicalReadyOf(metrics)), '103209-3')),
    );
    expect(beside).toBe(alone);
  });

  test.each<[string, Metric[]]>([
    ['no sleep', []],
    ['a sleep dated to the day', [sleep(DAY.start, DAY.end)]],
    [
      'two sleeps of that day',
      [sleep(NIGHT.start, NIGHT.end), sleep('2026-11-14T13:00:00+01:00', '2026-11-14T14:00:00+01:00', 'time_in_bed')],
    ],
    ['the sleep of another day', [sleep('2026-11-14T22:00:00+01:00', '2026-11-15T06:00:00+01:00')]],
  ])('keeps its day with %s', (_, metrics) => {
    expect(periodOf(...metrics)).toEqual(DAY);
  });
});

test('body, physical and sleep averages of one day differ in what a reader sees', () => {
  const metrics = ['vital-signs', 'activity', 'survey'].map((category) => ({ ...SPO2, category }));
  expect(observationsOf(translated(aClinicalReadyOf(metrics))).map(({ method }) => method)).toEqual([
    { text: 'Body summary: mean of the day' },
    { text: 'Physical summary: mean of the day' },
    { text: 'Sleep summary: mean during sleep' },
  ]);
});
