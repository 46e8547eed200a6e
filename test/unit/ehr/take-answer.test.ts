import { expect, test } from '@jest/globals';
import { classifyExchange } from '../../../src/ehr/index.ts';
import { readAnswer, type RawAnswer } from '../../../src/ehr/read-answer.ts';

const JSON_HEADERS = { 'content-type': 'application/fhir+json' };
const answer = (more: Partial<RawAnswer> = {}): RawAnswer => ({
  status: 200,
  headers: JSON_HEADERS,
  bytes: Buffer.from('{"a":1}'),
  ...more,
});
const TAKEN = { taken: true };

test('the bytes of a good JSON answer are taken as they are, and what was made of them is good', () => {
  const given = readAnswer(answer(), 100, (bytes) => ({ ...TAKEN, length: bytes.length }));
  expect(given.body).toEqual({ kind: 'taken', value: { taken: true, length: 7 } });
  const verdict = classifyExchange(given, { method: 'GET', path: 'Observation' }, new Date(0));
  expect(verdict).toEqual({ kind: 'ok' });
});

test('what nobody takes is parsed', () => {
  expect(readAnswer(answer(), 100, () => null).body).toEqual({ kind: 'json', value: { a: 1 } });
  expect(readAnswer(answer(), 100).body).toEqual({ kind: 'json', value: { a: 1 } });
});

test.each([
  ['another status', answer({ status: 201 }), 100, 'json'],
  ['a failure', answer({ status: 500 }), 100, 'json'],
  ['no JSON', answer({ headers: { 'content-type': 'text/html' } }), 100, 'unreadable'],
  ['packed', answer({ headers: { ...JSON_HEADERS, 'content-encoding': 'gzip' } }), 100, 'unreadable'],
  ['nothing', answer({ bytes: Buffer.alloc(0) }), 100, 'empty'],
  ['too large', answer(), 6, 'unreadable'],
] as const)('%s is not offered to be taken', (_name, given, bytesMax, kind) => {
  let offers = 0;
  const read = readAnswer(given, bytesMax, () => {
    offers += 1;
    return TAKEN;
  });
  expect([offers, read.body.kind]).toEqual([0, kind]);
});
