import { safeError, type Log } from '../kernel/index.ts';
import type { Gateway } from '../wire.ts';
import { EXIT, type Terminal } from './command.ts';

/** Serves until a signal comes, or until the store can no longer be trusted: then nothing more may be acknowledged. */
export async function runUntilStopped(
  gateway: Gateway,
  log: Log,
  terminal: Terminal,
  alsoStop: () => Promise<void>,
): Promise<number> {
  const why = await Promise.race([terminal.stopped, gateway.store.broken]);
  if (typeof why !== 'string') {
    log.error('process.failed', { faultCode: why.code, exitCode: EXIT.io, error: safeError(why.cause) });
    return EXIT.io;
  }
  await gateway.stop();
  await alsoStop();
  return EXIT.ok;
}
