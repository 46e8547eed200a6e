import { describe, expect, test } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { isWanted } from '../../../src/subscriptions/match.ts';
import { parseFilters } from '../../../src/subscriptions/parse-filter.ts';
import { GIVE_UP_MS, HANDSHAKE_MS, retryAt } from '../../../src/subscriptions/retry.ts';
import { newSecret, signatureHeaders } from '../../../src/subscriptions/sign.ts';
import { topicOfKind } from '../../../src/subscriptions/topics.ts';

const item = (labels: readonly string[]) =>
  ({ kind: 'measurement', act: 'written', type: 'Observation', id: '1', labels }) as const;
const LOINC = 'code=http://loinc.org|8867-4';

describe('a filter', () => {
  test.each([
    ['8867-4', true],
    ['http://loinc.org|8867-4', true],
    ['http://loinc.org|', true],
    ['|8867-4', false],
    ['http://other.org|8867-4', false],
    ['8867', false],
  ])('by code %s: %s', (value, isTold) => {
    const filters = { all: [{ param: 'code', values: [value] } as const], within: [] };
    expect(isWanted(item([LOINC]), 'measurement', filters)).toBe(isTold);
  });
  test('holds only for its own kind and parameter', () => {
    expect(isWanted(item([LOINC]), 'alert', { all: [], within: [] })).toBe(false);
    expect(
      isWanted(item([LOINC]), 'measurement', { all: [{ param: 'category', values: ['8867-4'] }], within: [] }),
    ).toBe(false);
  });
  const parse = (...criteria: string[]) => parseFilters(criteria, topicOfKind('measurement'), 'https://us/fhir');
  test('is read as a search, in either form', () => {
    expect(parse('Observation?patient=Patient/1&code=a|b,c', 'category=vital-signs')).toEqual({
      ok: true,
      value: {
        patients: ['1'],
        conditions: [
          { param: 'code', values: ['a|b', 'c'] },
          { param: 'category', values: ['vital-signs'] },
        ],
      },
    });
    expect(parse('patient=https://us/fhir/Patient/1')).toMatchObject({ value: { patients: ['1'] } });
  });
  test.each([
    '',
    'code=',
    'Patient?patient=1',
    'code:not=1',
    'patient=Patient/../1',
    'subject.name=Ada',
    '_id=1',
    'Encounter.patient=Patient/123',
  ])('%j is not taken', (criterion) => expect(parse('code=1', criterion)).toEqual({ ok: false, fault: 1 }));
  test('by two patients at once holds for nobody, and is refused', () => {
    expect(parse('patient=1', 'patient=2').ok).toBe(false);
  });
});

describe('a notification that failed', () => {
  const of = { failingSince: 0, state: 'active', because: 'http-500', share: 0.5 } as const;
  test('is tried later and later, and at least every hour', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((failures) => retryAt({ ...of, failures, nowMs: 0 }));
    expect(waits).toEqual([5_000, 15_000, 60_000, 300_000, 900_000, 1_800_000, 3_600_000, 3_600_000]);
  });
  test('is tried for three days, and a handshake for a quarter of an hour', () => {
    expect(retryAt({ ...of, failures: 90, nowMs: GIVE_UP_MS - 1 })).toBe(GIVE_UP_MS);
    expect(retryAt({ ...of, failures: 90, nowMs: GIVE_UP_MS })).toBeNull();
    expect(retryAt({ ...of, failures: 9, nowMs: HANDSHAKE_MS, state: 'requested' })).toBeNull();
  });
  test('is not tried again where the endpoint is gone', () => {
    expect(retryAt({ ...of, failures: 1, nowMs: 0, because: 'gone' })).toBeNull();
  });
});

test('a message is signed by every secret that is still good', () => {
  const at = new Date(1_700_000_000_500);
  const secrets = ['new', 'old', 'past'].map((text, i) => ({
    value: `whsec_${Buffer.from(text).toString('base64')}`,
    untilMs: [null, at.getTime() + 1, at.getTime()][i] ?? null,
  }));
  const sign = (key: string) => `v1,${createHmac('sha256', key).update('id.1700000000.{}').digest('base64')}`;
  expect(signatureHeaders({ id: 'id', body: '{}', at }, secrets)).toEqual({
    'webhook-id': 'id',
    'webhook-timestamp': '1700000000',
    'webhook-signature': `${sign('new')} ${sign('old')}`,
  });
  expect(newSecret((bytes) => new Uint8Array(bytes))).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});
