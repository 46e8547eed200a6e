import type { Clock, Log } from '../kernel/index.ts';
import { makeMergedMetrics, type MetricsReading } from '../ops/index.ts';
import { makeAskAll } from './ask-all.ts';
import { firstStep, nextStep, type CrewAct, type CrewEvent } from './crew.ts';
import type { Ended, ForkWorker, WorkerProcess } from './fork-worker.ts';
import type { Answers, FromPrimary, FromWorker, Look } from './message.ts';

/** A worker has come to its end long before, unless something in it hangs. */
const STOP_MS = 45_000;

export interface PrimaryDeps {
  readonly wanted: number;
  readonly fork: ForkWorker;
  readonly stopped: Promise<unknown>;
  /** Takes what is to be done when the data are to be read anew. */
  readonly onReload: (work: () => void) => void;
  /** Of a worker that was ended by a signal. */
  readonly killedCode: number;
  /** Takes how to read what the primary counts itself. */
  readonly watch?: (read: () => Promise<MetricsReading>) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Starts workers, starts those that end again, and joins what they say. Resolves with the exit code. */
export function runPrimary(deps: PrimaryDeps): Promise<number> {
  const { wanted, clock, log } = deps;
  const running = new Map<number, WorkerProcess>();
  const asking = makeAskAll();
  const merged = makeMergedMetrics();
  const first = firstStep(wanted);
  let { crew } = first;
  let restarts = 0;

  return new Promise((resolve) => {
    const tellAll = (message: FromPrimary): void => running.forEach(({ tell }) => tell(message));

    const looks: { readonly [W in Look]: () => Promise<Answers[W]> } = {
      async metrics() {
        const found = await asking.ask([...running.values()], 'metrics');
        for (const [worker, reading] of found)
          // One that has ended since is in the sums already, as it was before.
          if (reading !== undefined && running.has(worker)) merged.learn(worker, reading as MetricsReading);
        return merged.render({ serving: serving().length, restarts });
      },
      async readiness() {
        const asked = serving();
        const found = await asking.ask(asked, 'readiness');
        const ready = [...found.values()].filter((one) => one === true).length;
        return { wanted, serving: asked.length, ready };
      },
    };
    const serving = (): WorkerProcess[] =>
      [...running.values()].filter(({ number }) => crew.members.get(number)?.state === 'serving');

    function hear(from: WorkerProcess, message: FromWorker): void {
      switch (message.kind) {
        case 'seated':
          if (crew.end !== null) from.tell({ kind: 'stop' });
          break;
        case 'serving':
          log.info('worker.started', { worker: from.number, pid: from.pid, port: message.port });
          step({ kind: 'serving', worker: from.number, atMs: clock.monotonicMs() });
          break;
        case 'tell': {
          const { topic, value } = message;
          for (const { number, tell } of running.values())
            if (number !== from.number) tell({ kind: 'told', topic, value });
          break;
        }
        case 'ask':
          void looks[message.what]().then((value) => from.tell({ kind: 'answer', n: message.n, value }));
          break;
        case 'found':
          asking.found(message.n, message.value);
          break;
      }
    }

    function onEnded({ number }: WorkerProcess, { code, signal }: Ended): void {
      running.delete(number);
      asking.gone(number);
      merged.retire(number);
      const exitCode = code ?? deps.killedCode;
      const how = { worker: number, exitCode, ...(signal === null ? {} : { reason: signal }) };
      if (crew.end === null && exitCode !== 0) log.error('worker.ended', how);
      else log.info('worker.ended', how);
      step({ kind: 'ended', worker: number, code: exitCode, atMs: clock.monotonicMs() });
    }

    function start(): void {
      if (crew.end !== null) return;
      const worker: WorkerProcess = deps.fork({
        message: (message) => hear(worker, message),
        ended: (how) => onEnded(worker, how),
      });
      running.set(worker.number, worker);
      step({ kind: 'started', worker: worker.number, atMs: clock.monotonicMs() });
    }

    function carryOut(act: CrewAct): void {
      switch (act.kind) {
        case 'start':
          if (act.afterMs === 0) start();
          else {
            restarts += 1;
            setTimeout(start, act.afterMs).unref();
          }
          break;
        case 'stop':
          tellAll({ kind: 'stop' });
          setTimeout(() => running.forEach(({ kill }) => kill()), STOP_MS).unref();
          break;
        case 'end':
          resolve(act.code);
          break;
      }
    }

    function step(event: CrewEvent): void {
      const { crew: next, acts } = nextStep(crew, event);
      crew = next;
      acts.forEach(carryOut);
    }

    deps.watch?.(() => merged.readOwn({ serving: serving().length, restarts }));
    void deps.stopped.then(() => step({ kind: 'stop' }));
    deps.onReload(() => tellAll({ kind: 'reload' }));
    first.acts.forEach(carryOut);
  });
}
