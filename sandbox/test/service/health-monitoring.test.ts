import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  NO_BASELINES,
  nextAlertEvents,
  nextAlertSummary,
  nextBaselines,
  oxygenSamples,
  SIGNAL_TYPES,
  type AlertSummaryPayload,
  type Baselines,
  type Bounds,
  type OxygenSample,
  type RuleOf,
  type SignalType,
  type SummaryState,
} from '../../insights/index.ts';
import type { DaySummary } from '../../population/index.ts';
import { SIGNALS } from '../../service/monitoring-rules.ts';
import {
  accepted,
  aDay,
  aSourceDay,
  dateAfter,
  daysUpTo,
  wall,
  WHOSE,
  ZONE,
  type DayParts,
} from '../../../test/support/days.ts';

const DATE = '2026-11-14';
type Rules = Readonly<Partial<Record<SignalType, Bounds>>>;

/** The service's defaults, but for the rules given. */
const rulesOf =
  (rules: Rules = {}): RuleOf =>
  (signal) => {
    const rule = rules[signal];
    return rule === undefined ? { rule: SIGNALS[signal]?.standard ?? {}, isDefault: true } : { rule, isDefault: false };
  };

const kept = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
/** Closed by the seven days before: resting heart rate 60, variability 50, breathing 15. */
const CLOSED = kept(nextBaselines(NO_BASELINES, daysUpTo('2026-11-13', 7)));

interface Given {
  readonly day: DaySummary;
  readonly baselines?: Baselines;
  readonly rules?: Rules;
  readonly samples?: readonly OxygenSample[];
  readonly previous?: SummaryState | null;
}
const next = ({ day, baselines = CLOSED, rules = {}, samples = [], previous = null }: Given) =>
  nextAlertSummary(previous, { whose: WHOSE, day, baselines, samples, ruleOf: rulesOf(rules) });

function summaryOf(given: Given): AlertSummaryPayload {
  const made = next(given);
  if (made === null) throw new Error('no summary');
  return made.payload;
}
const signalOf = (payload: AlertSummaryPayload, type: SignalType) =>
  payload.alerts.alert_signals_array.find(({ signal_type_string: name }) => name === type);
const breachesOf = ({ alerts }: AlertSummaryPayload) =>
  alerts.alert_signals_array.flatMap((one) =>
    one.measured_value_float === null ? [] : [[one.signal_type_string, one.breach_direction_string]],
  );

const QUIET = {
  measured_value_float: null,
  baseline_value_float: null,
  threshold_type_string: null,
  deviation_below_percent_float: null,
  deviation_above_percent_float: null,
  threshold_min_float: null,
  threshold_max_float: null,
  breach_direction_string: null,
  unit_string: null,
  is_default_config_bool: false,
  source_of_data_string: null,
  measured_at_string: null,
};

const sample = (time: string, value: number, source = 'RingWearable'): OxygenSample => ({
  at: wall(`${DATE}T${time}`),
  value,
  source,
  zone: ZONE,
});
const AT = wall(`${DATE}T12:00:00`);
const alertsOf = (samples: readonly OxygenSample[], rules: Rules = {}, alerted: readonly string[] = []) =>
  nextAlertEvents(alerted, { whose: WHOSE, samples, ruleOf: rulesOf(rules), at: AT });

