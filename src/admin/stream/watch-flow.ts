import type { InboxReads } from '../../inbox/index.ts';
import {
  fail,
  fault,
  faultFields,
  ok,
  safeError,
  type Clock,
  type Log,
  type Outlet,
  type Part,
  type Result,
} from '../../kernel/index.ts';
import { iso } from '../cursor.ts';
import { eventText, HEARTBEAT } from './event-text.ts';
import { flowNow, newProblems, RATE_MS, type EventData, type Look } from './flow-now.ts';

const EVERY_MS = 1_000;
const WATCHERS_MAX = 100;
const HEARTBEAT_MS = 15_000;
/** How long a stream may outlive the session or key that opened it. */
const STILL_MAY_MS = 5_000;
/** Problems are told when they are this old: a commit that takes longer than that is told of by the lists alone. */
const SETTLED_MS = 2_000;
const BACK_MS = 3_600_000;
const PROBLEMS_MAX = 10_000;
/** When whoever found no room may come again. */
const RETRY_MS = 5_000;

/** The part of the inbox that watching needs. */
export interface ReadFlow {
  read(name: 'inbox.flow', args: InboxReads['inbox.flow']['args']): Promise<Result<InboxReads['inbox.flow']['out']>>;
}

/** Somebody who wants to watch. */
export interface Watching {
  /** The id of the last event that they had; null for none. */
  readonly afterMs: number | null;
  readonly stillMay: () => Promise<Result<unknown>>;
}
interface Watcher {
  readonly outlet: Outlet;
  readonly stillMay: Watching['stillMay'];
  /** From where on problems are to be told to them alone; null once they share what all are told. */
  afterMs: number | null;
  /** The number of the last `flow` that they were sent. */
  flow: number;
  writtenAtMs: number;
  checkAtMs: number;
}

export interface FlowWatch extends Part {
  /** A fault where nobody more may watch. */
  open(who: Watching): Result<(outlet: Outlet) => void>;
  /** What a timer does every second while somebody watches. */
  look(): Promise<void>;
}

