import type { Socket } from 'node:net';
import type { AbandonSignal } from '../ehr/index.ts';

/** Runs something with a signal that is aborted when whoever waits for it has closed the connection. */
export type WatchConnection = <T>(socket: Socket, run: (left: AbandonSignal) => Promise<T>) => Promise<T>;

interface Waiting extends AbandonSignal {
  abort(): void;
}

function makeWaiting(): Waiting {
  const listeners = new Set<() => void>();
  let isAborted = false;
  return {
    get aborted() {
      return isAborted;
    },
    addEventListener: (_type, listener) => void listeners.add(listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener),
    abort() {
      if (isAborted) return;
      isAborted = true;
      for (const listener of listeners) listener();
    },
  };
}

/** One listener a connection, however many requests are under way on it. */
export function makeWatchConnection(): WatchConnection {
  const watched = new WeakMap<Socket, Set<Waiting>>();

  function waitingOn(socket: Socket): Set<Waiting> {
    const known = watched.get(socket);
    if (known !== undefined) return known;
    const waiting = new Set<Waiting>();
    watched.set(socket, waiting);
    socket.once('close', () => {
      for (const one of waiting) one.abort();
    });
    return waiting;
  }

  return async (socket, run) => {
    const here = makeWaiting();
    if (socket.destroyed) here.abort();
    const waiting = waitingOn(socket);
    waiting.add(here);
    try {
      return await run(here);
    } finally {
      waiting.delete(here);
    }
  };
}
