import { expect, test } from '@jest/globals';
import { makeFreshBodies, processReceived, type Judgement } from '../../../src/judge/index.ts';
import type { DeliverReads, DeliverWrites } from '../../../src/lanes/index.ts';
import type { InboxReads, InboxWrites, Received, StoredDelivery } from '../../../src/inbox/index.ts';
import { makeBudget, ok, systemClock, type Trace } from '../../../src/kernel/index.ts';
import type { Operate } from '../../../src/store/index.ts';
import { collectLog } from '../../support/collect-log.ts';

const SOUND: Judgement = {
  facts: {
    dataStructure: 'x',
    client: 'c',
    user: 'u',
    documentVersion: 1,
    contentDigest: null,
    findings: [],
    unmapped: [],
  },
  verdict: { kind: 'sound', trouble: null, document: null },
};

/** An inbox that holds some received deliveries, and refuses to store sound verdicts on those named `poison`. */
function inboxOf(ids: readonly string[]) {
  const settled = new Map<string, string>();
  /** How many are there, and which of them were asked for. */
  const stored = { upTo: ids.length, read: [] as string[] };
  const received = ids.map((id, i): Received => ({
    seq: i + 1,
    id,
    hook: 'data',
    requestId: 'r',
    receivedAt: 0,
    body: id === 'closed' ? 'unopenable' : new TextEncoder().encode(id),
  }));
  const inbox = {
    read(_name: string, { between: [after, before] }: InboxReads['inbox.received']['args']) {
      const page = received.filter(
        ({ seq, id }) => seq > after && seq < (before ?? Infinity) && !settled.has(id) && seq <= stored.upTo,
      );
      stored.read.push(...page.map(({ id }) => id));
      return Promise.resolve(ok(page));
    },
  } as unknown as Operate<InboxWrites, InboxReads>;
  const deliver = {
    writeBehind: (_name: string, { seq, verdict }: DeliverWrites['deliver.settle']['args']) => {
      const id = received[seq - 1]?.id ?? '';
      if (id === 'poison' && verdict.kind === 'sound')
        return Promise.reject(new Error('the database does not take this'));
      settled.set(id, verdict.kind === 'quarantine' ? verdict.reason : verdict.kind);
      return Promise.resolve(ok({ state: 'parked', reason: null }));
    },
  } as unknown as Operate<DeliverWrites, DeliverReads>;
  return { inbox, deliver, settled, stored, received };
}

function processorOf(
  { inbox, deliver }: ReturnType<typeof inboxOf>,
  budget = makeBudget(Infinity),
  onJudged: (id: string) => void = () => undefined,
  more: Partial<Parameters<typeof processReceived>[0]> = {},
) {
  return processReceived({
    tenant: 't',
    instance: 'i',
    inbox,
    deliver,
    judge: (_hook, body) => {
      const id = Buffer.from(body).toString();
      if (id === 'throws') throw new Error('a bug of ours');
      onJudged(id);
      return SOUND;
    },
    fresh: makeFreshBodies(budget),
    budget,
    clock: systemClock,
    log: collectLog(),
    isBusy: () => false,
    onSettled: () => undefined,
    onFinding: () => undefined,
    follow: () => Promise.resolve(ok([])),
    ...more,
  });
}

