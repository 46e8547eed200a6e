import { getPriority } from 'node:os';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from '@jest/globals';

test('on Linux only the thread that calls it gets a lower priority', async () => {
  const file = new URL('../../../src/kernel/lower-thread-priority.ts', import.meta.url).href;
  const before = getPriority();
  const worker = new Worker(
    `import(${JSON.stringify(file)}).then(({ lowerThreadPriority }) => {
      lowerThreadPriority();
      require('node:worker_threads').parentPort.postMessage(require('node:os').getPriority());
    });`,
    { eval: true },
  );
  const [inThread] = (await once(worker, 'message')) as [number];
  await worker.terminate();
  expect(getPriority()).toBe(before);
  expect(inThread).toBe(process.platform === 'linux' ? Math.max(before, 5) : before);
});
