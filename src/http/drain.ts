import type { Server } from 'node:http';

/** Waits for `work`, but no longer than `ms`. True when it came to its end. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const inTime = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}

/**
 * Stops taking connections and lets the requests under way finish. `/readyz` has said 503 for `graceMs` before, so that
 * a load balancer has looked elsewhere; what is not finished after `patienceMs` is cut.
 */
export async function drainServer(server: Server, graceMs: number, patienceMs: number): Promise<'finished' | 'cut'> {
  await within(graceMs, new Promise(() => undefined));
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  // Connections that become idle during the wait would otherwise be kept alive to its end.
  const sweep = setInterval(() => server.closeIdleConnections(), 100);
  const inTime = await within(patienceMs, closed);
  clearInterval(sweep);
  if (!inTime) server.closeAllConnections();
  return inTime ? 'finished' : 'cut';
}
