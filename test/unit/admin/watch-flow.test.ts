import { afterEach, expect, test } from '@jest/globals';
import { makeFlowWatch, type FlowWatch } from '../../../src/admin/index.ts';
import { readEvents } from '../../../src/admin/stream/read-events.ts';
import type { FlowCounts } from '../../../src/inbox/index.ts';
import { fail, fault, ok, silentLog, type Outlet, type Result } from '../../../src/kernel/index.ts';
import { testClock } from '../../support/clock.ts';

const NO_COUNTS = {
  received: 0,
  queued: 0,
  sending: 0,
  unknown: 0,
  delivered: 0,
  superseded: 0,
  duplicate: 0,
  parked: 0,
  quarantined: 0,
  discarded: 0,
};
const flowOf = (acknowledged: number, problems: FlowCounts['problems']['problems'] = []): FlowCounts => ({
  counts: { acknowledged, byState: { ...NO_COUNTS, delivered: acknowledged } },
  oldestAt: null,
  problems: { problems, isExact: true },
});
const PARKED = { state: 'parked', reason: 'unmapped', count: 2 } as const;
const NOW = Date.parse('2026-01-02T03:04:05.678Z');

interface Event {
  readonly kind: string;
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Somebody at the other end, who may read slowly or not at all. */
function reader(how: 'reads' | 'is-behind' = 'reads') {
  let text = '';
  let close: () => void = () => undefined;
  const state = { isEnded: false };
  const outlet: Outlet = {
    write: (part) => {
      text += String(part);
      return how === 'reads' ? 'taken' : 'behind';
    },
    drained: () => Promise.resolve(),
    end: () => {
      state.isEnded = true;
      close();
    },
    cut: () => close(),
    onClose: (listener) => void (close = listener),
  };
  return {
    outlet,
    state,
    leave: () => close(),
    text: () => text,
    async events(): Promise<Event[]> {
      const found: Event[] = [];
      const parse = (one: string): unknown => JSON.parse(one);
      const body = new Blob([text]).stream() as ReadableStream<Uint8Array>;
      for await (const event of readEvents(body, parse)) found.push(event as Event);
      return found;
    },
  };
}

let watch: FlowWatch | undefined;
afterEach(() => void watch?.stop());

function stand() {
  const clock = testClock();
  const asked: { readonly from: number; readonly to: number }[] = [];
  const store = { answer: ok(flowOf(1)) as Result<FlowCounts> };
  const made = makeFlowWatch({
    tenant: 'default',
    inbox: {
      read: (_name, { problemsFrom, problemsTo }) => {
        asked.push({ from: problemsFrom, to: problemsTo });
        return Promise.resolve(store.answer);
      },
    },
    target: () => ({ breaker: 'closed', forwarding: 'running', inFlight: 0, limit: 4 }),
    clock,
    log: silentLog,
    everyMs: 1e9,
  });
  watch = made;
  const join = (
    who: Partial<Parameters<FlowWatch['open']>[0]> = {},
    at: ReturnType<typeof reader> = reader(),
  ): ReturnType<typeof reader> => {
    const opened = made.open({ afterMs: null, stillMay: () => Promise.resolve(ok(null)), ...who });
    if (!opened.ok) throw new Error(opened.fault.code);
    opened.value(at.outlet);
    return at;
  };
  return { clock, asked, store, watch: made, join };
}

test('all who watch share one look, and each is told the state of now', async () => {
  const { watch: made, join, asked } = stand();
  const readers = [join(), join(), join()];
  await made.look();
  readers.push(join());
  expect(asked).toHaveLength(1);
  for (const one of readers)
    expect(await one.events()).toEqual([
      {
        kind: 'flow',
        id: String(NOW - 2_000),
        data: {
          at: '2026-01-02T03:04:05.678Z',
          acknowledged: 1,
          byState: { ...NO_COUNTS, delivered: 1 },
          rates: { received: null, delivered: null },
          waiting: { deliveries: 0, oldestAt: null },
          target: { breaker: 'closed', forwarding: 'running', inFlight: 0, limit: 4 },
        },
      },
    ]);
});

test('what has not changed is not said again; a comment keeps the connection', async () => {
  const { clock, watch: made, join } = stand();
  const one = join();
  await made.look();
  clock.advance(1_000);
  await made.look();
  const said = one.text().length;
  for (let i = 0; i < 15; i += 1) {
    clock.advance(1_000);
    await made.look();
  }
  expect(one.text().slice(said)).toContain(':\n\n');
  expect((await one.events()).map(({ data }) => data['rates'])).toEqual([
    { received: null, delivered: null },
    { received: 0, delivered: 0 },
  ]);
});

test('rates are of the last ten seconds', async () => {
  const { clock, store, watch: made, join } = stand();
  const one = join();
  for (let i = 0; i <= 20; i += 1) {
    store.answer = ok(flowOf(i < 10 ? 0 : (i - 10) * 3));
    await made.look();
    clock.advance(1_000);
  }
  expect((await one.events()).at(-1)?.data['rates']).toEqual({ received: 3, delivered: 3 });
});

test('new problems are told to everybody once, and each look goes on where the last one ended', async () => {
  const { clock, store, watch: made, join, asked } = stand();
  const one = join();
  await made.look();
  store.answer = ok(flowOf(1, [PARKED]));
  clock.advance(1_000);
  await made.look();
  store.answer = ok(flowOf(1));
  clock.advance(1_000);
  await made.look();
  expect(asked).toEqual([
    { from: NOW - 2_000, to: NOW - 2_000 },
    { from: NOW - 2_000, to: NOW - 1_000 },
    { from: NOW - 1_000, to: NOW },
  ]);
  expect((await one.events()).filter(({ kind }) => kind === 'problems')).toEqual([
    {
      kind: 'problems',
      id: String(NOW - 1_000),
      data: { from: '2026-01-02T03:04:03.678Z', to: '2026-01-02T03:04:04.678Z', problems: [PARKED], isExact: true },
    },
  ]);
});

test('whoever comes again is told of the problems since, of the last hour, before anything else', async () => {
  const { store, watch: made, join, asked } = stand();
  store.answer = ok(flowOf(1, [PARKED]));
  const soon = join({ afterMs: NOW - 10_000 });
  await made.look();
  const late = join({ afterMs: NOW - 86_400_000 });
  await made.look();
  expect(asked.slice(1)).toEqual([
    { from: NOW - 10_000, to: NOW - 2_000 },
    { from: NOW - 2_000, to: NOW - 2_000 },
    { from: NOW - 2_000 - 3_600_000, to: NOW - 2_000 },
  ]);
  expect((await soon.events()).slice(0, 2).map(({ kind }) => kind)).toEqual(['problems', 'flow']);
  expect((await late.events())[0]?.data['from']).toBe('2026-01-02T02:04:03.678Z');
});

test('no id says that problems were told which were not: a store that is away is asked again', async () => {
  const { clock, store, watch: made, join } = stand();
  store.answer = fail(fault('store.busy'));
  const one = join({ afterMs: NOW - 10_000 });
  await made.look();
  expect(one.text()).toBe('');
  store.answer = ok(flowOf(1, [PARKED]));
  clock.advance(1_000);
  await made.look();
  expect((await one.events()).map(({ kind, id }) => [kind, id])).toEqual([
    ['problems', String(NOW - 1_000)],
    ['flow', String(NOW - 1_000)],
  ]);
});

test('a stream ends when its session has, and not because the store is away', async () => {
  const { clock, watch: made, join } = stand();
  const session: { state: Result<unknown> } = { state: ok(null) };
  const one = join({ stillMay: () => Promise.resolve(session.state) });
  session.state = fail(fault('store.busy'));
  clock.advance(5_000);
  await made.look();
  expect(one.state.isEnded).toBe(false);
  session.state = fail(fault('operator.unauthenticated'));
  clock.advance(5_000);
  await made.look();
  expect(one.state.isEnded).toBe(true);
  expect((await one.events()).at(-1)).toMatchObject({ kind: 'end', data: { reason: 'signed-out' } });
});

test('the hundred and first is refused until somebody leaves, and everybody once it stops', () => {
  const { watch: made, join } = stand();
  const readers = Array.from({ length: 100 }, () => join());
  const who = { afterMs: null, stillMay: () => Promise.resolve(ok(null)) };
  expect(made.open(who)).toMatchObject({ ok: false, fault: { code: 'admin.watchers', retryAfterMs: 5_000 } });
  readers[0]?.leave();
  expect(made.open(who).ok).toBe(true);
  // Several who were let in together find the last place taken.
  const [first, second] = [made.open(who), made.open(who)];
  const [a, b] = [reader(), reader()];
  if (first.ok) first.value(a.outlet);
  if (second.ok) second.value(b.outlet);
  expect([a.state.isEnded, b.state.isEnded]).toEqual([false, true]);
  expect(b.text()).toContain('"reason":"full"');
  made.stop();
  for (const one of readers.slice(1)) expect(one.text()).toContain('"reason":"stopping"');
  expect(made.open(who)).toMatchObject({ ok: false, fault: { code: 'admin.watchers' } });
});

test('whoever does not keep up is let go, and can come again', async () => {
  const { watch: made, join } = stand();
  const slow = join({}, reader('is-behind'));
  const other = join();
  await made.look();
  expect([slow.state.isEnded, other.state.isEnded]).toEqual([true, false]);
});

test('nobody is looked for once the last one has gone', async () => {
  const { clock, watch: made, join, asked } = stand();
  const one = join();
  await made.look();
  one.leave();
  clock.advance(60_000);
  const next = join();
  await made.look();
  // What happened while nobody watched is told to whoever asks for it, and to nobody else.
  expect(asked.at(-1)).toEqual({ from: NOW + 58_000, to: NOW + 58_000 });
  expect(await next.events()).toHaveLength(1);
});
