import { expect, test } from '@jest/globals';
import type { FinishedSpan } from '../../../src/telemetry/finished-span.ts';
import { afterMsOf, rejectedOf, type Posted } from '../../../src/telemetry/post.ts';
import { makeSendSpans, SPAN_LIMITS } from '../../../src/telemetry/send-spans.ts';
import { eventually } from '../../support/eventually.ts';

const aSpan = (n: number): FinishedSpan => ({
  traceId: 'a'.repeat(32),
  spanId: String(n).padStart(16, '0'),
  parentId: null,
  isParentRemote: false,
  kind: 'internal',
  name: 'read.token',
  startMs: 0,
  endMs: 1,
  fields: {},
});
const TAKEN: Posted = { kind: 'taken', rejected: 0 };
const LATER: Posted = { kind: 'later', afterMs: null, why: 'status', status: 503 };

function sending(answers: (n: number) => Posted | Promise<Posted>, limits: Partial<typeof SPAN_LIMITS> = {}) {
  const batches: number[][] = [];
  let dropped = 0;
  const spans = makeSendSpans({
    send: async (batch) => {
      batches.push(batch.map(({ spanId }) => Number(spanId)));
      return answers(batches.length);
    },
    onPosted: () => undefined,
    onDropped: (count) => void (dropped += count),
    chance: () => new Uint8Array(1),
    limits: { ...SPAN_LIMITS, gatherMs: 1, firstRetryMs: 2, retryMaxMs: 4, ...limits },
  });
  return { batches, spans, dropped: () => dropped, add: (n: number) => spans.add(aSpan(n)) };
}

test('spans go out together, in batches of a size', async () => {
  const { batches, spans, add, dropped } = sending(() => TAKEN, { batchMax: 2 });
  for (const n of [1, 2, 3, 4, 5]) add(n);
  await eventually(
    () => batches.flat().length,
    (count) => count === 5,
  );
  expect(batches).toEqual([[1, 2], [3, 4], [5]]);
  await spans.stop(1_000);
  expect(dropped()).toBe(0);
});

test('what waits is bounded: the oldest are dropped, and counted', async () => {
  const held = Promise.withResolvers<Posted>();
  const { batches, spans, add, dropped } = sending((n) => (n === 1 ? held.promise : TAKEN), {
    batchMax: 1,
    queueMax: 3,
  });
  for (const n of [1, 2, 3, 4, 5, 6]) add(n);
  expect(dropped()).toBe(2);
  held.resolve(TAKEN);
  await spans.stop(1_000);
  expect(batches.flat()).toEqual([1, 4, 5, 6]);
});

test('a batch is tried again, and given up after some tries', async () => {
  const { batches, spans, add, dropped } = sending((n) => (n <= 4 ? LATER : TAKEN), { triesMax: 3, batchMax: 1 });
  add(1);
  add(2);
  await eventually(
    () => batches.length,
    (count) => count === 5,
  );
  expect(batches).toEqual([[1], [1], [1], [2], [2]]);
  await spans.stop(1_000);
  expect(dropped()).toBe(1);
});

test('what is refused is not sent again, and what a collector rejects of a batch is counted', async () => {
  const { batches, spans, add, dropped } = sending(
    (n) => (n === 1 ? { kind: 'refused', why: 'status', status: 400 } : { kind: 'taken', rejected: 1 }),
    { batchMax: 2 },
  );
  for (const n of [1, 2, 3, 4]) add(n);
  await spans.stop(1_000);
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(dropped()).toBe(3);
});

test('the end does not wait for another try, and nothing is taken after it', async () => {
  const { batches, spans, add, dropped } = sending(() => LATER, { firstRetryMs: 600_000, retryMaxMs: 600_000 });
  add(1);
  await eventually(
    () => batches.length,
    (count) => count === 1,
  );
  await spans.stop(5_000);
  add(2);
  expect([batches.length, dropped()]).toEqual([2, 2]);
});

test('a collector that never answers does not hold up the end', async () => {
  const aborted: unknown[] = [];
  const spans = makeSendSpans({
    send: (_batch, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(LATER));
        aborted.push(signal);
      }),
    onPosted: () => undefined,
    onDropped: () => undefined,
    chance: () => new Uint8Array(1),
    limits: { ...SPAN_LIMITS, gatherMs: 1 },
  });
  spans.add(aSpan(1));
  await spans.stop(20);
  expect(aborted).toHaveLength(1);
});

test.each([
  ['7', 7_000],
  ['0', 0],
  ['99999', 60_000],
  ['Thu, 01 Jan 1970 00:00:30 GMT', 20_000],
  ['soon', null],
  [undefined, null],
  [['1', '2'], null],
])('Retry-After: %p is %p ms', (header, ms) => {
  expect(afterMsOf(header, 10_000)).toBe(ms);
});

test.each([
  ['{}', 0],
  ['', 0],
  ['{"partialSuccess":{"rejectedSpans":"3"}}', 3],
  ['{"partialSuccess":{"rejectedDataPoints":4}}', 4],
  ['{"partialSuccess":{"rejectedSpans":"-1"}}', 0],
  ['[1', 0],
])('%s rejects %p', (text, count) => {
  expect(rejectedOf(text)).toBe(count);
});
