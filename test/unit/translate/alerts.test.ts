import { describe, expect, test } from '@jest/globals';
import { standardMappings } from '../../support/standard-mappings.ts';
import { anAlertEvent, anAlertSummary, partAt, withAt, type Json } from '../../support/payloads/index.ts';
import {
  codesOf,
  interpretationsIn,
  observationsOf,
  observationWith,
  resourcesOf,
  translated,
} from '../../support/translated.ts';
import { isWithdrawn, WITHDRAWN_BECAUSE } from '../../../src/translate/index.ts';
import { makeLedger, problemsOf, settingOf, translateText } from '../../support/translate-steps.ts';

const SIGNAL = 'alerts.alert_signals_array';
/** Which signals breach, and with what. */
type Breaches = Readonly<Record<string, { value: number; direction: 'above' | 'below'; fields?: Json }>>;
const UNITS: Record<string, string> = {
  resting_heart_rate: 'bpm',
  hrv: 'ms',
  resting_breathing_rate: 'breaths_per_min',
  oxygenation: 'percentage',
  sleep_duration: 'seconds',
};
function aSummary(breaches: Breaches, documentVersion = 1): Json {
  const empty = anAlertSummary({ restingHeartRate: null, documentVersion });
  const signals = (partAt(empty, SIGNAL) as Json[]).map((signal): Json => {
    const type = String(signal['signal_type_string']);
    const breach = breaches[type];
    if (breach === undefined) return signal;
    const fixed = type === 'oxygenation' || type === 'sleep_duration';
    return {
      ...signal,
      measured_value_float: breach.value,
      baseline_value_float: fixed ? null : 60,
      threshold_type_string: fixed ? 'fixed_range' : 'baseline_deviation',
      threshold_min_float: breach.direction === 'below' ? breach.value + 1 : null,
      threshold_max_float: breach.direction === 'above' ? breach.value - 1 : null,
      breach_direction_string: breach.direction,
      unit_string: UNITS[type],
      source_of_data_string: 'ring_wearable',
      measured_at_string: '2026-11-14T06:30:00+01:00',
      ...breach.fields,
    };
  });
  return withAt(withAt(empty, SIGNAL, signals), 'alerts.total_alerts_int', Object.keys(breaches).length);
}

