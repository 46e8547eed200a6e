import { describe, expect, test } from '@jest/globals';
import { buildMappings } from '../../../src/mappings/index.ts';
import { parsed, shippedFiles, shippedMappings, smallFiles, type ConceptMapFile } from '../../support/mapping-files.ts';

const mappings = shippedMappings();
const find = (code: string, context: string, window: 'day' | 'other' = 'other') =>
  mappings.findMetric({ system: mappings.uris.code, code, context, window });

/**
 * metric, context, window, codes in order, unit, category. Sections 2.3 of the specification and 1.3 of the
 * terminology.
 */
const ALL = ['point', 'daily_average', 'session'] as const;
const EXPECTED: readonly (readonly [string, readonly string[], 'day' | 'other', readonly string[], string, string])[] =
  [
    ['weight', ['point', 'daily_average'], 'other', ['29463-7'], 'kg', 'vital-signs'],
    ['height', ['point', 'daily_average'], 'other', ['8302-2'], 'cm', 'vital-signs'],
    ['bmi', ['point', 'daily_average'], 'other', ['39156-5'], 'kg/m2', 'vital-signs'],
    ['blood_pressure_systolic', ['point'], 'other', ['8480-6'], 'mm[Hg]', 'vital-signs'],
    ['blood_pressure_diastolic', ['point'], 'other', ['8462-4'], 'mm[Hg]', 'vital-signs'],
    ['blood_pressure_systolic', ['daily_average'], 'other', ['96608-5'], 'mm[Hg]', 'vital-signs'],
    ['blood_pressure_diastolic', ['daily_average'], 'other', ['96609-3'], 'mm[Hg]', 'vital-signs'],
    ['resting_heart_rate', ['point', 'daily_average'], 'other', ['40443-4', '8867-4'], '/min', 'vital-signs'],
    ['heart_rate', ['point'], 'other', ['8867-4'], '/min', 'vital-signs'],
    ['heart_rate', ['daily_average', 'session'], 'other', ['103205-1'], '/min', 'vital-signs'],
    ['average_heart_rate', ALL, 'other', ['103205-1'], '/min', 'vital-signs'],
    ['max_heart_rate', ALL, 'day', ['8873-2'], '/min', 'activity'],
    ['max_heart_rate', ALL, 'other', ['101692-2'], '/min', 'activity'],
    ['min_heart_rate', ALL, 'other', ['103222-6'], '/min', 'vital-signs'],
    ['spo2', ['point'], 'other', ['59408-5', '2708-6'], '%', 'vital-signs'],
    ['spo2', ['daily_average', 'session'], 'other', ['103209-3'], '%', 'vital-signs'],
    ['caloric_intake', ['point', 'daily_average'], 'day', ['9057-1'], 'kcal/(24.h)', 'activity'],
    ['caloric_intake', ALL, 'other', ['9052-2'], 'kcal', 'activity'],
    ['steps', ['point', 'daily_average'], 'day', ['41950-7'], '/d', 'activity'],
    ['steps', ALL, 'other', ['55423-8'], '{steps}', 'activity'],
    ['distance', ALL, 'other', ['103208-5'], 'm', 'activity'],
    ['distance_walking_running', ALL, 'other', ['112427-0'], 'm', 'activity'],
    ['vo2max', ALL, 'other', ['94122-9'], 'mL/kg/min', 'activity'],
    ['active_minutes', ALL, 'other', ['101691-4'], 'min', 'activity'],
    ['calories_active', ['point', 'daily_average'], 'day', ['41979-6'], 'kcal/d', 'activity'],
    ['calories_active', ALL, 'other', ['41981-2'], 'kcal', 'activity'],
    ['flights_climbed', ALL, 'other', ['100304-5'], '{flights}', 'activity'],
    ['sleep_duration', ALL, 'other', ['93832-4'], 'h', 'activity'],
    ['sleep_light', ALL, 'other', ['93830-8'], 'min', 'activity'],
    ['sleep_deep', ALL, 'other', ['93831-6'], 'min', 'activity'],
    ['sleep_rem', ALL, 'other', ['93829-0'], 'min', 'activity'],
    ['sleep_awake', ALL, 'other', ['93828-2'], 'min', 'activity'],
    ['sleep_latency', ALL, 'other', ['103212-7'], 'min', 'activity'],
    ['time_in_bed', ALL, 'other', ['103213-5'], 'min', 'activity'],
    ['awakenings', ALL, 'other', ['103211-9'], '{#}', 'activity'],
    ['sleep_efficiency', ALL, 'other', ['sleep-efficiency'], '%', 'activity'],
    ['breathing_rate', ['point'], 'other', ['9279-1'], '/min', 'vital-signs'],
    ['breathing_rate', ['daily_average', 'session'], 'other', ['103217-6'], '/min', 'vital-signs'],
    ['hrv', ALL, 'other', ['hrv'], 'ms', 'vital-signs'],
    ['hrv_sdnn', ALL, 'other', ['112429-6'], 'ms', 'vital-signs'],
    ['hrv_rmssd', ALL, 'other', ['hrv-rmssd'], 'ms', 'vital-signs'],
    ['body_temperature', ['point', 'daily_average'], 'other', ['8310-5'], 'Cel', 'vital-signs'],
    ['skin_temperature', ALL, 'other', ['61008-9'], 'Cel', 'vital-signs'],
    ['blood_glucose', ['point'], 'other', ['2339-0'], 'mg/dL', 'laboratory'],
    ['blood_glucose_meter', ['point'], 'other', ['41653-7'], 'mg/dL', 'laboratory'],
    ['blood_glucose_cgm', ['point'], 'other', ['99504-3'], 'mg/dL', 'laboratory'],
  ];

