import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { randomUUID } from 'node:crypto';
import { MIGRATIONS } from '../migrations/index.ts';
import { makeVault } from '../vault.ts';
import type { Ask } from '../write-queue.ts';
import { isBeyondTrust, storeFault } from './errors.ts';
import { holdLock } from './hold-lock.ts';
import { loadCommands } from './load-commands.ts';
import { migrate, settleIdentity } from './migrate.ts';
import { forbidRewriting, openWriter, versionOf } from './open-database.ts';
import { prepareFile } from './prepare-file.ts';
import { toThreadError, type FromWriter, type ThreadData, type ThreadOutcome, type ToWriter } from './protocol.ts';
import { makeStatements } from './statements.ts';

const WAL_PASSIVE_BYTES = 16 * 1024 * 1024;
const WAL_TRUNCATE_BYTES = 64 * 1024 * 1024;
const IDLE_MS = 2_000;

const data = workerData as ThreadData;
const send = (message: FromWriter): void => parentPort?.postMessage(message);

function open() {
  prepareFile(data.file, data.filesystem);
  const release = holdLock(data.file);
  const db = openWriter(data.file);
  const vault = makeVault(data.keys);
  const migrated = migrate(db, MIGRATIONS, Date.now());
  settleIdentity(db, vault, randomUUID(), Date.now());
  forbidRewriting(db);
  return { db, vault, migrated, release };
}

const walBytes = (): number => statSync(`${data.file}-wal`, { throwIfNoEntry: false })?.size ?? 0;

/** One transaction for the batch, one savepoint for each command: a bad one fails alone. */
function makeRunBatch(db: DatabaseSync, run: (ask: Ask) => unknown) {
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
          outcomes.push({ done: true, out: run(ask) });
        } catch (thrown) {
          // The trouble of the whole database, and what SQLite has already rolled back, fails the batch.
          if (storeFault(thrown) !== null || !db.isTransaction) throw thrown;
          back.run();
          outcomes.push({ done: false, error: toThreadError(thrown) });
        }
        release.run();
      }
      db.exec('COMMIT');
      return outcomes;
    } catch (thrown) {
      if (isBeyondTrust(thrown)) send({ kind: 'broken', error: toThreadError(thrown) });
      else undo();
      return allFail(asks, thrown);
    }
  };
}

async function main(): Promise<void> {
  const { db, vault, migrated, release } = open();
  const commands = await loadCommands(data.commandFiles, 'writes');
  const context = { db: makeStatements(db), vault, writer: data.writer };
  const runBatch = makeRunBatch(db, ({ name, args }) => {
    const command = commands.get(name);
    if (command === undefined) throw new Error(`no command is named ${name}`);
    return command(context, args);
  });

  const checkpoint = (mode: 'PASSIVE' | 'TRUNCATE'): void => {
    try {
      db.exec(`PRAGMA wal_checkpoint(${mode})`);
    } catch (thrown) {
      if (isBeyondTrust(thrown)) send({ kind: 'broken', error: toThreadError(thrown) });
      // Anything else: the log keeps growing, and the next turn tries again.
    }
  };
  let idle: NodeJS.Timeout | undefined;
  const tidy = (): void => {
    const bytes = walBytes();
    if (bytes > WAL_TRUNCATE_BYTES) checkpoint('TRUNCATE');
    else if (bytes > WAL_PASSIVE_BYTES) checkpoint('PASSIVE');
    if (idle === undefined)
      idle = setTimeout(() => {
        idle = undefined;
        checkpoint('TRUNCATE');
      }, IDLE_MS);
    else idle.refresh();
  };

  parentPort?.on('message', (message: ToWriter) => {
    if (message.kind === 'close') {
      clearTimeout(idle);
      checkpoint('TRUNCATE');
      db.close();
      release();
      send({ kind: 'closed' });
      parentPort?.close();
      return;
    }
    const from = performance.now();
    const outcomes = runBatch(message.asks);
    send({ kind: 'batch', outcomes, commitMs: performance.now() - from });
    tidy();
  });
  send({ kind: 'open', version: versionOf(db), migrated });
}

main().catch((thrown: unknown) => {
  send({ kind: 'refused', error: toThreadError(thrown) });
  parentPort?.close();
});
