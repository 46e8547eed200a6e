import type { Socket } from 'node:net';

/** Runs something with a signal that is aborted when whoever waits for it has closed the connection. */
export type WatchConnection = <T>(socket: Socket, run: (left: AbortSignal) => Promise<T>) => Promise<T>;

/** One listener a connection, however many requests are under way on it. */
export function makeWatchConnection(): WatchConnection {
  const watched = new WeakMap<Socket, Set<AbortController>>();

  function waitingOn(socket: Socket): Set<AbortController> {
    const known = watched.get(socket);
    if (known !== undefined) return known;
    const waiting = new Set<AbortController>();
    watched.set(socket, waiting);
    socket.once('close', () => {
      for (const one of waiting) one.abort();
    });
    return waiting;
  }

  return async (socket, run) => {
    const here = new AbortController();
    if (socket.destroyed) here.abort();
    const waiting = waitingOn(socket);
    waiting.add(here);
    try {
      return await run(here.signal);
    } finally {
      waiting.delete(here);
    }
  };
}
