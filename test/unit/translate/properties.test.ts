import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  aClinicalReadyOf,
  aLabResult,
  anAlertEvent,
  anAlertSummary,
  aStepsEvent,
  aUserProfile,
  PATIENT_ID,
  PATIENT_URL,
  withAt,
  type Json,
} from '../../support/payloads/index.ts';
import { bytesOf, danglingIn, everything, observationsOf, translated } from '../../support/translated.ts';
import { problemsOf } from '../../support/translate-steps.ts';
import { aDocument, metrics, shuffled, TIMES } from './arbitrary.ts';

const RUNS = { numRuns: 60 };

describe('any clinical_ready document', () => {
  test('gives the same bytes for the same input', () => {
    fc.assert(
      fc.property(aDocument, (payload) => {
        expect(bytesOf(translated(payload))).toBe(bytesOf(translated(payload)));
      }),
      RUNS,
    );
  });

  test('gives the same bytes in whatever order its entries stand', () => {
    fc.assert(
      fc.property(
        metrics.chain((all) => fc.tuple(fc.constant(all), shuffled(all.length + 1))),
        ([all, order]) => {
          expect(bytesOf(translated(aClinicalReadyOf(all, { order })))).toBe(
            bytesOf(translated(aClinicalReadyOf(all))),
          );
        },
      ),
      RUNS,
    );
  });

  test('gives the same bytes in whatever order its names stand', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null || 'rawJSON' in value) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, part]) => [name, reversed(part)]),
      );
    };
    fc.assert(
      fc.property(aDocument, (payload) => {
        expect(bytesOf(translated(reversed(payload) as Json))).toBe(bytesOf(translated(payload)));
      }),
      RUNS,
    );
  });

  test('becomes valid R4 with its profiles, one resource for each name, and no reference that leads nowhere', () => {
    fc.assert(
      fc.property(aDocument, fc.constantFrom('park' as const, 'pass-through' as const), (payload, unmapped) => {
        const translation = translated(payload, { unmapped });
        expect(problemsOf(translation)).toEqual([]);
        expect(danglingIn(translation)).toEqual([]);
        const all = everything(translation);
        expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
        expect(new Set(all.map(({ reference }) => reference)).size).toBe(all.length);
      }),
      RUNS,
    );
  });

  test('shows nothing of the source user, its Patient or the ids of its resources', () => {
    fc.assert(
      fc.property(
        metrics,
        fc.uuid().map((id) => `u-${id}`),
        (all, userId) => {
          const text = bytesOf(translated(aClinicalReadyOf(all, { userId })));
          for (const secret of [userId, PATIENT_ID, PATIENT_URL, 'source-observation-', '88888888-aaaa'])
            expect(text).not.toContain(secret);
        },
      ),
      RUNS,
    );
  });

  test('shows the source user as a secondary identifier of its client alone, where that is configured', () => {
    const { patient, wanted, provenance } = translated(aClinicalReadyOf([{ code: 'weight' }], { userId: 'u-4711' }), {
      sourceIdentifier: 'secondary',
    });
    expect(patient.resource['identifier']).toMatchObject([
      { type: { coding: [{ code: 'MR' }] }, value: '0001001' },
      {
        use: 'secondary',
        type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'PT' }] },
        value: 'u-4711',
      },
    ]);
    expect(JSON.stringify(patient.resource['identifier'])).toContain('5b1e6f0a-7c1d-4e9b-9a55-0c9f6f1d2e3a');
    expect(JSON.stringify({ wanted, provenance })).not.toContain('u-4711');
  });

  test('keeps the digits of a value that is not converted', () => {
    const digits = fc.oneof(
      fc.constantFrom('70.10', '72.0', '7e1', '7.00E+1', '70.000', '70', '12.50', '80.123456789012345678'),
      fc
        .tuple(fc.integer({ min: 40, max: 99 }), fc.stringMatching(/^[0-9]{1,6}$/))
        .map(([whole, rest]) => `${whole}.${rest}`),
    );
    fc.assert(
      fc.property(digits, (value) => {
        const text = JSON.stringify(observationsOf(translated(aClinicalReadyOf([{ code: 'weight', value }]))));
        expect(text).toContain(`"valueQuantity":{"value":${value},`);
      }),
      { numRuns: 120 },
    );
  });
});

describe.each([
  ['lab_result', (userId: string) => aLabResult({ userId })],
  ['alert_event', (userId: string) => anAlertEvent({ userId })],
  ['alert_summary', (userId: string) => anAlertSummary({ userId })],
  ['steps_event', (userId: string) => aStepsEvent({ userId })],
  ['user_profile', (userId: string) => aUserProfile({ userId })],
])('%s', (_, build) => {
  test('names its resources anew for another user, and never shows the user', () => {
    const [one, other] = [translated(build('u-11112222')), translated(build('u-33334444'))];
    expect(bytesOf(one)).not.toContain('u-11112222');
    const names = new Set(one.wanted.map(({ name }) => name));
    expect(other.wanted.filter(({ name }) => names.has(name))).toEqual([]);
  });

  test('gives the same bytes for the same input, all of it valid', () => {
    expect(bytesOf(translated(build('u-1')))).toBe(bytesOf(translated(build('u-1'))));
    expect(problemsOf(translated(build('u-1')))).toEqual([]);
    expect(danglingIn(translated(build('u-1')))).toEqual([]);
  });
});

test('a source without a name leaves the output valid', () => {
  const payload = withAt(aClinicalReadyOf([{ code: 'weight' }]), 'clinical_ready.metadata.sources_of_data_array', ['']);
  expect(problemsOf(translated(payload))).toEqual([]);
});

test('every way to write an instant of TIMES is one instant', () => {
  for (const [first, ...others] of TIMES) for (const other of others) expect(Date.parse(other)).toBe(Date.parse(first));
});