describe('every metric in every context that it has', () => {
  test.each(EXPECTED)('%s in %j, window %s', (code, contexts, window, codes, unit, category) => {
    for (const context of contexts) {
      const row = find(code, context, window);
      expect([row?.codings.map((one) => one.code), row?.unit?.code, row?.category]).toEqual([codes, unit, category]);
    }
  });

  const known = new Set(EXPECTED.flatMap(([code, contexts]) => contexts.map((context) => `${code} ${context}`)));
  const unmapped = [...new Set(EXPECTED.map(([code]) => code))]
    .flatMap((code) => [...ALL, 'weekly_average'].map((context) => [code, context] as const))
    .filter(([code, context]) => !known.has(`${code} ${context}`));
  test.each(unmapped)('%s in %s is unmapped, not guessed', (code, context) => {
    expect(find(code, context, 'day')).toBeNull();
    expect(find(code, context)).toBeNull();
  });

  test('the data hold no metric beyond this table', () => {
    const map = parsed(shippedFiles(), 'conceptmap-metrics.json') as ConceptMapFile;
    const codes = map.group.flatMap(({ element }) => element.map(({ code }) => code));
    expect(codes.sort()).toEqual([...new Set(EXPECTED.map(([code]) => code))].sort());
  });
});

describe('the rules of a lookup', () => {
  test('no context stands for a reading', () => {
    expect(find('spo2', '')).toEqual(find('spo2', 'point'));
  });

  test('a whole day takes the row of the day where there is one, else the row without a window', () => {
    expect(find('steps', '', 'day')?.row).toBe('conceptmap-metrics.json#steps/point/day');
    expect(find('weight', '', 'day')?.row).toBe('conceptmap-metrics.json#weight/point');
  });

  test('a code of another system is not ours', () => {
    expect(mappings.findMetric({ system: 'urn:other', code: 'weight', context: '', window: 'other' })).toBeNull();
  });

  test('the configured URI takes the place of the default one', () => {
    const uris = { ...mappings.uris, code: 'https://source.example/codes' };
    const result = buildMappings(smallFiles(), { uris });
    const found = result.ok
      ? result.value.findMetric({ system: uris.code, code: 'weight', context: '', window: 'other' })
      : null;
    expect(found?.codings[0]?.code).toBe('29463-7');
    expect(result.ok && result.value.uris).toEqual(uris);
  });

  test('what was found cannot be changed', () => {
    const row = find('blood_pressure_systolic', '');
    expect([row, row?.codings, row?.codings[0], row?.panel, row?.panel?.components].every(Object.isFrozen)).toBe(true);
  });
});

