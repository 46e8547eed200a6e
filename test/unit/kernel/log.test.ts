import { expect, test } from '@jest/globals';
import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { fault, faultFields, safeError, secret } from '../../../src/kernel/index.ts';
import { makeWinstonLog } from '../../../src/ops/index.ts';
import { testClock } from '../../support/clock.ts';

const MARKER = 'MarkerPatient';

function memoryLog(level: 'error' | 'info' | 'debug' = 'info') {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { lines, log: makeWinstonLog({ level, stream, now: () => testClock().now() }) };
}

test('a line is one JSON object with time, level, event and bound fields', async () => {
  const { lines, log } = memoryLog();
  log.with({ requestId: 'req_1' }).info('request.answered', { status: 200, route: '/healthz' });
  await turn();
  expect(JSON.parse(lines.join(''))).toEqual({
    time: '2026-01-02T03:04:05.678Z',
    level: 'info',
    event: 'request.answered',
    requestId: 'req_1',
    status: 200,
    route: '/healthz',
  });
});

test('a line of any level is printed alike, and lines stand in the order in which they were written', async () => {
  const { lines, log } = memoryLog('debug');
  const fields = { route: '/a"b', status: 200, durationMs: 0.125, error: { name: 'E', stack: ['at x'] } } as const;
  const bound = log.with({ requestId: 'req_1', traceId: 't' });
  for (const level of ['error', 'info', 'warn', 'info', 'debug', 'info'] as const) {
    bound[level]('request.answered', fields);
    bound[level]('store.opened');
  }
  await turn();
  const printed = lines.join('').split('\n');
  const levels = ['error', 'info', 'warn', 'info', 'debug', 'info'];
  const time = '2026-01-02T03:04:05.678Z';
  const head = (level: string, event: string) => ({ time, level, event, requestId: 'req_1', traceId: 't' });
  expect(printed).toEqual([
    ...levels.flatMap((level) => [
      JSON.stringify({ ...head(level, 'request.answered'), ...fields }),
      JSON.stringify(head(level, 'store.opened')),
    ]),
    '',
  ]);
});

test('a log of errors has no line of what went well', async () => {
  const { lines, log } = memoryLog('error');
  log.info('request.answered');
  log.warn('request.answered');
  await turn();
  expect(lines).toEqual([]);
});

test('debug lines are off unless asked for', async () => {
  const { lines, log } = memoryLog();
  log.debug('request.answered');
  await turn();
  expect(lines).toEqual([]);
});

test.each([
  ['in its message', new Error(`cannot read ${MARKER}`)],
  ['in a message of several lines', new Error(`first\n${MARKER}\n  second line`)],
  ['in a line that looks like a frame', new Error(`bad value:\n    at ${MARKER} (mrn:1:2)`)],
  ['as the thrown thing itself', MARKER],
  ['in a property', Object.assign(new Error('x'), { detail: MARKER, code: 'E_X' })],
])('an error that holds patient data %s tells none of it', async (_where, thrown) => {
  const { lines, log } = memoryLog();
  log.error('request.answered', faultFields(fault('internal.bug', { cause: thrown })));
  await turn();
  expect(lines.join('')).toContain('internal.bug');
  expect(lines.join('')).not.toContain(MARKER);
});

test('an error keeps its name, code and place', () => {
  const told = safeError(Object.assign(new TypeError('x'), { code: 'E_X' }));
  expect(told).toMatchObject({ name: 'TypeError', code: 'E_X' });
  expect(told.stack?.[0]).toContain('log.test.ts');
});

test('a secret prints as nothing in a line, a template or JSON', () => {
  const hidden = secret(MARKER);
  expect(`${hidden.toString()} ${JSON.stringify({ hidden })}`).toBe('[secret] {"hidden":"[secret]"}');
  expect(hidden.reveal()).toBe(MARKER);
  expect(hidden.equals(MARKER)).toBe(true);
  expect(hidden.equals(`${MARKER}x`)).toBe(false);
});
