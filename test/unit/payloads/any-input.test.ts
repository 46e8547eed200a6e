import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseNotification, parsePayload } from '../../../src/payloads/index.ts';
import { mutate, picker } from '../../support/mutate.ts';
import {
  CLIENT,
  aClinicalReady,
  aLabResult,
  aNotification,
  aServiceLabResult,
  aStepsEvent,
  aUserProfile,
  anAlertEvent,
  anAlertSummary,
  envelopeOf,
  withAt,
  type Json,
} from '../../support/payloads/index.ts';
import { OPTIONS, faultOf, payloadOf } from './read.ts';
import { howMany } from '../../support/how-much.ts';

const STRUCTURES = [
  'clinical_ready',
  'steps_event',
  'user_profile',
  'alert_event',
  'alert_summary',
  'lab_result',
  'else',
];
const SAMPLES: readonly Json[] = [
  aClinicalReady(),
  aStepsEvent(),
  aUserProfile(),
  anAlertEvent(),
  anAlertSummary(),
  aLabResult(),
  aServiceLabResult(),
];

/** Both ways to name documents and to find laboratory results. */
function readEveryWay(value: unknown): boolean[] {
  return [OPTIONS, { clientUuid: null, documentKey: 'user-day', labPath: 'lab_result.result' } as const].map(
    (options) => parsePayload(value, options).ok,
  );
}

describe('no input throws', () => {
  test('any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        readEveryWay(value);
        parseNotification(value);
      }),
      { numRuns: howMany(100, 300) },
    );
  });

  test('any JSON value under a sound envelope', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...STRUCTURES),
        fc.constantFrom('clinical_ready', 'physical_health', 'user_profile_data', 'alerts', 'metadata', 'lab_result'),
        fc.jsonValue(),
        (structure, name, value) => void readEveryWay({ ...envelopeOf(structure, 1, {}), [name]: value }),
      ),
      { numRuns: howMany(100, 300) },
    );
  });

  test('any mutation of a sound payload', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SAMPLES), fc.integer(), (sample, seed) => {
        const pick = picker(seed);
        const { mutant } = mutate(mutate(sample, pick).mutant, pick);
        void readEveryWay(mutant);
      }),
      { numRuns: howMany(300, 1_500) },
    );
  });

  test('any mutation of a sound notification', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => void parseNotification(mutate(aNotification(), picker(seed)).mutant)),
      { numRuns: 200 },
    );
  });

  test.each([
    ['an identifier of null', 'clinical_ready.clinical_ready_data.entry.0.resource.identifier', [null]],
    ['an identifier of text', 'clinical_ready.clinical_ready_data.entry.0.resource.identifier', ['user-0001']],
    ['a subject of null', 'clinical_ready.clinical_ready_data.entry.1.resource.subject', null],
    ['a subject of text', 'clinical_ready.clinical_ready_data.entry.1.resource.subject', 'Patient/1'],
    ['an entry of null', 'clinical_ready.clinical_ready_data.entry.1', null],
  ])('%s is not believed', (_what, path, value) => {
    expect(faultOf(withAt(aClinicalReady(), path, value))[0]).toMatch(/^payload\.(identity|shape)$/);
  });

  test('as many steps events as the largest body holds', () => {
    const events = Array.from({ length: 240_000 }, (_, i) => ['2026-11-14T10:00:00Z', i] as const);
    expect(payloadOf(aStepsEvent({ events })).order).toEqual({ by: 'ascending', value: 239_999 });
  });
});

describe('`__proto__`', () => {
  const parse = (text: string): Json => JSON.parse(text) as Json;

  test('gives no fields to a payload', () => {
    expect(faultOf(parse(`{"__proto__":${JSON.stringify(aStepsEvent())}}`))[0]).toBe('payload.shape');
  });

  test('in a sound payload changes neither the payload nor any other object', () => {
    const text = JSON.stringify(aClinicalReady()).replace('{', '{"__proto__":{"polluted":true},');
    expect(payloadOf(parse(text)).document).toEqual(payloadOf(aClinicalReady()).document);
    expect(({} as Json)['polluted']).toBeUndefined();
  });

  test('is no way around the check of the client', () => {
    const value = parse(
      JSON.stringify(aStepsEvent({ clientUuid: 'foreign' })).replace('{', `{"__proto__":{"client_uuid":"${CLIENT}"},`),
    );
    expect(faultOf(value)).toEqual(['payload.foreign-client', 'client_uuid']);
  });
});

test('the same payload is always read the same', () => {
  const read = (value: unknown): unknown => {
    const parsed = parsePayload(value, OPTIONS);
    return parsed.ok ? { ...parsed.value, clinical: parsed.value.clinical() } : parsed;
  };
  for (const sample of SAMPLES) expect(read(sample)).toEqual(read(structuredClone(sample)));
});