async function processAll(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const place = inboxOf(ids);
  const { settled } = place;
  const processor = processorOf(place);
  processor.start();
  const done = ids.filter((id) => id !== 'closed').length;
  while (settled.size < done) {
    processor.wake();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await processor.stop();
  return settled;
}

test('a delivery over which judging throws is set aside, and those behind it go on', async () => {
  expect(await processAll(['throws', 'good'])).toEqual(
    new Map([
      ['throws', 'failed'],
      ['good', 'sound'],
    ]),
  );
});

test('a verdict that the store cannot take is set aside as well', async () => {
  expect(await processAll(['poison', 'good', 'poison-not'])).toEqual(
    new Map([
      ['poison', 'failed'],
      ['good', 'sound'],
      ['poison-not', 'sound'],
    ]),
  );
});

test('a body that cannot be opened here is left to others', async () => {
  expect(await processAll(['closed', 'good'])).toEqual(new Map([['good', 'sound']]));
});

test('several are judged at once, and settled in the order of their arrival', async () => {
  const place = inboxOf(['a', 'b', 'c', 'd']);
  const waiting: { readonly id: string; readonly go: () => void }[] = [];
  const processor = processorOf(place, makeBudget(Infinity), () => undefined, {
    judge: (_hook, body) =>
      new Promise((resolve) => {
        waiting.push({ id: Buffer.from(body).toString(), go: () => resolve(SOUND) });
      }),
    judgesAtOnce: 2,
  });
  processor.start();
  const seen: string[] = [];
  for (const pair of ['ab', 'cd']) {
    await until(() => waiting.length === 2);
    seen.push(waiting.map(({ id }) => id).join(''));
    // The later one first.
    for (const { go } of waiting.splice(0).reverse()) go();
    await until(() => place.settled.has(pair[1] ?? ''));
  }
  await processor.stop();
  expect([seen, [...place.settled.keys()]]).toEqual([
    ['ab', 'cd'],
    ['a', 'b', 'c', 'd'],
  ]);
});

const freshOf = (received: Received): StoredDelivery => ({
  kind: 'fresh',
  received: { ...received, body: new TextEncoder().encode(received.id) },
});
const until = async (isDone: () => boolean): Promise<void> => {
  while (!isDone()) await new Promise((resolve) => setImmediate(resolve));
};

test('what was just stored is judged from memory, in its order, and not read again', async () => {
  const place = inboxOf(['a', 'b', 'c']);
  const processor = processorOf(place);
  place.stored.upTo = 0;
  processor.start();
  await until(() => place.settled.size === 0);
  place.stored.upTo = 3;
  for (const one of place.received) processor.take(freshOf(one));
  await until(() => place.settled.size === 3);
  await processor.stop();
  expect([...place.settled.keys()]).toEqual(['a', 'b', 'c']);
  expect(place.stored.read).toEqual([]);
});

test('where memory is short it is read from the store, and nothing is left', async () => {
  const place = inboxOf(['a', 'b', 'c']);
  const budget = makeBudget(20);
  // Somebody else has all of it.
  const room = await budget.take(20, 0);
  const processor = processorOf(place, budget);
  processor.start();
  for (const one of place.received) processor.take(freshOf(one));
  await until(() => place.settled.size === 3);
  room?.release();
  await processor.stop();
  expect(new Set(place.stored.read)).toEqual(new Set(['a', 'b', 'c']));
});

test('what was too large to be held, and came behind what is, follows it', async () => {
  const place = inboxOf(['held', 'large']);
  const processor = processorOf(place);
  place.stored.upTo = 0;
  processor.start();
  await until(() => place.settled.size === 0);
  place.stored.upTo = 2;
  const [held] = place.received;
  if (held === undefined) throw new Error('nothing is there');
  processor.take(freshOf(held));
  processor.take({ kind: 'in-store' });
  await until(() => place.settled.size === 2);
  await processor.stop();
  expect([...place.settled.keys()]).toEqual(['held', 'large']);
});

test('what is older than what is held comes first', async () => {
  const place = inboxOf(['old', 'new']);
  const processor = processorOf(place);
  const [, fresh] = place.received;
  if (fresh === undefined) throw new Error('nothing is there');
  processor.take(freshOf(fresh));
  processor.start();
  await until(() => place.settled.size === 2);
  await processor.stop();
  expect([...place.settled.keys()]).toEqual(['old', 'new']);
  expect(place.stored.read).toEqual(['old']);
});

test('as long as more comes in, what is only in the store has its turn', async () => {
  const place = inboxOf(['old', ...Array.from({ length: 300 }, (_, n) => `new ${n}`)]);
  const order: string[] = [];
  const processor = processorOf(place, makeBudget(Infinity), (id) => {
    order.push(id);
    // Two for each that is judged: what is held never comes to its end before the last of them.
    const next = place.received.slice(1 + 2 * order.length, 3 + 2 * order.length);
    for (const one of next) processor.take(freshOf(one));
    if (order.length === 10) {
      place.stored.upTo = place.received.length;
      processor.wake();
    }
  });
  place.stored.upTo = 0;
  processor.start();
  for (const one of place.received.slice(1, 3)) processor.take(freshOf(one));
  await until(() => place.settled.size === place.received.length);
  await processor.stop();
  expect(order.indexOf('old')).toBeLessThan(100);
});

test('after a bug in what watches, everything is judged from the store, and no memory stays taken', async () => {
  const place = inboxOf(['a', 'b', 'c', 'd']);
  place.stored.upTo = 0;
  const budget = makeBudget(1_000_000);
  let steps = 0;
  const trace = {
    step() {
      steps += 1;
      if (steps === 2) throw new Error('a bug of the tracer');
      return null;
    },
  } as unknown as Trace;
  const processor = processorOf(place, budget, () => undefined, { trace, judgesAtOnce: 2 });
  processor.start();
  for (const one of place.received) processor.take(freshOf(one));
  await until(() => place.settled.size === 3);
  place.stored.upTo = 4;
  processor.wake();
  await until(() => place.settled.size === 4);
  await processor.stop();
  expect([[...place.settled.keys()].sort(), budget.inUse()]).toEqual([['a', 'b', 'c', 'd'], 0]);
});

test('of large bodies the next is read when the one before is judged', async () => {
  const place = inboxOf(['x'.repeat(70_000), 'y'.repeat(70_000)]);
  let reads = 0;
  const pageByPage = {
    ...place.inbox,
    async read(name: 'inbox.received', args: InboxReads['inbox.received']['args']) {
      reads += 1;
      const page = await place.inbox.read(name, args);
      return page.ok ? ok(page.value.slice(0, 1)) : page;
    },
  } as typeof place.inbox;
  let go: (() => void) | null = null;
  const processor = processorOf({ ...place, inbox: pageByPage }, makeBudget(Infinity), () => undefined, {
    judgesAtOnce: 4,
    judge: () => new Promise((resolve) => (go = () => resolve(SOUND))),
  });
  processor.start();
  await until(() => go !== null);
  for (let n = 0; n < 20; n += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(reads).toBe(1);
  await until(() => {
    go?.();
    return place.settled.size === 2;
  });
  await processor.stop();
});
