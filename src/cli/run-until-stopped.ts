import { writeSync } from 'node:fs';
import { safeError, type Log } from '../kernel/index.ts';
import type { Gateway } from '../gateway/index.ts';
import { EXIT, type Terminal } from './command.ts';

/** Serves until a signal comes, or until the store can no longer be trusted: then nothing more may be acknowledged. */
export async function runUntilStopped(
  gateway: Pick<Gateway, 'store'>,
  log: Log,
  terminal: Terminal,
  stop: () => Promise<void>,
): Promise<number> {
  const why = await Promise.race([terminal.stopped, gateway.store.broken]);
  if (typeof why !== 'string') {
    const fields = { faultCode: why.code, exitCode: EXIT.io, error: safeError(why.cause) };
    log.error('process.failed', fields);
    // Also past the log's buffers, which the end of the process may cut off.
    writeSync(2, `${JSON.stringify({ level: 'error', event: 'process.failed', ...fields })}\n`);
    return EXIT.io;
  }
  await stop();
  return EXIT.ok;
}

/** Null where the process was asked to stop before the start had come to its end: there is nothing to drain yet. */
export async function unlessStopped<T>(starting: Promise<T>, terminal: Terminal): Promise<T | null> {
  // A start that fails after that has nobody to tell.
  starting.catch(() => undefined);
  return Promise.race([starting, terminal.stopped.then(() => null)]);
}
