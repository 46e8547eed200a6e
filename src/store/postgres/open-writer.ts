import pg from 'pg';
import { fault, StartError, type Fault } from '../../kernel/index.ts';
import type { Vault } from '../vault.ts';
import type { Ask } from '../write-queue.ts';
import { clientConfig, endClient } from './connect.ts';
import { findUndurable, Undurable } from './durability.ts';
import type { Commands } from './gather-commands.ts';
import { lockSealing } from './lock-sealing.ts';
import { readIdentity } from './migrate.ts';
import { makeRunBatch, type BatchResult } from './run-batch.ts';

const RECONNECT_MS = { first: 100, cap: 2_000 } as const;

/** One connection that writes, with an audit chain of its own. It comes back by itself after the server does. */
export interface OpenWriter {
  readonly isFree: () => boolean;
  readonly isUp: () => boolean;
  run(asks: readonly Ask[]): Promise<BatchResult>;
  /** Lets go of the connection, because of something that another one has learned. */
  suspect(why: Fault): void;
  close(): Promise<void>;
}

interface Live {
  readonly client: pg.Client;
  readonly runBatch: (asks: readonly Ask[]) => Promise<BatchResult>;
}

export function openWriter(deps: {
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
  readonly onRetiredKey: (why: StartError) => void;
}): OpenWriter {
  let live: Live | null = null;
  let isBusy = false;
  let isCheckDue = false;
  let isClosed = false;
  let waitMs: number = RECONNECT_MS.first;
  let again: NodeJS.Timeout | undefined;
  let check: NodeJS.Timeout | undefined;

  /** Only the connection that is in use can be lost, and only once: late words of an earlier one change nothing. */
  function drop(which: Live, why: Fault): void {
    if (live !== which) return;
    live = null;
    clearTimeout(check);
    void endClient(which.client);
    if (isClosed) return;
    deps.onLost(why);
    connectLater();
  }

  function connectLater(): void {
    clearTimeout(again);
    again = setTimeout(connect, waitMs).unref();
    waitMs = Math.min(RECONNECT_MS.cap, waitMs * 2);
  }

  /** Settings can change under a running server, and a commit is only a promise while they hold. */
  async function checkNow(on: Live): Promise<void> {
    isCheckDue = false;
    isBusy = true;
    try {
      const reason = await findUndurable(on.client);
      if (reason !== null) drop(on, fault('store.not-durable', { cause: new Undurable(reason) }));
    } catch (thrown) {
      drop(on, fault('store.unreachable', { cause: thrown }));
    } finally {
      isBusy = false;
      checkLater(on);
      deps.onFree();
    }
  }

  /** A busy writer is checked as soon as its batch ends, before it may begin another. */
  function checkLater(on: Live): void {
    clearTimeout(check);
    if (live !== on) return;
    check = setTimeout(() => {
      isCheckDue = true;
      if (!isBusy && live === on) void checkNow(on);
    }, deps.checkMs).unref();
  }

  async function open(): Promise<Live> {
    const client = new pg.Client({ ...clientConfig(deps.url, deps.name), pipeline: true });
    // Without a listener an error between two queries would end the process.
    client.on('error', () => undefined);
    try {
      await client.connect();
      const reason = await findUndurable(client);
      if (reason !== null) throw new Undurable(reason);
      const identity = await readIdentity(client);
      if (identity !== deps.identity) {
        deps.onWrongDatabase(identity);
        throw new Error('another database answers');
      }
      await lockSealing(client, deps.vault.keyId).catch((thrown: unknown) => {
        if (thrown instanceof StartError) deps.onRetiredKey(thrown);
        throw thrown;
      });
    } catch (thrown) {
      void endClient(client);
      throw thrown;
    }
    return { client, runBatch: makeRunBatch(client, deps.vault, deps.name, deps.commands) };
  }

  function connect(): void {
    open().then(
      (next) => {
        if (isClosed) {
          void endClient(next.client);
          return;
        }
        live = next;
        isCheckDue = false;
        waitMs = RECONNECT_MS.first;
        next.client.on('error', (thrown) => drop(next, fault('store.unreachable', { cause: thrown })));
        next.client.on('end', () => drop(next, fault('store.unreachable')));
        checkLater(next);
        deps.onBack();
        deps.onFree();
      },
      (thrown: unknown) => {
        if (isClosed) return;
        deps.onLost(fault(thrown instanceof Undurable ? 'store.not-durable' : 'store.unreachable', { cause: thrown }));
        connectLater();
      },
    );
  }
  connect();

  return {
    isFree: () => live !== null && !isBusy && !isCheckDue,
    isUp: () => live !== null,
    async run(asks) {
      const on = live;
      if (on === null) {
        const why = fault('store.unreachable');
        return { outcomes: asks.map(() => ({ done: false, fault: why })), fault: why, isUsable: false };
      }
      isBusy = true;
      try {
        const result = await on.runBatch(asks);
        if (!result.isUsable && result.fault !== null) drop(on, result.fault);
        return result;
      } finally {
        isBusy = false;
        if (isCheckDue && live === on) void checkNow(on);
      }
    },
    suspect(why) {
      if (live !== null) drop(live, why);
    },
    async close() {
      isClosed = true;
      clearTimeout(again);
      clearTimeout(check);
      const closing = live;
      live = null;
      if (closing !== null) await endClient(closing.client);
    },
  };
}
