import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { z } from 'zod';
import { clinicalReadyShape, readShape } from '../../../src/payloads/clinical-ready.ts';
import { envelopeShape, readEnvelope } from '../../../src/payloads/envelope.ts';
import { howMany } from '../../support/how-much.ts';
import { mutate, picker } from '../../support/mutate.ts';
import { aClinicalReady, rawNumber, withAt, withoutAt, type Json } from '../../support/payloads/index.ts';
import { OPTIONS, payloadOf } from './read.ts';

/** The envelope and the metadata alone, so that most mutations fall on them. */
const SMALL = aClinicalReady({ observations: 1 });

const VALUES: readonly unknown[] = [
  undefined,
  null,
  true,
  false,
  '',
  ' ',
  'a',
  'x'.repeat(50),
  'x'.repeat(51),
  'x'.repeat(101),
  'a\u0000b',
  '\ud800',
  '\u{1f600}',
  0,
  -0,
  -1,
  1.5,
  2 ** 53,
  rawNumber('1.0'),
  rawNumber('-0'),
  [],
  [''],
  ['a', ' ', 'b'],
  ['a', 1],
  {},
  { id: 'x' },
  'Bundle',
  'collection',
  '2026-11-14T23:59:59Z',
  '2026-11-14T23:59',
  '2026-02-30T00:00:00Z',
  '2026-11-14',
];
const PLACES = [
  ...['data_structure', 'client_uuid', 'user_id', 'version', 'document_version', 'clinical_ready'],
  ...['clinical_ready.metadata', 'clinical_ready.clinical_ready_data'],
  ...['datetime_string', 'user_id', 'sources_of_data_array', 'fhir_export_ready'].map(
    (name) => `clinical_ready.metadata.${name}`,
  ),
  ...['id', 'type', 'resourceType', 'entry'].map((name) => `clinical_ready.clinical_ready_data.${name}`),
];

const said = (read: z.ZodSafeParseResult<unknown>): unknown =>
  read.success ? read.data : read.error.issues.map(({ code, path }) => [code, path]);

function checkBoth(value: unknown): void {
  expect(said(readEnvelope(value))).toEqual(said(envelopeShape.safeParse(value)));
  expect(said(readShape(value))).toEqual(said(clinicalReadyShape.safeParse(value)));
}

describe('what is read without the schema is what the schema reads', () => {
  test.each(PLACES)('whatever stands at %s', (place) => {
    for (const value of VALUES) checkBoth(value === undefined ? withoutAt(SMALL, place) : withAt(SMALL, place, value));
  });

  test('after any mutation', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 2 }), (seed, times) => {
        const pick = picker(seed);
        let value: unknown = SMALL;
        for (let i = 0; i < times; i += 1) value = mutate(value as Json, pick).mutant;
        checkBoth(value);
      }),
      { numRuns: howMany(500, 5_000) },
    );
  });

  test('a payload without devices reads as one that says it has none', () => {
    const { clinical: _a, ...absent } = payloadOf(SMALL, OPTIONS);
    const { clinical: _b, ...none } = payloadOf({ ...SMALL, device_source_data_array: null }, OPTIONS);
    expect(absent).toEqual(none);
  });
});