describe('alert_event', () => {
  const translation = translated(anAlertEvent());
  const [one, ...others] = observationsOf(translation);

  test('is one Observation under a code of its own, with the breach as interpretation', () => {
    expect(others).toEqual([]);
    expect(resourcesOf(translation)).toHaveLength(1);
    expect(problemsOf(translation)).toEqual([]);
    expect(codesOf(one?.['code'])).toEqual(['alert-oxygenation', 'health-monitoring-alert']);
    expect(one).toMatchObject({
      status: 'final',
      category: [{ coding: [{ code: 'survey' }] }],
      effectiveDateTime: '2026-11-14T03:12:00+01:00',
      issued: '2026-11-14T03:13:05+01:00',
      valueQuantity: { value: 90.5, code: '%' },
      meta: { tag: [{ code: 'patient-supplied' }, { code: 'alert' }] },
    });
    expect(interpretationsIn(observationsOf(translation))).toEqual(['L']);
  });

  test('has its threshold as a range that says what it is, with the sides that apply', () => {
    expect(one).toMatchObject({
      referenceRange: [{ low: { value: 92, code: '%' }, type: { coding: [{ code: 'monitoring-threshold' }] } }],
    });
    expect(partAt(one, 'referenceRange.0')).not.toHaveProperty('high');
  });

  test('falls back to the time of the event where the reading has none', () => {
    const payload = withAt(anAlertEvent(), `${SIGNAL}.0.measured_at_string`, null);
    expect(observationsOf(translated(payload))).toMatchObject([{ effectiveDateTime: '2026-11-14T03:12:00+01:00' }]);
  });

  test('tells a default rule from a rule of the client', () => {
    const rule = (isDefault: boolean): unknown =>
      partAt(
        observationsOf(translated(withAt(anAlertEvent(), `${SIGNAL}.0.is_default_config_bool`, isDefault)))[0],
        'referenceRange.0.text',
      );
    expect(rule(true)).toMatch(/default/);
    expect(rule(false)).not.toBe(rule(true));
  });

  test.each<[string, Json]>([
    ['in another offset', withAt(anAlertEvent(), `${SIGNAL}.0.measured_at_string`, '2026-11-14T02:12:00Z')],
    ['whose source only the document names', withAt(anAlertEvent(), `${SIGNAL}.0.source_of_data_string`, null)],
    ['in a unit without a name', withAt(anAlertEvent(), `${SIGNAL}.0.unit_string`, null)],
    [
      'in a summary',
      aSummary({
        oxygenation: { value: 90.5, direction: 'below', fields: { measured_at_string: '2026-11-14T02:12:00Z' } },
      }),
    ],
  ])('of one reading is the same alert: %s', (_, payload) => {
    expect(translated(payload).wanted.map(({ name }) => name)).toContain(translation.wanted[0]?.name);
  });

  test('is another alert than one of a summary that differs in value, instant or source, or does not say the instant', () => {
    const names = ([fields, value = 90.5]: readonly [Json, number?]) =>
      translated(aSummary({ oxygenation: { value, direction: 'below', fields } })).wanted.map(({ name }) => name);
    const at = { measured_at_string: '2026-11-14T03:12:00+01:00' };
    for (const other of [
      [at, 90.4],
      [{ measured_at_string: '2026-11-14T03:12:01+01:00' }],
      [{ ...at, source_of_data_string: 'fitness_band' }],
      [{ measured_at_string: null }],
    ] as const)
      expect(names(other)).not.toContain(translation.wanted[0]?.name);
  });

  test('of one reading by two sources is two', () => {
    const other = withAt(anAlertEvent(), `${SIGNAL}.0.source_of_data_string`, 'fitness_band');
    expect(translated(other).wanted[0]?.name).not.toBe(translation.wanted[0]?.name);
  });
});

