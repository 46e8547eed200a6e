import { expect, test } from '@jest/globals';
import { processReceived, type Judgement } from '../../../src/judge/index.ts';
import type { DeliverReads, DeliverWrites } from '../../../src/lanes/index.ts';
import type { InboxReads, InboxWrites, Received } from '../../../src/inbox/index.ts';
import { makeBudget, ok, systemClock } from '../../../src/kernel/index.ts';
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
  const received = ids.map((id, i): Received => ({
    seq: i + 1,
    id,
    hook: 'data',
    requestId: 'r',
    receivedAt: 0,
    body: id === 'closed' ? 'unopenable' : new TextEncoder().encode(id),
  }));
  const inbox = {
    read: (_name: string, { after }: InboxReads['inbox.received']['args']) =>
      Promise.resolve(ok(received.filter(({ seq, id }) => seq > after && !settled.has(id)))),
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
  return { inbox, deliver, settled };
}

async function processAll(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { inbox, deliver, settled } = inboxOf(ids);
  const processor = processReceived({
    tenant: 't',
    instance: 'i',
    inbox,
    deliver,
    judge: (_hook, body) => {
      if (Buffer.from(body).toString() === 'throws') throw new Error('a bug of ours');
      return SOUND;
    },
    budget: makeBudget(Infinity),
    clock: systemClock,
    log: collectLog(),
    isBusy: () => false,
    onSettled: () => undefined,
    onFinding: () => undefined,
    follow: () => Promise.resolve(ok([])),
  });
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