describe('2.8 signals', () => {
  const parts: readonly (readonly [SignalType, string, string, DayParts])[] = [
    ['resting_heart_rate', 'baseline_deviation', 'bpm', { body: { restingHeartRate: 70 } }],
    ['hrv', 'baseline_deviation', 'ms', { body: { hrvMs: 30 } }],
    ['resting_breathing_rate', 'baseline_deviation', 'breaths_per_min', { sleep: { breathingRate: 17 } }],
    ['oxygenation', 'fixed_range', 'percentage', { sleep: { spo2: 90 } }],
    ['sleep_duration', 'fixed_range', 'seconds', { sleep: { durationS: 18_000 } }],
  ];
  test.each(parts)('%s is judged by %s in %s, in the daily summary', (type, method, unit, day) => {
    const payload = summaryOf({ day: aDay(DATE, day) });
    expect(breachesOf(payload)).toEqual([[type, expect.stringMatching(/^(above|below)$/)]]);
    expect(signalOf(payload, type)).toMatchObject({ threshold_type_string: method, unit_string: unit });
    accepted(payload);
  });

  test('only oxygenation has a near-immediate alert', () => {
    const samples = (['spo2', 'heart_rate', 'hrv', 'blood_glucose', 'temperature'] as const).map((kind) => ({
      kind,
      at: wall(`${DATE}T03:00:00`),
      values: [10],
    }));
    const found = oxygenSamples([aSourceDay('RingWearable', DATE, { samples })]);
    expect(alertsOf(found).payloads.map(({ alerts }) => alerts.alert_signals_array[0].signal_type_string)).toEqual([
      'oxygenation',
    ]);
  });

  test('only the resting heart rate is evaluated', () => {
    const day = aDay(DATE, { physical: { averageHeartRate: 140, maxHeartRate: 210, minHeartRate: 30 } });
    expect(summaryOf({ day }).alerts.total_alerts_int).toBe(0);
  });

  test('a signal is evaluated only when its measurement is not null', () => {
    const day = aDay(DATE, {
      body: { restingHeartRate: null, hrvMs: null, spo2: null },
      physical: { spo2: null },
      sleep: { breathingRate: null, spo2: null, durationS: null },
    });
    expect(summaryOf({ day }).alerts.total_alerts_int).toBe(0);
  });
});

describe('2.8 default thresholds', () => {
  test.each<readonly [SignalType, number, 'above' | 'below' | null, DayParts]>([
    ['resting_heart_rate', 50.9, 'below', { body: { restingHeartRate: 50.9 } }],
    ['resting_heart_rate', 51, null, { body: { restingHeartRate: 51 } }],
    ['resting_heart_rate', 66, null, { body: { restingHeartRate: 66 } }],
    ['resting_heart_rate', 66.1, 'above', { body: { restingHeartRate: 66.1 } }],
    ['hrv', 34.9, 'below', { body: { hrvMs: 34.9 } }],
    ['hrv', 35, null, { body: { hrvMs: 35 } }],
    ['hrv', 250, null, { body: { hrvMs: 250 } }],
    ['resting_breathing_rate', 12.7, 'below', { sleep: { breathingRate: 12.7 } }],
    ['resting_breathing_rate', 16.5, null, { sleep: { breathingRate: 16.5 } }],
    ['resting_breathing_rate', 16.6, 'above', { sleep: { breathingRate: 16.6 } }],
    ['oxygenation', 91.9, 'below', { sleep: { spo2: 91.9 } }],
    ['oxygenation', 92, null, { sleep: { spo2: 92 } }],
    ['oxygenation', 100, null, { sleep: { spo2: 100 } }],
    ['sleep_duration', 21_599, 'below', { sleep: { durationS: 21_599 } }],
    ['sleep_duration', 21_600, null, { sleep: { durationS: 21_600 } }],
    ['sleep_duration', 32_400, null, { sleep: { durationS: 32_400 } }],
    ['sleep_duration', 32_401, 'above', { sleep: { durationS: 32_401 } }],
  ])('%s of %d: %s', (type, _, direction, parts) => {
    const payload = summaryOf({ day: aDay(DATE, parts) });
    expect(breachesOf(payload)).toEqual(direction === null ? [] : [[type, direction]]);
  });
});

