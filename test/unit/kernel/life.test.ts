import { expect, test } from '@jest/globals';
import { makeLife, opened } from '../../../src/kernel/index.ts';
import { collectLog } from '../../support/collect-log.ts';

test('what was started is stopped, the last one first, each after the one before has come to its end', async () => {
  const life = makeLife(collectLog());
  const said: string[] = [];
  for (const part of ['store', 'lanes', 'http'])
    await life.start(part, {
      start: () => void said.push(`${part} starts`),
      stop: async () => {
        said.push(`${part} stops`);
        await new Promise((resolve) => setImmediate(resolve));
        said.push(`${part} is stopped`);
      },
    });
  expect(said.splice(0)).toEqual(['store starts', 'lanes starts', 'http starts']);
  await life.stop();
  expect(said).toEqual(['http', 'lanes', 'store'].flatMap((part) => [`${part} stops`, `${part} is stopped`]));
});

test('a part that throws, one that rejects and one that never ends keep nobody from being stopped, and are told of', async () => {
  const log = collectLog();
  const life = makeLife(log);
  const stopped: string[] = [];
  await life.start('store', { stop: () => stopped.push('store') });
  await life.start('throws', {
    stop: () => {
      throw new Error('no');
    },
  });
  await life.start('rejects', { stop: () => Promise.reject(new TypeError('no')) });
  await life.start('hangs', { stop: () => new Promise(() => undefined) }, 1);
  await life.start('http', { stop: () => stopped.push('http') });
  await life.stop();
  expect(stopped).toEqual(['http', 'store']);
  expect(log.lines.map(({ event, reason, error }) => [event, reason, error?.name])).toEqual([
    ['process.part-late', 'hangs', undefined],
    ['process.part-failed', 'rejects', 'TypeError'],
    ['process.part-failed', 'throws', 'Error'],
  ]);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('planted');
    },
  ],
  ['rejects', () => Promise.reject(new Error('planted'))],
])('a part whose start %s is stopped as well: half of it may run', async (_how, start) => {
  const life = makeLife(collectLog());
  const stopped: string[] = [];
  await life.start('store', { stop: () => stopped.push('store') });
  await expect(life.start('half', { start, stop: () => stopped.push('half') })).rejects.toThrow('planted');
  await life.stop();
  expect(stopped).toEqual(['half', 'store']);
});

test('a start answers what it opened, which is closed at the end; what did not open is not closed', async () => {
  const life = makeLife(collectLog());
  const closed: string[] = [];
  const close = (it: string): unknown => closed.push(it);
  expect(
    await life.start(
      'store',
      opened(() => Promise.resolve('a store'), close),
    ),
  ).toBe('a store');
  const failing = opened<string>(() => Promise.reject(new Error('planted')), close);
  await expect(life.start('app', failing)).rejects.toThrow('planted');
  await life.stop();
  expect(closed).toEqual(['a store']);
});

test('who stops it twice waits for the same end, and nothing is started after it', async () => {
  const life = makeLife(collectLog());
  let times = 0;
  await life.start('part', { stop: () => (times += 1) });
  await Promise.all([life.stop(), life.stop()]);
  await life.stop();
  expect(times).toBe(1);
  await expect(life.start('late', { start: () => void (times += 1), stop: () => undefined })).rejects.toThrow(/end/);
  expect(times).toBe(1);
});
