import pg from 'pg';
import { fault, type Fault } from '../../kernel/index.ts';
import type { PostgresContext } from '../commands.ts';
import type { Vault } from '../vault.ts';
import type { Ask } from '../write-queue.ts';
import { clientConfig, findUndurable, makeDb } from './connect.ts';
import { readIdentity } from './migrate.ts';
import { runBatch, type BatchResult, type Commands } from './run-batch.ts';

const RECONNECT_MS = { first: 100, cap: 2_000 } as const;

/** One connection that writes, with an audit chain of its own. It comes back by itself after the server does. */
export interface KeptWriter {
  readonly isFree: () => boolean;
  run(asks: readonly Ask[]): Promise<BatchResult>;
  close(): Promise<void>;
}

export function keepWriter(deps: {
  readonly url: string;
  readonly name: string;
  readonly vault: Vault;
  readonly commands: Commands;
  readonly identity: string;
  readonly checkMs: number;
  readonly onFree: () => void;
  readonly onLost: (fault: Fault) => void;
  readonly onBack: () => void;
  readonly onWrongDatabase: (found: string | null) => void;
}): KeptWriter {
  let client: pg.Client | null = null;
  let context: PostgresContext | null = null;
  let isBusy = false;
  let isClosed = false;
  let waitMs: number = RECONNECT_MS.first;
  let again: NodeJS.Timeout | undefined;
  let check: NodeJS.Timeout | undefined;

  function drop(fault: Fault): void {
    const dropped = client;
    client = null;
    context = null;
    clearTimeout(check);
    dropped?.removeAllListeners();
    dropped?.on('error', () => undefined);
    dropped?.end().catch(() => undefined);
    if (isClosed) return;
    deps.onLost(fault);
    again = setTimeout(connect, waitMs).unref();
    waitMs = Math.min(RECONNECT_MS.cap, waitMs * 2);
  }

  /** Settings can change under a running server; a commit is only a promise while they hold. */
  function checkLater(on: pg.Client): void {
    check = setTimeout(() => {
      if (client !== on) return;
      if (isBusy) {
        checkLater(on);
        return;
      }
      isBusy = true;
      findUndurable(on)
        .then((reason) => {
          if (client !== on) return;
          if (reason === null) checkLater(on);
          else drop(fault('store.not-durable', { cause: new Error(reason) }));
        })
        .catch((thrown: unknown) => {
          if (client === on) drop(fault('store.unreachable', { cause: thrown }));
        })
        .finally(() => {
          isBusy = false;
          deps.onFree();
        });
    }, deps.checkMs).unref();
  }

  async function open(): Promise<void> {
    const next = new pg.Client({ ...clientConfig(deps.url, deps.name), pipeline: true });
    // Without a listener an error between two queries would end the process.
    next.on('error', () => undefined);
    try {
      await next.connect();
      const reason = await findUndurable(next);
      if (reason !== null) throw Object.assign(new Error(reason), { isUndurable: true });
      const identity = await readIdentity(next);
      if (identity !== deps.identity) {
        deps.onWrongDatabase(identity);
        throw new Error('another database answers');
      }
    } catch (thrown) {
      next.end().catch(() => undefined);
      throw thrown;
    }
    if (isClosed) {
      await next.end();
      return;
    }
    client = next;
    context = { db: makeDb(next), vault: deps.vault, writer: deps.name };
    waitMs = RECONNECT_MS.first;
    next.on('error', (thrown) => drop(fault('store.unreachable', { cause: thrown })));
    next.on('end', () => drop(fault('store.unreachable')));
    checkLater(next);
    deps.onBack();
    deps.onFree();
  }

  function connect(): void {
    open().catch((thrown: unknown) => {
      const isUndurable = thrown instanceof Error && 'isUndurable' in thrown;
      drop(fault(isUndurable ? 'store.not-durable' : 'store.unreachable', { cause: thrown }));
    });
  }
  connect();

  return {
    isFree: () => client !== null && !isBusy,
    async run(asks) {
      const on = client;
      if (on === null || context === null) return { committed: false, fault: fault('store.unreachable') };
      isBusy = true;
      const result = await runBatch(on, context, deps.commands, asks);
      isBusy = false;
      if (!result.committed && client === on) drop(result.fault);
      return result;
    },
    async close() {
      isClosed = true;
      clearTimeout(again);
      clearTimeout(check);
      const closing = client;
      client = null;
      closing?.removeAllListeners();
      closing?.on('error', () => undefined);
      await closing?.end();
    },
  };
}
