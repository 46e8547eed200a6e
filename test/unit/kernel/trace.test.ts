import { expect, test } from '@jest/globals';
import { parseTraceparent, traceOf, traceparentOf } from '../../../src/kernel/index.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

test.each([
  [`00-${TRACE}-00f067aa0ba902b7-01`, TRACE],
  [`cc-${TRACE}-00f067aa0ba902b7-01-what-comes`, TRACE],
  [`00-${TRACE}-00f067aa0ba902b7-01-more`, null],
  [`ff-${TRACE}-00f067aa0ba902b7-01`, null],
  [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, null],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, null],
  [`00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`, null],
  ['Marker Patient', null],
  [undefined, null],
])('the trace of %p is %p', (header, trace) => {
  expect(parseTraceparent(header)).toBe(trace);
});

test('a request without a trace has one by its id, and each call a span of its own', () => {
  expect(traceOf('req_1')).toBe(traceOf('req_1'));
  expect(traceOf('req_1')).not.toBe(traceOf('req_2'));
  const [one, two] = [traceparentOf(TRACE, 'a'), traceparentOf(TRACE, 'b')];
  expect(one).not.toBe(two);
  expect(parseTraceparent(one)).toBe(TRACE);
});
