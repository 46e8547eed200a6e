import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { randomUUID } from 'node:crypto';
import { collectAfterStart, dropBytes, isObject } from '../../kernel/index.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import { makeVault } from '../vault.ts';
import type { Ask } from '../write-queue.ts';
import { makeCheckpoint } from './checkpoint.ts';
import { takeLock } from './take-lock.ts';
import { loadCommands } from './load-commands.ts';
import { migrate, settleIdentity, settleKeptKeys } from './migrate.ts';
import { forbidRewriting, openWriter, versionOf } from './open-database.ts';
import { prepareFile } from './prepare-file.ts';
import { toThreadError, type FromWriter, type ThreadData, type ThreadOutcome, type ToWriter } from './protocol.ts';
import { makeRunBatch } from './run-batch.ts';

const IDLE_MS = 2_000;

const data = workerData as ThreadData;
const send = (message: FromWriter): void => parentPort?.postMessage(message);

/** What this thread has open. */
const held: { releaseLock?: () => void; db?: DatabaseSync; closeIndex?: () => void } = {};

/** The database before its index: to close a file is to let go of every lock that this process has on it. */
function letGo(): void {
  held.db?.close();
  held.closeIndex?.();
  held.releaseLock?.();
}

function open() {
  const file = prepareFile(data);
  held.releaseLock = takeLock(file);
  const db = (held.db = openWriter(file));
  const dataVault = makeVault(data.keys);
  const migrated = migrate(db, MIGRATIONS, Date.now());
  settleIdentity(db, dataVault, randomUUID(), data.environment, Date.now());
  const vault = settleKeptKeys(db, dataVault, data.keys, Date.now());
  forbidRewriting(db);
  return { file, db, vault, migrated };
}

/** What cannot be copied out of the thread fails for its own caller, although it is stored: its command is wrong. */
function sendBatch(outcomes: readonly ThreadOutcome[], commitMs: number): void {
  try {
    send({ kind: 'batch', outcomes, commitMs });
  } catch {
    const copied = outcomes.map((one): ThreadOutcome => {
      try {
        return structuredClone(one);
      } catch (thrown) {
        return { done: false, error: toThreadError(thrown) };
      }
    });
    send({ kind: 'batch', outcomes: copied, commitMs });
  }
}

/** The arguments are this thread's own copy, and large ones must not wait for its collector. */
function dropArguments(asks: readonly Ask[]): void {
  for (const { args } of asks)
    if (isObject(args)) for (const value of Object.values(args)) if (value instanceof Uint8Array) dropBytes(value);
}

async function main(): Promise<void> {
  const { file, db, vault, migrated } = open();
  const commands = await loadCommands(data.commandFiles, 'writes');
  const onBroken = (thrown: unknown): void => send({ kind: 'broken', error: toThreadError(thrown) });
  const runBatch = makeRunBatch(db, { vault, writer: data.writer }, commands, onBroken);
  const checkpoint = makeCheckpoint(db, file, onBroken);
  held.closeIndex = checkpoint.close;
  let idle: NodeJS.Timeout | undefined;
  const tidy = (): void => {
    checkpoint.ifLarge();
    if (idle === undefined)
      idle = setTimeout(() => {
        idle = undefined;
        checkpoint.whenIdle();
      }, IDLE_MS);
    else idle.refresh();
  };

  parentPort?.on('message', (message: ToWriter) => {
    if (message.kind === 'close') {
      clearTimeout(idle);
      checkpoint.whenIdle();
      letGo();
      parentPort?.close();
      return;
    }
    if (message.kind === 'scrub') {
      send({ kind: 'scrubbed', done: checkpoint.now() });
      return;
    }
    const from = performance.now();
    const outcomes = runBatch(message.asks);
    sendBatch(outcomes, performance.now() - from);
    // Not before: a command may be carried out twice.
    dropArguments(message.asks);
    tidy();
  });
  collectAfterStart();
  send({ kind: 'open', file, version: versionOf(db), migrated });
}

main().catch((thrown: unknown) => {
  letGo();
  send({ kind: 'refused', error: toThreadError(thrown) });
  parentPort?.close();
});