describe('2.8 rule resolution', () => {
  test('a rule takes the place of the default, side by side', () => {
    const rules: Rules = {
      resting_heart_rate: { deviation_above_percent_float: 5 },
      hrv: { deviation_below_percent_float: null, deviation_above_percent_float: 20 },
    };
    const payload = summaryOf({ day: aDay(DATE, { body: { restingHeartRate: 64, hrvMs: 61 } }), rules });
    expect(signalOf(payload, 'resting_heart_rate')).toMatchObject({
      deviation_below_percent_float: null,
      deviation_above_percent_float: 5,
      threshold_min_float: null,
      threshold_max_float: 63,
      is_default_config_bool: false,
    });
    expect(signalOf(payload, 'hrv')).toMatchObject({ threshold_min_float: null, threshold_max_float: 60 });
    accepted(payload);
  });

  test('oxygenation above the maximum of a rule is an alert too', () => {
    const rules = { oxygenation: { threshold_min_float: 90, threshold_max_float: 98 } };
    const { payloads } = alertsOf([sample('03:00:00', 91), sample('03:10:00', 99), sample('03:20:00', 98)], rules);
    expect(payloads.map(({ alerts }) => alerts.alert_signals_array[0])).toMatchObject([
      {
        measured_value_float: 99,
        breach_direction_string: 'above',
        threshold_max_float: 98,
        is_default_config_bool: false,
      },
    ]);
    accepted(payloads[0] ?? {});
  });
});

describe('2.8 alert_event', () => {
  test('has every field, no deviation_* field, and no other', () => {
    expect(alertsOf([sample('03:12:00', 90.44)]).payloads).toEqual([
      {
        client_uuid: WHOSE.client,
        user_id: WHOSE.user,
        version: 2,
        document_version: 1,
        data_structure: 'alert_event',
        metadata: {
          datetime_string: '2026-11-14T12:00:00+01:00',
          sources_of_data_array: ['RingWearable'],
          user_id_string: WHOSE.user,
        },
        alerts: {
          triggered_at_string: '2026-11-14T12:00:00+01:00',
          alert_signals_array: [
            {
              signal_type_string: 'oxygenation',
              measured_value_float: 90.44,
              baseline_value_float: null,
              threshold_type_string: 'fixed_range',
              threshold_min_float: 92,
              threshold_max_float: null,
              breach_direction_string: 'below',
              unit_string: 'percentage',
              is_default_config_bool: true,
              source_of_data_string: 'RingWearable',
              measured_at_string: '2026-11-14T03:12:00+01:00',
            },
          ],
        },
      },
    ]);
  });

  test('values have one decimal', () => {
    const samples = [{ kind: 'spo2' as const, at: AT - 1, values: [90.4499999] }];
    expect(oxygenSamples([aSourceDay('RingWearable', DATE, { samples })])).toMatchObject([{ value: 90.4 }]);
  });

  test('is made for each measurement out of range, once, whatever is sent again or corrected', () => {
    const first = alertsOf([sample('03:00:00', 90), sample('03:10:00', 95), sample('03:20:00', 89)]);
    expect(first.payloads).toHaveLength(2);
    const again = alertsOf(
      [sample('03:00:00', 88), sample('03:20:00', 89), sample('04:00:00', 91)],
      {},
      kept(first.alerted),
    );
    expect(again.payloads.map(({ alerts }) => alerts.alert_signals_array[0].measured_at_string)).toEqual([
      '2026-11-14T04:00:00+01:00',
    ]);
  });

  test('two sources at the same moment are two measurements', () => {
    const { payloads } = alertsOf([sample('03:00:00', 90), sample('03:00:00', 90, 'IosHealth')]);
    expect(new Set(payloads.map((one) => accepted(one).parsed.documentKey)).size).toBe(2);
  });

  test('what is remembered does not grow for ever', () => {
    const old = `${AT - 90 * 86_400_000} RingWearable`;
    expect(alertsOf([sample('03:00:00', 90)], {}, [old]).alerted).toHaveLength(1);
  });
});