/** One look at the store a second for all who watch, and none where nobody does. */
export function makeFlowWatch(deps: {
  readonly tenant: string;
  readonly inbox: ReadFlow;
  readonly target: () => EventData<'flow'>['target'];
  readonly clock: Clock;
  readonly log: Log;
  readonly everyMs?: number;
}): FlowWatch {
  const { tenant, inbox, clock, log, everyMs = EVERY_MS } = deps;
  const watchers = new Set<Watcher>();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  let isFailing = false;
  let looks: Look[] = [];
  /** Up to where all were told of problems. */
  let toldMs: number | null = null;
  /** What all know of the flow, and the same as an event of the last look; null where that was a while ago. */
  let flow = { number: 0, words: '' };
  let fresh: { readonly text: string; readonly untilMs: number } | null = null;

  const nowMs = (): number => clock.now().getTime();
  const isFull = (): boolean => isStopped || watchers.size >= WATCHERS_MAX;

  function write(watcher: Watcher, text: string): void {
    watcher.writtenAtMs = clock.monotonicMs();
    if (watcher.outlet.write(text) === 'behind') end(watcher, 'behind');
  }
  function end(watcher: Watcher, reason: EventData<'end'>['reason']): void {
    if (!watchers.delete(watcher)) return;
    // Without an id of its own: what was not told yet is told to whoever comes again.
    watcher.outlet.write(eventText('end', String(watcher.afterMs ?? toldMs ?? nowMs()), { reason }));
    watcher.outlet.end();
    if (watchers.size === 0) rest();
  }
  function rest(): void {
    clearInterval(timer);
    timer = undefined;
    looks = [];
    toldMs = null;
    fresh = null;
  }

  const readFlow = (fromMs: number, toMs: number) =>
    inbox.read('inbox.flow', { tenant, problemsFrom: fromMs, problemsTo: toMs, problemsMax: PROBLEMS_MAX });

  /** Whoever came again is told once of what all others know already. */
  async function catchUp(watcher: Watcher, afterMs: number, toMs: number): Promise<void> {
    const fromMs = Math.max(afterMs, toMs - BACK_MS);
    const found = fromMs < toMs ? await readFlow(fromMs, toMs) : null;
    if (found?.ok === false || !watchers.has(watcher)) return;
    watcher.afterMs = null;
    if (found !== null && found.value.problems.problems.length > 0)
      write(watcher, eventText('problems', String(toMs), newProblems(found.value.problems, fromMs, toMs)));
  }

  async function checkStillMay(watcher: Watcher): Promise<void> {
    watcher.checkAtMs = clock.monotonicMs() + STILL_MAY_MS;
    const may = await watcher.stillMay();
    // A store that is away says nothing of a session: the overview stays.
    if (!may.ok && (may.fault.kind === 'unauthenticated' || may.fault.kind === 'forbidden')) end(watcher, 'signed-out');
  }

  async function lookOnce(): Promise<void> {
    const atMs = nowMs();
    const toMs = atMs - SETTLED_MS;
    const fromMs = Math.min(toldMs ?? toMs, toMs);
    const found = await readFlow(fromMs, toMs);
    if (!found.ok && !isFailing) log.warn('stream.waiting', faultFields(found.fault));
    isFailing = !found.ok;
    if (!found.ok || watchers.size === 0) return;
    toldMs = toMs;
    const id = String(toMs);
    const kept = looks.filter((one) => one.atMs <= atMs && one.atMs >= atMs - RATE_MS);
    const last: Look = { atMs, found: found.value };
    looks = [...kept, last];
    const now = flowNow(kept[0] ?? last, last, deps.target());
    const words = JSON.stringify(now);
    if (words !== flow.words) flow = { number: flow.number + 1, words };
    const text = eventText('flow', id, { at: iso(atMs), ...now });
    fresh = { text, untilMs: clock.monotonicMs() + EVERY_MS };
    const { problems } = found.value;
    const news = problems.problems.length === 0 ? null : eventText('problems', id, newProblems(problems, fromMs, toMs));
    for (const watcher of [...watchers]) {
      const { afterMs } = watcher;
      if (afterMs !== null) await catchUp(watcher, afterMs, toMs);
      else if (news !== null) write(watcher, news);
      tellFlow(watcher, text);
    }
  }

  /** Never before the problems that are still to be told: its id says that they were. */
  function tellFlow(watcher: Watcher, text: string): void {
    if (!watchers.has(watcher) || watcher.afterMs !== null || watcher.flow === flow.number) return;
    watcher.flow = flow.number;
    write(watcher, text);
  }

  async function tend(): Promise<void> {
    await lookOnce();
    const now = clock.monotonicMs();
    for (const watcher of [...watchers]) if (now >= watcher.writtenAtMs + HEARTBEAT_MS) write(watcher, HEARTBEAT);
    await Promise.all([...watchers].filter(({ checkAtMs }) => now >= checkAtMs).map(checkStillMay));
  }
  const look = (): Promise<void> => (looking ??= tend().finally(() => void (looking = null)));
  const lookSafely = (): void =>
    void look().catch((thrown: unknown) => log.error('stream.failed', { error: safeError(thrown) }));

  return {
    open: ({ afterMs, stillMay }) =>
      isFull()
        ? fail(fault('admin.watchers', { retryAfterMs: RETRY_MS }))
        : ok((outlet) => {
            const now = clock.monotonicMs();
            const watcher: Watcher = {
              outlet,
              stillMay,
              afterMs,
              flow: -1,
              writtenAtMs: now,
              checkAtMs: now + STILL_MAY_MS,
            };
            const isTooLate = isFull();
            watchers.add(watcher);
            outlet.onClose(() => {
              if (watchers.delete(watcher) && watchers.size === 0) rest();
            });
            if (isTooLate) {
              end(watcher, isStopped ? 'stopping' : 'full');
              return;
            }
            timer ??= setInterval(lookSafely, everyMs).unref();
            if (fresh === null || fresh.untilMs < now) lookSafely();
            else tellFlow(watcher, fresh.text);
          }),
    look,
    stop() {
      isStopped = true;
      for (const watcher of [...watchers]) end(watcher, 'stopping');
    },
  };
}