describe('blood pressure', () => {
  test.each([
    ['point', '85354-9', ['8480-6', '8462-4']],
    ['daily_average', '96607-7', ['96608-5', '96609-3']],
  ])('%s: both sides are components of one panel', (context, panel, components) => {
    const [systolic, diastolic] = [find('blood_pressure_systolic', context), find('blood_pressure_diastolic', context)];
    expect(systolic?.panel).toEqual(diastolic?.panel);
    expect(systolic?.panel?.codings.map(({ code }) => code)).toEqual([panel]);
    expect(systolic?.panel?.components).toEqual(components);
  });

  test('a reading and a mean of the day are never one panel', () => {
    expect(find('blood_pressure_systolic', 'point')?.panel?.key).not.toBe(
      find('blood_pressure_systolic', 'daily_average')?.panel?.key,
    );
  });
});

describe('known traps', () => {
  const codesOf = (code: string, context = '') => find(code, context)?.codings.map((one) => one.code) ?? [];

  test('diastolic is not the heart rate', () => {
    expect(codesOf('blood_pressure_diastolic')).not.toContain('8867-4');
  });

  test.each(['hrv', 'hrv_rmssd'])('%s is never filed as SDNN, and has no LOINC code', (code) => {
    for (const context of ALL)
      expect(find(code, context)?.codings.map(({ system }) => system)).toEqual(['urn:chartgate:codes']);
  });

  test('sleep is activity, whatever the source says', () => {
    for (const code of ['sleep_duration', 'sleep_light', 'sleep_deep', 'sleep_rem', 'sleep_awake', 'sleep_latency'])
      expect(find(code, 'session')?.category).toBe('activity');
    expect(mappings.findCategory('survey')?.codings[0]?.code).toBe('activity');
  });

  test('an estimate of VO2max says that it is one', () => {
    expect(find('vo2max', '')).toMatchObject({ equivalence: 'inexact', method: 'Estimated by wearable' });
  });

  test('a running total of steps is not the count of a day', () => {
    expect(codesOf('steps')).toEqual(['55423-8']);
  });

  test('a mean does not carry the code of a reading', () => {
    for (const code of ['heart_rate', 'average_heart_rate', 'spo2', 'breathing_rate'])
      for (const context of ['daily_average', 'session'])
        expect(codesOf(code, context).filter((one) => ['8867-4', '2708-6', '59408-5', '9279-1'].includes(one))).toEqual(
          [],
        );
  });
});

describe('alert signals', () => {
  test.each([
    ['resting_heart_rate', ['40443-4', '8867-4'], '/min', 'vital-signs', 'bpm'],
    ['hrv', ['hrv'], 'ms', 'vital-signs', 'ms'],
    ['resting_breathing_rate', ['103217-6'], '/min', 'vital-signs', 'breaths_per_min'],
    ['oxygenation', ['59408-5', '2708-6'], '%', 'vital-signs', 'percentage'],
    ['sleep_duration', ['93832-4'], 'h', 'activity', 'seconds'],
  ])('%s', (signal, codes, unit, category, text) => {
    const row = mappings.findSignal(signal);
    expect([row?.codings.map(({ code }) => code), row?.unit?.code, row?.category]).toEqual([codes, unit, category]);
    const from = mappings.findUnit(text)?.ucum ?? '';
    expect(mappings.convert('1', from, unit, 9)).not.toBeNull();
  });

  test('a signal that the specification does not have is unmapped', () => {
    expect(mappings.findSignal('temperature')).toBeNull();
  });
});
