import { expect, test } from '@jest/globals';
import { kindOfRequest, type EhrRequest } from '../../../src/ehr/index.ts';

type Given = Parameters<typeof kindOfRequest>[0];
const bundle = (characters: number): Given => ({ method: 'POST', path: '', body: 'x'.repeat(characters) });

test.each<[string, Given, string]>([
  ['a read', { method: 'GET', path: 'Patient/1' }, 'read'],
  ['a search', { method: 'GET', path: 'Patient', query: [['identifier', 'x']] }, 'search'],
  ['a search by POST', { method: 'POST', path: 'Patient/_search', form: [['identifier', 'x']] }, 'search'],
  ['one resource', { method: 'PUT', path: 'Observation/1', body: 'x'.repeat(1_000) }, 'write 10'],
  ['a resource that is removed', { method: 'DELETE', path: 'Observation/1' }, 'write 0'],
  ['a Bundle of sixteen entries', bundle(16_000), 'bundle 14'],
  ['one twice as large', bundle(32_000), 'bundle 15'],
])('%s is of the kind of its like', (_what, request, kind) => {
  expect(kindOfRequest(request)).toBe(kind);
});

test('there are few kinds, however many sizes', () => {
  const request: EhrRequest = { method: 'POST', path: '', requestId: 'r' };
  const kinds = new Set(
    Array.from({ length: 4_000 }, (_, i) => kindOfRequest({ ...request, body: 'x'.repeat(i * 10) })),
  );
  expect(kinds.size).toBeLessThan(20);
});
