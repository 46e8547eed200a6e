import { expect, test } from '@jest/globals';
import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { fault, faultFields, LOG_EVENTS } from '../../../src/kernel/index.ts';
import { chooseLogLook, lookOfWorker, lookOfWorkers, makeWinstonLog, type LogLook } from '../../../src/ops/index.ts';
import { testClock } from '../../support/clock.ts';

const MARKER = 'MarkerPatient';
const TIME = '2026-01-02T03:04:05.678Z';

function memoryLog(look: LogLook, level: 'info' | 'debug' = 'info') {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  return { text: () => text, log: makeWinstonLog({ level, stream, now: () => testClock().now(), look }) };
}
const PLAIN: LogLook = { format: 'pretty', colour: 'off' };

test.each([
  ['a terminal has lines for people, in colours', null, true, {}, { format: 'pretty', colour: 'on' }],
  ['anything else has JSON', null, false, {}, { format: 'json', colour: 'off' }],
  ['who wants no colours has none', null, true, { NO_COLOR: '1' }, { format: 'pretty', colour: 'off' }],
  ['an empty NO_COLOR says nothing', null, true, { NO_COLOR: '' }, { format: 'pretty', colour: 'on' }],
  ['a setting wins on a terminal', 'json', true, {}, { format: 'json', colour: 'off' }],
  ['a setting wins elsewhere', 'pretty', false, {}, { format: 'pretty', colour: 'off' }],
  ['nobody but a worker heeds FORCE_COLOR', 'pretty', false, { FORCE_COLOR: '1' }, { format: 'pretty', colour: 'off' }],
] as const)('%s', (_, wanted, isTTY, env, look) => {
  expect(chooseLogLook(wanted, { isTTY }, env)).toEqual(look);
});

test.each([{ isTTY: true }, { isTTY: false }])('the lines of a worker look like those of its primary: %p', (stream) => {
  for (const wanted of ['json', 'pretty', null] as const)
    for (const env of [{}, { NO_COLOR: '1' }]) {
      const primary = chooseLogLook(wanted, stream, env);
      const told: Record<string, string> = { ...env, ...lookOfWorkers(primary) };
      const format = told['CHARTGATE_LOG_FORMAT'] as LogLook['format'];
      expect(lookOfWorker(chooseLogLook(format, { isTTY: false }, told), told)).toEqual(primary);
    }
});

test('a line is time, level, event and fields, in the order in which they were given', async () => {
  const { text, log } = memoryLog(PLAIN, 'debug');
  const bound = log.with({ requestId: 'req_1' });
  bound.info('request.answered', { method: 'GET', route: '/fhir/:type', status: 200, durationMs: 1.5 });
  bound.warn('config.unverified', { setting: 'two "words"\nand a line' });
  bound.error('process.failed');
  bound.debug('persons.not-kept', { count: 0 });
  await turn();
  expect(text().split('\n')).toEqual([
    `${TIME} INFO  request.answered requestId=req_1 method=GET route=/fhir/:type status=200 durationMs=1.5`,
    `${TIME} WARN  config.unverified requestId=req_1 setting="two \\"words\\"\\nand a line"`,
    `${TIME} ERROR process.failed requestId=req_1`,
    `${TIME} DEBUG persons.not-kept requestId=req_1 count=0`,
    '',
  ]);
});

test('a fault can be read on its one line, and its message is not there', async () => {
  const { text, log } = memoryLog(PLAIN);
  const cause = Object.assign(new TypeError(`cannot read ${MARKER}`), { code: 'E_X' });
  log.error('request.answered', faultFields(fault('internal.bug', { cause })));
  await turn();
  expect(text()).toMatch(/^\S+ ERROR request\.answered faultCode=internal\.bug error="TypeError \(E_X\) at .*"\n$/);
  expect(text()).toContain('log-look.test.ts');
  expect(text()).not.toContain(MARKER);
});

test('colours are around the words, never in them, and only where they are wanted', async () => {
  const [coloured, plain] = [memoryLog({ format: 'pretty', colour: 'on' }), memoryLog(PLAIN)];
  for (const { log } of [coloured, plain])
    for (const event of LOG_EVENTS) log.warn(event, { count: 1, setting: 'a b' });
  await turn();

  const without = coloured.text().replace(/\u001b\[\d+m/g, '');
  expect(without).toBe(plain.text());
  expect(coloured.text()).not.toBe(without);
  expect(plain.text()).not.toContain('\u001b');
});

test('a field that came from elsewhere cannot paint or break the line', async () => {
  const { text, log } = memoryLog(PLAIN);
  log.info('request.answered', { method: '\u001b[31mX\r\n', route: 'a\u2028b' });
  await turn();
  expect(text().split('\n')).toHaveLength(2);

  expect(text()).not.toMatch(/[\u001b\r]/);
});

test('info costs the same as before where lines are JSON: it does not pass through winston', async () => {
  const { text, log } = memoryLog({ format: 'json', colour: 'off' });
  log.info('request.answered', { status: 200 });
  log.warn('request.answered', { status: 500 });
  await turn();
  expect(text()).toBe(
    `{"time":"${TIME}","level":"info","event":"request.answered","status":200}\n{"time":"${TIME}","level":"warn","event":"request.answered","status":500}\n`,
  );
});