describe('2.8 alert_summary', () => {
  const day = aDay(DATE, { body: { restingHeartRate: 71 }, sources: ['RingWearable', 'ConnectedScale'] });

  test('has every field, and no other', () => {
    expect(summaryOf({ day })).toEqual({
      client_uuid: WHOSE.client,
      user_id: WHOSE.user,
      version: 2,
      document_version: 1,
      data_structure: 'alert_summary',
      metadata: {
        datetime_string: '2026-11-14T23:59:59+01:00',
        sources_of_data_array: ['RingWearable', 'ConnectedScale'],
        user_id_string: WHOSE.user,
        summary_date_string: DATE,
        user_timezone_string: ZONE,
      },
      alerts: {
        total_alerts_int: 1,
        summary_period_start_string: '2026-11-14T00:00:00+01:00',
        summary_period_end_string: '2026-11-14T23:59:59+01:00',
        alert_signals_array: [
          {
            signal_type_string: 'resting_heart_rate',
            measured_value_float: 71,
            baseline_value_float: 60,
            threshold_type_string: 'baseline_deviation',
            deviation_below_percent_float: 15,
            deviation_above_percent_float: 10,
            threshold_min_float: 51,
            threshold_max_float: 66,
            breach_direction_string: 'above',
            unit_string: 'bpm',
            is_default_config_bool: true,
            source_of_data_string: 'RingWearable',
            measured_at_string: '2026-11-14T07:00:00+01:00',
          },
          { signal_type_string: 'hrv', ...QUIET },
          { signal_type_string: 'resting_breathing_rate', ...QUIET },
          { signal_type_string: 'oxygenation', ...QUIET },
          { signal_type_string: 'sleep_duration', ...QUIET },
        ],
      },
    });
  });

  test('fixed-range signals have no baseline and no deviations', () => {
    const payload = summaryOf({ day: aDay(DATE, { sleep: { durationS: 18_000 } }) });
    expect(signalOf(payload, 'sleep_duration')).toMatchObject({
      baseline_value_float: null,
      deviation_below_percent_float: null,
      deviation_above_percent_float: null,
      threshold_min_float: 21_600,
      threshold_max_float: 32_400,
    });
  });

  test('says which source a value came from', () => {
    const sourceOf = { 'body.restingHeartRate': 'GpsWatch' };
    const payload = summaryOf({ day: aDay(DATE, { body: { restingHeartRate: 71 }, sourceOf }) });
    expect(signalOf(payload, 'resting_heart_rate')?.source_of_data_string).toBe('GpsWatch');
  });

  test('oxygenation is the measurement farthest outside, so that no alert of the day is denied', () => {
    const samples = [sample('03:00:00', 91), sample('04:30:00', 88.5), sample('05:00:00', 97)];
    const payload = summaryOf({ day: aDay(DATE), samples });
    expect(signalOf(payload, 'oxygenation')).toMatchObject({
      measured_value_float: 88.5,
      measured_at_string: '2026-11-14T04:30:00+01:00',
    });
    const yesterday = samples.map((one) => ({ ...one, at: one.at - 86_400_000 }));
    expect(summaryOf({ day: aDay(DATE), samples: yesterday }).alerts.total_alerts_int).toBe(0);
  });

  test.each([
    ['2026-03-29', ZONE, '2026-03-29T00:00:00+01:00', '2026-03-29T23:59:59+02:00'],
    ['2026-10-25', ZONE, '2026-10-25T00:00:00+02:00', '2026-10-25T23:59:59+01:00'],
    ['2026-11-14', 'Asia/Kolkata', '2026-11-14T00:00:00+05:30', '2026-11-14T23:59:59+05:30'],
  ])('of %s in %s is of the local day, however long', (date, zone, start, end) => {
    const baselines = nextBaselines(NO_BASELINES, daysUpTo(dateAfter(date, -1), 7, { zone }));
    const { metadata, alerts } = summaryOf({ day: aDay(date, { zone }), baselines });
    expect([alerts.summary_period_start_string, alerts.summary_period_end_string]).toEqual([start, end]);
    expect(metadata).toMatchObject({ datetime_string: end, summary_date_string: date, user_timezone_string: zone });
  });
});

