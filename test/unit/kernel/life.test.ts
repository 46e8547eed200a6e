import { expect, test } from '@jest/globals';
import { makeLife } from '../../../src/kernel/index.ts';
import { collectLog } from '../../support/collect-log.ts';

test('what was started is stopped, the last one first, each after the one before has come to its end', async () => {
  const life = makeLife(collectLog());
  const stopped: string[] = [];
  for (const part of ['store', 'lanes', 'http'])
    life.started(part, async () => {
      stopped.push(`${part} stops`);
      await new Promise((resolve) => setImmediate(resolve));
      stopped.push(`${part} is stopped`);
    });
  await life.stop();
  expect(stopped).toEqual(['http', 'lanes', 'store'].flatMap((part) => [`${part} stops`, `${part} is stopped`]));
});

test('a part that throws, one that rejects and one that never ends keep nobody from being stopped, and are told of', async () => {
  const log = collectLog();
  const life = makeLife(log);
  const stopped: string[] = [];
  life.started('store', () => stopped.push('store'));
  life.started('throws', () => {
    throw new Error('no');
  });
  life.started('rejects', () => Promise.reject(new TypeError('no')));
  life.started('hangs', () => new Promise(() => undefined), 1);
  life.started('http', () => stopped.push('http'));
  await life.stop();
  expect(stopped).toEqual(['http', 'store']);
  expect(log.lines.map(({ event, reason, error }) => [event, reason, error?.name])).toEqual([
    ['process.part-late', 'hangs', undefined],
    ['process.part-failed', 'rejects', 'TypeError'],
    ['process.part-failed', 'throws', 'Error'],
  ]);
});

test('who stops it twice waits for the same end', async () => {
  const life = makeLife(collectLog());
  let times = 0;
  life.started('part', () => (times += 1));
  await Promise.all([life.stop(), life.stop()]);
  await life.stop();
  expect(times).toBe(1);
});
