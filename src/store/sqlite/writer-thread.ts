import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { randomUUID } from 'node:crypto';
import { MIGRATIONS } from '../migrations/index.ts';
import { makeVault } from '../vault.ts';
import type { Ask } from '../write-queue.ts';
import { makeWriterMemory, type WriterMemory } from '../writer-memory.ts';
import { makeCheckpoint } from './checkpoint.ts';
import { isBeyondTrust, storeFault } from './errors.ts';
import { takeLock } from './take-lock.ts';
import { loadCommands } from './load-commands.ts';
import { migrate, settleIdentity, settleKeptKeys } from './migrate.ts';
import { forbidRewriting, openWriter, versionOf } from './open-database.ts';
import { prepareFile } from './prepare-file.ts';
import { toThreadError, type FromWriter, type ThreadData, type ThreadOutcome, type ToWriter } from './protocol.ts';
import { makeStatements } from './statements.ts';

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

/** A promise would be answered before its work is done, and a function cannot leave the thread. */
function plain(out: unknown): unknown {
  if (typeof out === 'function' || (typeof out === 'object' && out !== null && 'then' in out))
    throw new TypeError('a command answers plain data');
  return out;
}

/** One transaction for the batch, one savepoint for each command: a bad one fails alone. */
function makeRunBatch(db: DatabaseSync, memory: WriterMemory, run: (ask: Ask) => unknown) {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const savepoint = db.prepare('SAVEPOINT command');
  const release = db.prepare('RELEASE command');
  const back = db.prepare('ROLLBACK TO command');

  const undo = (): void => {
    if (db.isTransaction) db.exec('ROLLBACK');
  };
  const allFail = (asks: readonly Ask[], thrown: unknown): ThreadOutcome[] => {
    const error = toThreadError(thrown);
    const store = storeFault(thrown) ?? 'store.io';
    return asks.map(() => ({ done: false, store, error }));
  };

  return (asks: readonly Ask[]): ThreadOutcome[] => {
    const outcomes: ThreadOutcome[] = [];
    try {
      begin.run();
      for (const ask of asks) {
        savepoint.run();
        try {
          outcomes.push({ done: true, out: plain(run(ask)) });
        } catch (thrown) {
          // The trouble of the whole database, and what SQLite has already rolled back, fails the batch.
          if (storeFault(thrown) !== null || !db.isTransaction) throw thrown;
          memory.forget();
          back.run();
          outcomes.push({ done: false, error: toThreadError(thrown) });
        }
        release.run();
      }
      db.exec('COMMIT');
      return outcomes;
    } catch (thrown) {
      memory.forget();
      if (isBeyondTrust(thrown)) send({ kind: 'broken', error: toThreadError(thrown) });
      else undo();
      return allFail(asks, thrown);
    }
  };
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

async function main(): Promise<void> {
  const { file, db, vault, migrated } = open();
  const commands = await loadCommands(data.commandFiles, 'writes');
  const memory = makeWriterMemory();
  const context = { db: makeStatements(db), vault, writer: data.writer, memory, engine: 'sqlite' } as const;
  const runBatch = makeRunBatch(db, memory, ({ name, args }) => {
    const command = commands.get(name);
    if (command === undefined) throw new Error(`no command is named ${name}`);
    return command(context, args);
  });

  const checkpoint = makeCheckpoint(db, file, (thrown) => send({ kind: 'broken', error: toThreadError(thrown) }));
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
    tidy();
  });
  send({ kind: 'open', file, version: versionOf(db), migrated });
}

main().catch((thrown: unknown) => {
  letGo();
  send({ kind: 'refused', error: toThreadError(thrown) });
  parentPort?.close();
});