describe('3 baseline', () => {
  const states = (baselines: Baselines) => Object.values(baselines).map(({ state }) => state);

  test('is open until seven valid days, per signal', () => {
    const six = nextBaselines(NO_BASELINES, daysUpTo(DATE, 6));
    expect(states(six)).toEqual(['open', 'open', 'open']);
    const seven = nextBaselines(kept(six), [aDay('2026-11-15', { body: { hrvMs: null } })]);
    expect(states(seven)).toEqual(['closed', 'open', 'closed']);
    expect(seven.resting_heart_rate).toEqual({ state: 'closed', value: 60, from: '2026-11-09', to: '2026-11-15' });
  });

  test('is the mean of the seven, to one decimal', () => {
    const days = daysUpTo(DATE, 7, (_, i) => ({ body: { restingHeartRate: 60 + i + 0.1 } }));
    expect(nextBaselines(NO_BASELINES, days).resting_heart_rate).toMatchObject({ value: 63.1 });
  });

  test.each([
    [29, 'closed'],
    [30, 'open'],
  ])('closes by seven days that span %i days: %s', (span, state) => {
    const dates = [0, 1, 2, 3, 4, 5, span].map((n) => dateAfter('2026-09-01', n));
    const baselines = nextBaselines(
      NO_BASELINES,
      dates.map((date) => aDay(date)),
    );
    expect(baselines.hrv.state).toBe(state);
  });

  test('a window that passes without seven leaves it open, and new data is tried', () => {
    const sparse = Array.from({ length: 12 }, (_, i) => aDay(dateAfter('2026-07-01', i * 6)));
    const open = nextBaselines(NO_BASELINES, sparse);
    expect(states(open)).toEqual(['open', 'open', 'open']);
    expect(open.hrv.state === 'open' && Object.keys(open.hrv.values)).toHaveLength(5);
    expect(nextBaselines(kept(open), daysUpTo('2026-09-08', 2)).hrv.state).toBe('closed');
  });

  test('once closed it is kept, whatever comes or is corrected', () => {
    const later = nextBaselines(CLOSED, daysUpTo('2026-11-20', 20, { body: { restingHeartRate: 90 } }));
    expect(later).toEqual(CLOSED);
  });

  test('is taken first from pre-existing data: the earliest seven of what comes at once', () => {
    const days = daysUpTo(DATE, 29, (_, i) => ({ body: { restingHeartRate: 50 + i } }));
    const baselines = nextBaselines(NO_BASELINES, days.toReversed());
    expect(baselines.resting_heart_rate).toEqual({ state: 'closed', value: 53, from: '2026-10-17', to: '2026-10-23' });
  });

  test('a corrected day counts once, and a day that lost its value no longer', () => {
    const days = daysUpTo(DATE, 6);
    const again = nextBaselines(nextBaselines(NO_BASELINES, days), days);
    expect(again.hrv.state).toBe('open');
    const less = nextBaselines(again, [aDay(DATE, { body: { hrvMs: null } }), aDay('2026-11-15')]);
    expect([less.hrv.state, less.resting_heart_rate.state]).toEqual(['open', 'closed']);
  });

  test('half a night is no valid day of breathing', () => {
    const days = daysUpTo(DATE, 7, { sleep: { isComplete: false } });
    expect(nextBaselines(NO_BASELINES, days).resting_breathing_rate.state).toBe('open');
  });

  test('before closing the signal raises no alerts, while others do', () => {
    const baselines = nextBaselines(NO_BASELINES, daysUpTo('2026-11-13', 7, { body: { hrvMs: null } }));
    const day = aDay(DATE, { body: { restingHeartRate: 80, hrvMs: 5 } });
    expect(breachesOf(summaryOf({ day, baselines }))).toEqual([['resting_heart_rate', 'above']]);
  });

  test('a day that helped to make the baseline is not judged by it', () => {
    const days = daysUpTo('2026-11-13', 7, (_, i) => ({ body: { restingHeartRate: i === 6 ? 120 : 60 } }));
    const baselines = nextBaselines(NO_BASELINES, days);
    expect(next({ day: days[6] as DaySummary, baselines })).toBeNull();
  });
});

