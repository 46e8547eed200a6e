import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AnyResource } from '../../../src/payloads/index.ts';
import { isWithdrawn } from '../../../src/translate/index.ts';
import { aClinicalReadyOf, anAlertEvent, anAlertSummary, partAt, type Json } from '../../support/payloads/index.ts';
import { standardMappings } from '../../support/standard-mappings.ts';
import { codesOf } from '../../support/translated.ts';
import { makeLedger, saidBy, settingOf, translateText } from '../../support/translate-steps.ts';
import { howMany } from '../../support/how-much.ts';

/*
 * Random histories of one day: alerts reported by themselves, summaries of the day with some and with none,
 * measurements, all of them repeated, late and in any order. What a clinician should see is said by a model that knows
 * nothing of names, ledgers or writers.
 */

const setting = settingOf(standardMappings());
/** The last two are of one instant: only a summary, which is another document, can tell of another value there. */
const READINGS = [
  { measured: 90.5, measuredAt: '2026-11-14T03:12:00+01:00', elsewhere: '2026-11-14T02:12:00Z' },
  { measured: 88, measuredAt: '2026-11-14T04:00:00+01:00', elsewhere: '2026-11-14T03:00:00Z' },
  { measured: 91, measuredAt: '2026-11-14T04:00:00+01:00', elsewhere: '2026-11-14T05:00:00+02:00' },
] as const;
type Reading = 0 | 1 | 2;
const HOUR = 3_600_000;
const START = Date.parse('2026-11-14T08:00:00+01:00');
const hourAt = (n: number): Date => new Date(START + n * HOUR);

type Step =
  | { readonly kind: 'event'; readonly of: Reading }
  /** `of`: the reading that it tells of; null: none. Without a pulse either it is a summary of nothing. */
  | { readonly kind: 'summary'; readonly of: Reading | null; readonly pulse: boolean; readonly version: number }
  /** What was delivered last is carried out again, with the time at which it came first. */
  | { readonly kind: 'summary-again' }
  | { readonly kind: 'measurements'; readonly of: readonly Reading[] };

const aReading = fc.constantFrom<Reading>(0, 1);
const anyReading = fc.constantFrom<Reading>(0, 1, 2);
const aStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('event' as const), of: aReading }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('summary' as const),
      of: fc.option(anyReading, { nil: null }),
      pulse: fc.boolean(),
      version: fc.integer({ min: 1, max: 12 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'summary-again' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('measurements' as const),
      of: fc.uniqueArray(aReading, { minLength: 1 }),
    }),
  },
);
/** When each of the events was raised, in hours after the first delivery; not after it came. */
const aHistory = fc.record({
  steps: fc.array(aStep, { maxLength: 14 }),
  raisedAt: fc.tuple(fc.nat(14), fc.nat(14), fc.nat(14)),
});

/** What a clinician should see: the alerts, the count of the day (null: nobody evaluated it), the measurements. */
interface Seen {
  readonly alerts: ReadonlySet<string>;
  readonly count: number | null;
  readonly measurements: ReadonlySet<string>;
  /** Alerts that repeat a measurement which the chart shows, and so refer to it. */
  readonly referring: readonly string[];
}

const alertOf = (of: Reading): string =>
  `oxygenation ${READINGS[of].measured} ${new Date(READINGS[of].measuredAt).toISOString()}`;
const instantIn = (alert: string): string => alert.slice(alert.lastIndexOf(' '));
const PULSE = 'pulse';

function makeModel() {
  const events = new Map<Reading, number>();
  const measured = new Set<string>();
  let clearedAt = -Infinity;
  let summary: { readonly alerts: readonly string[] } | null = null;
  return {
    event(of: Reading, raisedAt: number): void {
      if (raisedAt > clearedAt) events.set(of, raisedAt);
    },
    summary(alerts: readonly string[], at: number): void {
      summary = { alerts };
      if (alerts.length > 0) return;
      clearedAt = Math.max(clearedAt, at);
      for (const [of, raisedAt] of events) if (raisedAt <= at) events.delete(of);
    },
    measurements(of: readonly Reading[]): void {
      measured.clear();
      for (const one of of) measured.add(alertOf(one));
    },
    seen(): Seen {
      const alerts = new Set([...[...events.keys()].map(alertOf), ...(summary?.alerts ?? [])]);
      const instants = new Set([...measured].map(instantIn));
      return {
        alerts,
        count: summary?.alerts.length ?? null,
        measurements: measured,
        referring: [...alerts].filter((alert) => alert !== PULSE && instants.has(instantIn(alert))),
      };
    },
  };
}

const keyOf = (resource: AnyResource): string => {
  const [code = ''] = codesOf(resource['code']);
  if (code === 'alert-resting-heart-rate') return PULSE;
  const at = String(resource['effectiveDateTime'] ?? partAt(resource, 'effectivePeriod.start'));
  return `oxygenation ${Number(JSON.stringify(partAt(resource, 'valueQuantity.value')))} ${new Date(at).toISOString()}`;
};

