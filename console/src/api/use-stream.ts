import { useSyncExternalStore } from 'react';
import type { EventOf } from '../../../src/admin/contract/define-contract.ts';
import type { ContractOf } from '../../../src/admin/contract/index.ts';
import { watchFlow } from './ask.ts';

type StreamEvent = EventOf<ContractOf<'flow.stream'>>;
type DataOf<K extends StreamEvent['kind']> = Extract<StreamEvent, { readonly kind: K }>['data'];
export type FlowNow = DataOf<'flow'>;
export interface Problem {
  readonly at: string;
  readonly state: string;
  readonly reason: string | null;
  readonly count: number;
  readonly isExact: boolean;
}

/** What the stream has said so far. */
export interface Streamed {
  readonly flow: FlowNow | null;
  /** What became a problem since the page was opened, newest first. */
  readonly problems: readonly Problem[];
  readonly kind: 'opening' | 'live' | 'cut';
  /** When anything was heard last, a heartbeat too; null: never. */
  readonly heardAt: number | null;
}

/** More than this is in the lists. */
const PROBLEMS_MAX = 20;
/** The gateway says something every 15 seconds at the least. */
const SILENT_MS = 40_000;
const AGAIN_MS = 1_000;
const AGAIN_MOST_MS = 10_000;

let streamed: Streamed = { flow: null, problems: [], kind: 'opening', heardAt: null };
/** Apart from what is shown: nothing is drawn anew because of a heartbeat. */
let heardAt: number | null = null;
let after: string | undefined;
const listeners = new Set<() => void>();
let ending: AbortController | null = null;

function say(changes: Partial<Streamed>): void {
  streamed = { ...streamed, ...changes, heardAt };
  for (const tell of listeners) tell();
}

function take(event: StreamEvent): void {
  after = event.id;
  if (event.kind === 'flow') say({ flow: event.data, kind: 'live' });
  if (event.kind !== 'problems') return;
  const { to, problems, isExact } = event.data;
  const added = problems.map((one) => ({ ...one, at: to, isExact }));
  say({ problems: [...added, ...streamed.problems].slice(0, PROBLEMS_MAX) });
}

/** One connection, until it ends or nothing comes any more. */
async function watchOnce(stopping: AbortSignal): Promise<void> {
  const silent = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cut = (): void => silent.abort();
  const onHeard = (): void => {
    heardAt = Date.now();
    clearTimeout(timer);
    timer = setTimeout(cut, SILENT_MS);
  };
  addEventListener('offline', cut);
  try {
    timer = setTimeout(cut, SILENT_MS);
    const events = await watchFlow({ after, signal: AbortSignal.any([stopping, silent.signal]), onHeard });
    if (events === null) return;
    say({ kind: 'live' });
    for await (const event of events) take(event);
  } catch {
    // Cut, or nobody is there: whoever watched comes again.
  } finally {
    clearTimeout(timer);
    removeEventListener('offline', cut);
  }
}

/** Until the time is over, the network is there again, or nobody watches any more. */
const pause = (ms: number, stopping: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener('online', end);
      stopping.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
    stopping.addEventListener('abort', end);
  });

async function watch(stopping: AbortSignal): Promise<void> {
  const isStopping = (): boolean => stopping.aborted;
  let waitMs = AGAIN_MS;
  while (!isStopping()) {
    const before = heardAt;
    await watchOnce(stopping);
    if (isStopping()) return;
    say({ kind: 'cut' });
    waitMs = heardAt === before ? Math.min(waitMs * 2, AGAIN_MOST_MS) : AGAIN_MS;
    await pause(waitMs, stopping);
  }
}

/** A page that nobody looks at asks for nothing, and goes on where it was. */
function startOrEnd(): void {
  const isWanted = listeners.size > 0 && !document.hidden;
  if (isWanted && ending === null) {
    ending = new AbortController();
    void watch(ending.signal);
  } else if (!isWanted && ending !== null) {
    ending.abort();
    ending = null;
    streamed = { ...streamed, kind: 'opening' };
  }
}
document.addEventListener('visibilitychange', startOrEnd);

function listen(tell: () => void): () => void {
  listeners.add(tell);
  startOrEnd();
  return () => {
    listeners.delete(tell);
    startOrEnd();
  };
}

/** What goes on now: one connection for all who use it, which comes back by itself. */
export const useStream = (): Streamed => useSyncExternalStore(listen, () => streamed);