describe('3 alert_summary, version n', () => {
  const early = aDay(DATE, { sleep: { durationS: 9_000, isComplete: false }, body: null, physical: null });
  const first = next({ day: early });
  const previous = kept(first?.state ?? null);

  test('a more complete version of the day is version n+1, which replaces the earlier one', () => {
    const second = next({ day: aDay(DATE, { sleep: { durationS: 20_000 }, body: { hrvMs: 20 } }), previous });
    expect(second?.payload.document_version).toBe(2);
    expect(breachesOf(second?.payload as AlertSummaryPayload)).toEqual([
      ['hrv', 'below'],
      ['sleep_duration', 'below'],
    ]);
    const keys = [first, second].map((one) => accepted(one?.payload ?? {}).parsed.documentKey);
    expect(keys[0]).toBe(keys[1]);
  });

  test('one that changes nothing of the evaluation is no new version', () => {
    expect(next({ day: { ...early, sources: ['RingWearable', 'GpsWatch'] }, previous })).toBeNull();
  });

  test('a zero-alert summary retracts earlier alerts', () => {
    const second = next({ day: aDay(DATE), previous });
    expect(second?.payload).toMatchObject({ document_version: 2, alerts: { total_alerts_int: 0 } });
    expect(second?.payload.alerts.alert_signals_array).toEqual(
      SIGNAL_TYPES.map((type) => ({ signal_type_string: type, ...QUIET })),
    );
    accepted(second?.payload ?? {});
    const third = next({ day: early, previous: kept(second?.state ?? null) });
    expect(third?.payload).toMatchObject({ document_version: 3, alerts: { total_alerts_int: 1 } });
  });

  test('another day begins with version 1', () => {
    expect(next({ day: aDay('2026-11-15'), previous })?.payload.document_version).toBe(1);
  });
});

describe('6 alert_event', () => {
  test('is emitted when an oxygenation measurement falls outside its effective range, baseline or not', () => {
    const samples = [{ kind: 'spo2' as const, at: wall(`${DATE}T03:00:00`), values: [91.9] }];
    const { payloads } = alertsOf(oxygenSamples([aSourceDay('RingWearable', DATE, { samples })]));
    expect(payloads).toHaveLength(1);
    accepted(payloads[0] ?? {});
  });
  test('is not while it lies inside', () => {
    expect(alertsOf([sample('03:00:00', 92), sample('04:00:00', 100)]).payloads).toEqual([]);
  });
});

describe('6 alert_summary', () => {
  test("is emitted when the day's sleep data arrives, also with nothing out of range", () => {
    expect(summaryOf({ day: aDay(DATE) })).toMatchObject({ document_version: 1, alerts: { total_alerts_int: 0 } });
  });
  test('without sleep data none of the five signals is reported', () => {
    const day = aDay(DATE, { sleep: null, body: { restingHeartRate: 99, hrvMs: 5, spo2: 80 } });
    expect(next({ day, samples: [sample('03:00:00', 80)] })).toBeNull();
  });
  test('with no baseline closed there is none', () => {
    expect(next({ day: aDay(DATE, { sleep: { durationS: 9_000 } }), baselines: NO_BASELINES })).toBeNull();
  });
  test('is keyed by user and summary_date_string', () => {
    const keys = [DATE, '2026-11-15'].map((date) => accepted(summaryOf({ day: aDay(date) })).parsed.documentKey);
    expect(keys.map((key) => key.includes('2026-11-1'))).toEqual([true, true]);
    expect(new Set(keys).size).toBe(2);
  });
});