describe('whatever comes in whatever order', () => {
  const textOf = (payload: Json): string => JSON.stringify(payload);
  const summaryOf = ({ of, pulse, version }: Extract<Step, { kind: 'summary' }>): Json => {
    const told =
      of === null ? {} : { oxygenation: { measured: READINGS[of].measured, measuredAt: READINGS[of].elsewhere } };
    return anAlertSummary({ documentVersion: version, restingHeartRate: pulse ? 71 : null, ...told });
  };
  const measurementsOf = (of: readonly Reading[], version: number): Json =>
    aClinicalReadyOf(
      of.map((one) => {
        const { measured, measuredAt } = READINGS[one];
        return {
          code: 'spo2',
          category: 'vital-signs',
          value: String(measured),
          unit: '%',
          start: measuredAt,
          end: measuredAt,
        };
      }),
      { documentVersion: version },
    );

  /** Plays a history, and gives what the chart holds. */
  function play({ steps, raisedAt }: { readonly steps: readonly Step[]; readonly raisedAt: readonly number[] }) {
    const ledger = makeLedger();
    const model = makeModel();
    let newest: { readonly step: Extract<Step, { kind: 'summary' }>; readonly at: Date } | null = null;
    /** By its document, how the last delivery of it is carried out. */
    const carryOut = new Map<string, () => void>();
    const write = (payload: Json, version: number, at: Date): void => {
      const text = textOf(payload);
      const said = saidBy(text, at);
      carryOut.set(said.document, () => void ledger(translateText(text, setting), setting, version, said));
      carryOut.get(said.document)?.();
    };
    const summarise = (step: Extract<Step, { kind: 'summary' }>, at: Date): void => {
      write(summaryOf(step), step.version, at);
      model.summary([...(step.of === null ? [] : [alertOf(step.of)]), ...(step.pulse ? [PULSE] : [])], at.getTime());
    };
    for (const [n, step] of steps.entries()) {
      const at = hourAt(n);
      if (step.kind === 'event') {
        const raised = hourAt(Math.min(raisedAt[step.of] ?? 0, n));
        const { measured, measuredAt } = READINGS[step.of];
        write(anAlertEvent({ measured, measuredAt, triggeredAt: raised.toISOString() }), 1, at);
        model.event(step.of, raised.getTime());
      } else if (step.kind === 'measurements') {
        write(measurementsOf(step.of, n), n, at);
        for (const document of ledger.alerting()) carryOut.get(document)?.();
        model.measurements(step.of);
      } else if (step.kind === 'summary-again') {
        if (newest !== null) summarise(newest.step, newest.at);
      } else if (newest === null || step.version > newest.step.version) {
        // An older version is superseded by the inbox, and never comes here.
        newest = { step, at };
        summarise(step, at);
      }
    }
    return { chart: ledger.chart(), seen: model.seen() };
  }

  const seenIn = (chart: readonly AnyResource[]): { readonly [K in keyof Seen]: unknown } => {
    const live = chart.filter((one) => !isWithdrawn(one));
    const under = (code: string) => live.filter((one) => codesOf(one['code']).includes(code));
    const counts = under('health-monitoring-daily-alerts').map((one) => one['valueInteger']);
    return {
      alerts: under('health-monitoring-alert').map(keyOf).sort(),
      count: counts.length > 1 ? counts : (counts[0] ?? null),
      measurements: under('59408-5').map(keyOf).sort(),
      referring: under('health-monitoring-alert')
        .filter((one) => one['derivedFrom'] !== undefined)
        .map(keyOf)
        .sort(),
    };
  };

  test('the chart shows each alert once, and what it should', () => {
    fc.assert(
      fc.property(aHistory, (history) => {
        const { chart, seen } = play(history);
        expect(seenIn(chart)).toEqual({
          alerts: [...seen.alerts].sort(),
          count: seen.count,
          measurements: [...seen.measurements].sort(),
          referring: seen.referring.toSorted(),
        });
      }),
      { numRuns: howMany(200, 1_000) },
    );
  });

  test('no reading is both final and entered in error, as an alert or as a measurement', () => {
    fc.assert(
      fc.property(aHistory, (history) => {
        for (const code of ['health-monitoring-alert', '59408-5']) {
          const keys = play(history)
            .chart.filter((one) => codesOf(one['code']).includes(code))
            .map(keyOf);
          expect(keys).toEqual([...new Set(keys)]);
        }
      }),
      { numRuns: howMany(100, 300) },
    );
  });

  test('an event and the summary that tells of it may change places', () => {
    fc.assert(
      fc.property(aReading, fc.boolean(), fc.boolean(), (of, pulse, isDropped) => {
        const told = { kind: 'summary', of, pulse, version: 1 } as const;
        const event = { kind: 'event', of } as const;
        const after: Step[] = isDropped ? [{ kind: 'summary', of: null, pulse: true, version: 2 }] : [];
        const [one, other] = [
          [told, event],
          [event, told],
        ].map((steps) => seenIn(play({ steps: [...steps, ...after], raisedAt: [0, 0, 0] }).chart));
        expect(one).toEqual(other);
      }),
    );
  });
});
