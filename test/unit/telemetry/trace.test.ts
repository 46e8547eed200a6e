import { expect, test } from '@jest/globals';
import { hash } from 'node:crypto';
import { traceOf } from '../../../src/kernel/index.ts';
import type { FinishedSpan } from '../../../src/telemetry/finished-span.ts';
import { makeIsWatched, makeTrace, spanIdOf } from '../../../src/telemetry/make-trace.ts';
import { movedClock, testClock } from '../../support/clock.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

function tracing(clock = testClock()) {
  const ended: FinishedSpan[] = [];
  let n = 0;
  const trace = makeTrace({
    isWatched: () => true,
    clock,
    chance: (bytes) => new Uint8Array(bytes).fill((n += 1)),
    onEnded: (span) => void ended.push(span),
  });
  return { ended, trace };
}

test('a request without a trace has that of its id, as its lines in the log have', () => {
  const { ended, trace } = tracing();
  trace.request({ requestId: 'req_1', parent: null })?.endHttp('server', { 'http.request.method': 'GET' });
  expect(ended).toMatchObject([{ traceId: traceOf('req_1'), parentId: null, name: 'GET', kind: 'server' }]);
});

test("a caller's trace is gone on with, below the caller's own step", () => {
  const { ended, trace } = tracing();
  const span = trace.request({ requestId: 'req_1', traceId: TRACE, parent: '00f067aa0ba902b7' });
  expect(span?.traceparent).toBe(`00-${TRACE}-0101010101010101-01`);
  span?.endHttp('server', { 'http.request.method': 'POST', 'http.route': '/webhooks/:secret/data' });
  expect(ended).toMatchObject([
    { traceId: TRACE, parentId: '00f067aa0ba902b7', isParentRemote: true, name: 'POST /webhooks/:secret/data' },
  ]);
});

test('another process finds the step of a delivery by its id alone', () => {
  const [here, there] = [tracing(), tracing()];
  here.trace.request({ requestId: 'req_1', parent: null })?.begin('dlv_1').end('delivery.store');
  there.trace.step({ requestId: 'req_1', seed: 'dlv_1' })?.end('delivery.judge');
  const [stored, judged] = [here.ended[0], there.ended[0]];
  expect(stored?.spanId).toBe(spanIdOf('dlv_1'));
  expect([judged?.traceId, judged?.parentId]).toEqual([stored?.traceId, stored?.spanId]);
});

test('a step takes as long as it took, and one that began before was watched from then', () => {
  const clock = testClock();
  const { ended, trace } = tracing(clock);
  const nowMs = clock.now().getTime();
  const span = trace.request({ requestId: 'req_1', parent: null });
  clock.advance(12.5);
  span?.begin().end('read.token');
  trace.step({ requestId: 'req_1', seed: 'dlv_1', sinceMs: nowMs - 500 })?.end('delivery.wait');
  // A clock that was set back: nothing begins after its end.
  trace.step({ requestId: 'req_1', seed: 'dlv_1', sinceMs: nowMs + 9_999 })?.end('delivery.wait');
  span?.endHttp('server', { 'http.request.method': 'GET' });
  expect(ended.map(({ startMs, endMs }) => [startMs - nowMs, endMs - startMs])).toEqual([
    [12.5, 0],
    [-500, 512.5],
    [12.5, 0],
    [0, 12.5],
  ]);
});

test('a wall clock that was set is followed', () => {
  const clock = movedClock();
  const { ended, trace } = tracing(clock);
  clock.advance(3_600_000);
  trace.request({ requestId: 'req_1', parent: null })?.begin().end('read.token');
  expect(Math.abs((ended[0]?.startMs ?? 0) - clock.now().getTime())).toBeLessThan(60_000);
});

test('all of a trace is watched or none, about as many as the share says, and not those that a caller would choose', () => {
  const ids = Array.from({ length: 4_000 }, (_, n) => hash('sha256', `id ${n}`).slice(0, 32));
  const [one, again, other] = [makeIsWatched(0.1, 'k'), makeIsWatched(0.1, 'k'), makeIsWatched(0.1, 'l')];
  const watched = ids.filter(one);
  expect(watched).toEqual(ids.filter(again));
  expect(watched.length).toBeGreaterThan(300);
  expect(watched.length).toBeLessThan(500);
  // By another key it is others: the id says nothing.
  expect(watched.filter(other).length).toBeLessThan(100);
  expect(ids.filter(makeIsWatched(0, 'k'))).toEqual([]);
  expect(ids.filter(makeIsWatched(1, 'k'))).toEqual(ids);
});
