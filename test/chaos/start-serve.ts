import { portOf, runProcess } from '../support/run-process.ts';
import type { Counts } from './check-acknowledged.ts';

const START_MS = 30_000;

/** A `chartgate serve` that has said that it started. */
export interface Served {
  readonly pid: number;
  readonly webhook: string;
  readonly startMs: number;
  ledger(): Promise<Counts>;
  /** Resolves when the process is gone. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

type Settings = Readonly<Record<string, string>>;

export async function startServe(settings: Settings, environment: Settings = {}): Promise<Served> {
  const from = performance.now();
  const running = runProcess(['serve'], { ...settings, ...environment });
  const late = setTimeout(() => running.signal('SIGKILL'), START_MS);
  const port = await portOf(running).finally(() => clearTimeout(late));
  const startMs = Math.round(performance.now() - from);
  const url = `http://127.0.0.1:${port}`;
  return {
    pid: running.pid,
    webhook: `${url}/webhooks/${settings['CHARTGATE_WEBHOOK_SECRET'] ?? ''}/data`,
    startMs,
    async ledger() {
      const headers = { authorization: `Bearer ${settings['CHARTGATE_ADMIN_TOKEN'] ?? ''}` };
      const answer = await fetch(`${url}/admin/api/ledger`, { headers });
      if (answer.status !== 200)
        throw new Error(`the ledger is answered with ${answer.status}: ${await answer.text()}`);
      return (await answer.json()) as Counts;
    },
    async end(signal) {
      running.signal(signal);
      await running.ended;
    },
  };
}

/** Serves while `work` goes on, and not a moment longer. */
export async function withServe(
  settings: Settings,
  environment: Settings,
  work: (served: Served) => Promise<void>,
): Promise<void> {
  const served = await startServe(settings, environment);
  try {
    await work(served);
  } finally {
    await served.end('SIGKILL');
  }
}

/** A start that is cut off `afterMs` into it: in the middle of loading, recovering or opening. */
export async function killStart(settings: Settings, afterMs: number): Promise<void> {
  const running = runProcess(['serve'], { ...settings });
  const kill = setTimeout(() => running.signal('SIGKILL'), afterMs);
  await running.ended;
  clearTimeout(kill);
}
