import cluster from 'node:cluster';
import type { FromPrimary, FromWorker } from './message.ts';
import { passLines } from './pass-lines.ts';

/** A worker as its primary holds it. */
export interface WorkerProcess {
  /** Unlike that of any other, also of those that ended. */
  readonly number: number;
  readonly pid: number;
  tell(message: FromPrimary): void;
  kill(): void;
}

/** How a process ended, by its own code or by a signal. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
}

export type ForkWorker = (on: {
  readonly message: (message: FromWorker) => void;
  /** Also after its last line. */
  readonly ended: (how: Ended) => void;
}) => WorkerProcess;

/**
 * Workers of `node:cluster`: the same program with the same arguments. The primary listens and deals out connections in
 * turn, so that one that ends or drains leaves none behind.
 */
export function makeForkWorker(
  streams: { readonly stdout: NodeJS.WritableStream; readonly stderr: NodeJS.WritableStream },
  /** What each is told beside what the primary was. */
  environment: Readonly<Record<string, string>> = {},
): ForkWorker {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ silent: true });
  return (on) => {
    const worker = cluster.fork(environment);
    const { process: child } = worker;
    if (child.stdout !== null) passLines(child.stdout, streams.stdout);
    if (child.stderr !== null) passLines(child.stderr, streams.stderr);
    worker.on('message', on.message);
    // What cannot be sent any more is of no use to a process that has ended.
    worker.on('error', () => undefined);
    child.once('close', (code, signal) => on.ended({ code, signal }));
    return {
      number: worker.id,
      pid: child.pid ?? 0,
      tell: (message) => {
        if (worker.isConnected()) worker.send(message);
      },
      kill: () => void child.kill('SIGKILL'),
    };
  };
}