describe('9 versions of alerts', () => {
  test('payload version is 2, alert_event is always document_version 1', () => {
    const [event] = alertsOf([sample('03:00:00', 90)]).payloads;
    expect([event?.version, event?.document_version, summaryOf({ day: aDay(DATE) }).version]).toEqual([2, 1, 2]);
  });
});

describe('any days', () => {
  const maybe = (min: number, max: number) => fc.option(fc.double({ min, max, noNaN: true }), { freq: 6 });
  const parts = fc.record({
    body: fc.record({ restingHeartRate: maybe(35, 110), hrvMs: maybe(6, 200), spo2: maybe(86, 100) }),
    physical: fc.constant(null),
    sleep: fc.option(
      fc.record({
        durationS: fc.option(fc.integer({ min: 7_200, max: 50_000 })),
        breathingRate: maybe(9, 30),
        spo2: maybe(86, 100),
        isComplete: fc.boolean(),
      }),
      { freq: 6 },
    ),
  });
  const month = fc.array(parts, { minLength: 8, maxLength: 20 });

  test('give summaries that the gateway takes, in which number, threshold and direction agree', () => {
    let given = 0;
    let breaches = 0;
    fc.assert(
      fc.property(month, fc.array(fc.double({ min: 86, max: 100, noNaN: true }), { maxLength: 4 }), (all, levels) => {
        const days = daysUpTo(DATE, all.length, (_, i) => all[i] ?? {});
        const baselines = nextBaselines(NO_BASELINES, days);
        const last = days.at(-1) as DaySummary;
        const spo2 = levels.map((value, i) => ({
          kind: 'spo2' as const,
          at: last.startsAt + i * 600_000,
          values: [value],
        }));
        const samples = oxygenSamples([aSourceDay('RingWearable', DATE, { samples: spo2 })]);
        for (const payload of alertsOf(samples).payloads) accepted(payload);
        const made = next({ day: last, baselines, samples });
        if (made === null) return;
        given += 1;
        accepted(made.payload);
        expect(JSON.stringify(made.payload)).not.toMatch(/\d\.\d{2,}/);
        expect(made.payload.alerts.alert_signals_array.map(({ signal_type_string: type }) => type)).toEqual([
          ...SIGNAL_TYPES,
        ]);
        for (const one of made.payload.alerts.alert_signals_array) {
          if (one.measured_value_float === null) continue;
          breaches += 1;
          if (one.breach_direction_string === 'below')
            expect(one.measured_value_float).toBeLessThan(one.threshold_min_float ?? 0);
          else expect(one.measured_value_float).toBeGreaterThan(one.threshold_max_float ?? Infinity);
        }
        const isAlerted = alertsOf(samples).payloads.length > 0;
        if (isAlerted) expect(signalOf(made.payload, 'oxygenation')?.measured_value_float).not.toBeNull();
        // Said once: the same day again is nothing new.
        expect(next({ day: last, baselines, samples, previous: kept(made.state) })).toBeNull();
      }),
      { numRuns: 60 },
    );
    expect([given > 10, breaches > 10]).toEqual([true, true]);
  });

  test('close a baseline by the same days in whatever order they come at once', () => {
    fc.assert(
      fc.property(month, fc.infiniteStream(fc.nat()), (all, keys) => {
        const days = daysUpTo(DATE, all.length, (_, i) => all[i] ?? {});
        const order = days.map((day) => ({ day, key: keys.next().value as number })).sort((a, b) => a.key - b.key);
        expect(
          nextBaselines(
            NO_BASELINES,
            order.map(({ day }) => day),
          ),
        ).toEqual(nextBaselines(NO_BASELINES, days));
      }),
    );
  });
});