describe('alert_summary', () => {
  const ALL: Breaches = {
    resting_heart_rate: {
      value: 71,
      direction: 'above',
      fields: { deviation_below_percent_float: 15, deviation_above_percent_float: 10 },
    },
    hrv: { value: 20, direction: 'below', fields: { deviation_below_percent_float: 30 } },
    resting_breathing_rate: { value: 22.5, direction: 'above' },
    oxygenation: { value: 90, direction: 'below' },
    sleep_duration: { value: 18000, direction: 'below' },
  };
  const translation = translated(aSummary(ALL));

  test('is a parent that counts and refers, and one Observation for each breach, all valid', () => {
    expect(problemsOf(translation)).toEqual([]);
    const parent = observationWith(translation, 'health-monitoring-daily-alerts');
    expect(parent).toMatchObject({
      status: 'final',
      category: [{ coding: [{ code: 'survey' }] }],
      valueInteger: 5,
      effectivePeriod: { start: '2026-11-14T00:00:00+01:00', end: '2026-11-14T23:59:59+01:00' },
    });
    const children = translation.wanted
      .filter(({ resource }) => resource !== parent)
      .map(({ reference }) => ({ reference }));
    expect(new Set(JSON.stringify(parent['hasMember']).match(/urn:uuid:[^"]+/g))).toEqual(
      new Set(children.map(({ reference }) => reference)),
    );
    expect(children).toHaveLength(5);
  });

  test.each([
    ['alert-resting-heart-rate', 71, '/min', 'H'],
    ['alert-hrv', 20, 'ms', 'L'],
    ['alert-resting-breathing-rate', 22.5, '/min', 'H'],
    ['alert-oxygenation', 90, '%', 'L'],
    ['alert-sleep-duration', 5, 'h', 'L'],
  ])('%s', (code, value, unit, interpretation) => {
    const one = observationWith(translation, code);
    expect(codesOf(one['code'])).toEqual([code, 'health-monitoring-alert']);
    expect(one).toMatchObject({
      category: [{ coding: [{ code: 'survey' }] }],
      valueQuantity: { code: unit },
      effectiveDateTime: '2026-11-14T06:30:00+01:00',
      referenceRange: [{ [interpretation === 'L' ? 'low' : 'high']: { code: unit } }],
    });
    expect(Number(JSON.stringify(partAt(one, 'valueQuantity.value')))).toBe(value);
    expect(interpretationsIn([one])).toEqual([interpretation]);
  });

  test('thresholds are converted with their value', () => {
    expect(partAt(observationWith(translation, 'alert-sleep-duration'), 'referenceRange.0.low.code')).toBe('h');
    const six = translated(
      aSummary({
        sleep_duration: {
          value: 18000,
          direction: 'below',
          fields: { threshold_min_float: 21600, threshold_max_float: 32400 },
        },
      }),
    );
    const sides = ['low', 'high'].map((side) =>
      JSON.stringify(partAt(observationWith(six, 'alert-sleep-duration'), `referenceRange.0.${side}.value`)),
    );
    expect(sides.map(Number)).toEqual([6, 9]);
  });

  test('baseline and deviations are components, only where they are given', () => {
    const shown = (code: string): unknown =>
      ((observationWith(translation, code)['component'] ?? []) as Json[]).map((one) => codesOf(one['code'])[0]);
    expect(shown('alert-resting-heart-rate')).toEqual([
      'baseline-value',
      'deviation-below-percent',
      'deviation-above-percent',
    ]);
    expect(shown('alert-hrv')).toEqual(['baseline-value', 'deviation-below-percent']);
    expect(shown('alert-oxygenation')).toEqual([]);
  });

  test('a quiet signal says nothing, and is never called normal', () => {
    const all = observationsOf(translated(aSummary({ hrv: { value: 20, direction: 'below' } })));
    expect(all).toHaveLength(2);
    expect(interpretationsIn(all)).toEqual(['L']);
  });
});

describe('none of the numbers of an alert can be taken for the measurement', () => {
  const MEASUREMENTS = ['40443-4', '8867-4', '103217-6', '9279-1', '59408-5', '2708-6', '93832-4', 'hrv'];
  const deviations = { deviation_below_percent_float: 15, deviation_above_percent_float: 10 };
  const all = observationsOf(
    translated(
      aSummary({
        resting_heart_rate: { value: 71, direction: 'above', fields: deviations },
        hrv: { value: 20, direction: 'below', fields: deviations },
        resting_breathing_rate: { value: 22.5, direction: 'above', fields: deviations },
        oxygenation: { value: 90, direction: 'below' },
        sleep_duration: { value: 18000, direction: 'below' },
      }),
    ),
  );

  test('no code of a measurement occurs, in whatever element', () => {
    const codes = [...JSON.stringify(all).matchAll(/"code":"([^"]+)"/g)].map(([, code]) => code);
    expect(codes.filter((code) => MEASUREMENTS.includes(code ?? ''))).toEqual([]);
  });

  test('baseline, deviations and threshold have codes of their own, and a deviation has a unit of its own', () => {
    const components = all.flatMap((one) => (one['component'] ?? []) as Json[]);
    const units = (code: string) =>
      new Set(
        components.filter((one) => codesOf(one['code'])[0] === code).map((one) => partAt(one, 'valueQuantity.code')),
      );
    expect(units('baseline-value')).toEqual(new Set(['/min', 'ms']));
    expect(units('deviation-below-percent')).toEqual(new Set(['%{baseline}']));
    expect(units('deviation-above-percent')).toEqual(new Set(['%{baseline}']));
    expect(new Set(components.map((one) => codesOf(one['code'])[0])).size).toBe(3);
    for (const range of all.flatMap((one) => (one['referenceRange'] ?? []) as Json[]))
      expect(codesOf(range['type'])).toEqual(['monitoring-threshold']);
  });
});

describe('re-evaluation of a day', () => {
  const setting = (dialect: string) => settingOf(standardMappings(), { dialect });
  const run = (dialect: string, ...versions: Breaches[]) => {
    const ledger = makeLedger();
    return versions.map((breaches, i) =>
      ledger(translated(aSummary(breaches, i + 1), { dialect }), setting(dialect), i + 1).changes.map(
        ({ change, resource }) => `${change} ${codesOf(resource['code'])[0] ?? ''} ${String(resource['status'])}`,
      ),
    );
  };
  const HRV: Breaches = { hrv: { value: 20, direction: 'below' } };
  const PULSE: Breaches = { resting_heart_rate: { value: 71, direction: 'above' } };
  const DAY = 'health-monitoring-daily-alerts';

  test('breached with another value is another alert: the old is entered in error, the new is final', () => {
    const [, second] = run(
      'default',
      { ...HRV, ...PULSE },
      { hrv: { value: 19, direction: 'below' }, oxygenation: { value: 90, direction: 'below' } },
    );
    expect(second?.toSorted()).toEqual([
      'create alert-hrv final',
      'create alert-oxygenation final',
      'retract alert-hrv entered-in-error',
      'retract alert-resting-heart-rate entered-in-error',
      `update ${DAY} amended`,
    ]);
  });

  test('the same again changes nothing', () => {
    expect(run('default', HRV, HRV)[1]).toEqual(['keep alert-hrv final', `keep ${DAY} final`]);
    expect(run('default', {}, {})[1]).toEqual([`keep ${DAY} final`]);
  });

  test('nothing out of range takes all of it back, and says that the day was evaluated', () => {
    expect(run('default', { ...HRV, ...PULSE }, {})[1]?.toSorted()).toEqual([
      `create ${DAY} final`,
      'retract alert-hrv entered-in-error',
      'retract alert-resting-heart-rate entered-in-error',
      `retract ${DAY} entered-in-error`,
    ]);
    expect(observationsOf(translated(aSummary({}, 2)))).toMatchObject([{ valueInteger: 0 }]);
  });

  test('nothing out of range from the start is said too, unless the dialect wants it only to replace something', () => {
    expect(run('default', {})[0]).toEqual([`create ${DAY} final`]);
    const quiet = {
      ...setting('default'),
      dialect: { ...setting('default').dialect, zeroAlerts: 'to-replace' as const },
    };
    const ledger = makeLedger();
    const shown = (breaches: Breaches, version: number): string[] =>
      ledger(translateText(JSON.stringify(aSummary(breaches, version)), quiet), quiet, version).changes.map(
        ({ change, resource }) => `${change} ${codesOf(resource['code'])[0] ?? ''}`,
      );
    expect(shown({}, 1)).toEqual([`skip ${DAY}`]);
    expect(shown(HRV, 2)).toEqual(['create alert-hrv', `create ${DAY}`]);
    expect(shown({}, 3).toSorted()).toEqual([`create ${DAY}`, 'retract alert-hrv', `retract ${DAY}`]);
  });

  test('what was taken back and breaches again is said again', () => {
    const [, , third] = run('default', HRV, {}, HRV);
    expect(third).toContain('update alert-hrv amended');
    expect(third).toContain(`retract ${DAY} entered-in-error`);
  });

  test('what was measured without a value is not withdrawn where amendments are called corrected', () => {
    const reason = {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/data-absent-reason', code: 'unknown' }],
    };
    expect(isWithdrawn({ resourceType: 'Observation', status: 'corrected', dataAbsentReason: reason })).toBe(false);
  });

  test('an EHR without entered-in-error gets a correction without any value, which says why in its content', () => {
    const ledger = makeLedger();
    const oracle = setting('oracle-health');
    ledger(translated(aSummary(PULSE), { dialect: 'oracle-health' }), oracle, 1);
    const { changes } = ledger(translated(aSummary({}, 2), { dialect: 'oracle-health' }), oracle, 2);
    const [gone] = changes.filter(({ change }) => change === 'retract');
    expect(gone?.resource).toMatchObject({ status: 'corrected', dataAbsentReason: { coding: [{ code: 'error' }] } });
    expect((gone?.resource['note'] as Json[]).at(-1)).toEqual({ text: `Withdrawn. ${WITHDRAWN_BECAUSE.dropped}` });
    expect(
      Object.keys(gone?.resource ?? {}).filter((name) => /^value|^interpretation|^referenceRange/.test(name)),
    ).toEqual([]);
    expect(isWithdrawn(gone?.resource ?? {})).toBe(true);
  });
});
