import { randomUUID } from 'node:crypto';
import type { Clock } from '../../src/kernel/index.ts';
import type { Keep } from '../keep/index.ts';
import { pickNext } from './pick-next.ts';
import { isAcknowledged, RETRY_WAITS_MS, retryWaitMs } from './retry.ts';
import { signDelivery } from './sign.ts';

export type Hook = 'data' | 'notification';

export interface Outgoing {
  readonly client: string;
  readonly hook: Hook;
  readonly body: string;
}

interface Queued extends Outgoing {
  readonly tries: number;
  /** Real time: a receiver waits and recovers in it, however fast the simulation runs. */
  readonly dueAt: number;
}

/** A delivery that nobody acknowledged until the last try. */
export interface GivenUp extends Outgoing {
  readonly tries: number;
  /** The last status, or null where nobody answered. */
  readonly answered: number | null;
  readonly at: number;
}

export interface Counts {
  readonly acknowledged: number;
  readonly retried: number;
  readonly givenUp: number;
}

/** Where and with which key; null where the client has no such address (any more). */
export type FindTarget = (client: string, hook: Hook) => { readonly url: string; readonly key: string } | null;

export interface Sender {
  /** Kept before it returns. Without an address nothing is: there is nobody whom it was for. */
  put(one: Outgoing): void;
  counts(client: string, hook: Hook): Counts;
  /** What is not acknowledged yet, those that wait for another try included. */
  waiting(): number;
  givenUp(): readonly (readonly [id: string, GivenUp])[];
  /** Tries what was given up anew; returns how many. */
  sendAgain(): number;
  /** Resolves once fewer than that many wait. */
  below(count: number): Promise<void>;
  stop(): Promise<void>;
}

const ANSWER_MS = 10_000;
const NOTHING: Counts = { acknowledged: 0, retried: 0, givenUp: 0 };

/**
 * Signed deliveries to the webhooks of clients: kept until they are acknowledged, a bounded number at a time, in no
 * certain order.
 */
export function makeSender(deps: {
  readonly kept: Keep;
  readonly clock: Clock;
  readonly findTarget: FindTarget;
  readonly fetch?: typeof fetch;
  readonly seed?: number;
  readonly underwayMax?: number;
  readonly waitsMs?: readonly number[];
}): Sender {
  const { kept, clock, findTarget, fetch: ask = fetch, seed = 1, underwayMax = 8, waitsMs = RETRY_WAITS_MS } = deps;
  const queue = kept.table<Queued>('delivery');
  const lost = kept.table<GivenUp>('delivery_given_up');
  const counted = kept.table<Counts>('delivery_count');
  const ready: string[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const underway = new Set<Promise<void>>();
  const ending = new AbortController();
  let waiters: { readonly count: number; readonly resolve: () => void }[] = [];
  let turn = 0;

  const countsOf = (client: string, hook: Hook): Counts => counted.get(`${hook} ${client}`) ?? NOTHING;
  function count({ client, hook }: Outgoing, what: keyof Counts): void {
    const before = countsOf(client, hook);
    counted.put(`${hook} ${client}`, { ...before, [what]: before[what] + 1 });
  }
  function tellWaiters(): void {
    const there = queue.count();
    waiters = waiters.filter(({ count: wanted, resolve }) => {
      if (there >= wanted) return true;
      resolve();
      return false;
    });
  }

  function later(id: string, waitMs: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      ready.push(id);
      pump();
    }, waitMs);
    timer.unref();
    timers.add(timer);
  }

  async function post(id: string, { client, hook, body }: Queued): Promise<number | null> {
    const target = findTarget(client, hook);
    if (target === null) return null;
    try {
      const answer = await ask(target.url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          ...signDelivery(target.key, id, Math.floor(clock.now().getTime() / 1000), body),
        },
        body,
        signal: AbortSignal.any([ending.signal, AbortSignal.timeout(ANSWER_MS)]),
      });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return null;
    }
  }

  async function attempt(id: string): Promise<void> {
    const row = queue.get(id);
    if (row === undefined) return;
    const answered = await post(id, row);
    // What was cut off by the end of the process was no try: it is made at the next start.
    if (ending.signal.aborted && answered === null) return;
    const tries = row.tries + 1;
    const waitMs = retryWaitMs(waitsMs, tries);
    const nowMs = clock.now().getTime();
    kept.together(() => {
      if (answered !== null && isAcknowledged(answered)) {
        queue.remove(id);
        count(row, 'acknowledged');
      } else if (waitMs === null) {
        queue.remove(id);
        const { client, hook, body } = row;
        lost.put(id, { client, hook, body, tries, answered, at: nowMs });
        count(row, 'givenUp');
      } else {
        queue.put(id, { ...row, tries, dueAt: nowMs + waitMs });
        count(row, 'retried');
        later(id, waitMs);
      }
    });
  }

  function pump(): void {
    while (!ending.signal.aborted && underway.size < underwayMax && ready.length > 0) {
      const [id = ''] = ready.splice(pickNext(seed, turn, ready.length), 1);
      turn += 1;
      const done = attempt(id).finally(() => {
        underway.delete(done);
        tellWaiters();
        pump();
      });
      underway.add(done);
    }
  }

  const startedAt = clock.now().getTime();
  for (const [id, { dueAt }] of queue.all())
    if (dueAt <= startedAt) ready.push(id);
    else later(id, dueAt - startedAt);
  // Not before whoever makes the sender has come to its end: the address may be learned only then.
  setImmediate(pump);

  function enqueue(id: string, { client, hook, body }: Outgoing): void {
    queue.put(id, { client, hook, body, tries: 0, dueAt: clock.now().getTime() });
    ready.push(id);
  }

  return {
    put(one) {
      if (findTarget(one.client, one.hook) === null) return;
      enqueue(`msg_${randomUUID()}`, one);
      // The next turn: whoever puts several leaves them to be shuffled.
      setImmediate(pump);
    },
    counts: countsOf,
    waiting: () => queue.count(),
    givenUp: () => lost.all(),
    sendAgain() {
      const all = lost.all();
      kept.together(() => {
        for (const [id, one] of all) {
          lost.remove(id);
          enqueue(id, one);
        }
      });
      setImmediate(pump);
      return all.length;
    },
    below: (wanted) =>
      queue.count() < wanted
        ? Promise.resolve()
        : new Promise<void>((resolve) => void waiters.push({ count: wanted, resolve })),
    async stop() {
      ending.abort();
      for (const timer of timers) clearTimeout(timer);
      await Promise.allSettled(underway);
      for (const { resolve } of waiters) resolve();
      waiters = [];
    },
  };
}
