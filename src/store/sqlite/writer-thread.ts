import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { randomUUID } from 'node:crypto';
import { collectAfterStart, dropBytes, isObject, lowerThreadPriority } from '../../kernel/index.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import { makeVault } from '../vault.ts';
import type { Ask } from '../write-queue.ts';
import { makeCheckpoint } from './checkpoint.ts';
import { takeLock } from './take-lock.ts';
import { loadCommands } from './load-commands.ts';
import { migrate, settleIdentity, settleKeptKeys } from './migrate.ts';
import { forbidRewriting, openWriter, versionOf } from './open-database.ts';
import { prepareFile } from './prepare-file.ts';
import { emptyJournalFiles, makeJournalFiles } from './journal/journal-names.ts';
import { openJournalReader } from './journal/read-journal.ts';
import type { BlockPlace } from './journal/format.ts';
import {
  fromThreadError,
  toThreadError,
  type BatchDone,
  type FromWriter,
  type ThreadData,
  type ThreadOutcome,
  type ToWriter,
} from './protocol.ts';
import { makeRunBatch } from './run-batch.ts';

const IDLE_MS = 2_000;

// Who waits for an acknowledgement or an answer waits for the journal, and hardly anybody for this thread.
lowerThreadPriority();

const data = workerData as ThreadData;
const send = (message: FromWriter): void => parentPort?.postMessage(message);

/** What this thread has open. */
const held: { releaseLock?: () => void; db?: DatabaseSync; closeIndex?: () => void; closeJournal?: () => void } = {};

/** The database before its index: to close a file is to let go of every lock that this process has on it. */
function letGo(): void {
  held.db?.close();
  held.closeJournal?.();
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
  const store = String(db.prepare('SELECT id FROM store_identity').get()?.['id']);
  settleCarriedPlace(db);
  makeJournalFiles(file);
  const journal = openJournalReader(file, vault, store);
  held.closeJournal = journal.close;
  forbidRewriting(db);
  return { file, db, vault, migrated, store, journal };
}

/** What cannot be copied out of the thread fails for its own caller, although it is stored: its command is wrong. */
function sendBatch({ outcomes, failure }: BatchDone, commitMs: number): void {
  try {
    send({ kind: 'batch', outcomes, failure, commitMs });
  } catch {
    const copied = outcomes.map((one): ThreadOutcome => {
      try {
        return structuredClone(one);
      } catch (thrown) {
        return { done: false, error: toThreadError(thrown) };
      }
    });
    send({ kind: 'batch', outcomes: copied, failure, commitMs });
  }
}

/** The arguments are this thread's own copy, and large ones must not wait for its collector. */
function dropArguments(asks: readonly Ask[]): void {
  for (const { args } of asks)
    if (isObject(args)) for (const value of Object.values(args)) if (value instanceof Uint8Array) dropBytes(value);
}

/** Carried out together at a start. */
const RECOVER = { count: 128, bytes: 8 * 1024 * 1024 } as const;

/** A delivery has the place of its entry for its `seq`, so the first place lies behind all that are there. */
const settleCarriedPlace = (db: DatabaseSync): void =>
  db.exec(`INSERT INTO store_journal (one, carried_place) SELECT 1, coalesce(max(seq), 0) FROM delivery WHERE true
    ON CONFLICT DO NOTHING`);

/** At a start: what the life before had acknowledged and not carried out. Gives how many entries there were. */
function recover(blocks: readonly BlockPlace[], carryOut: (blocks: readonly BlockPlace[]) => BatchDone): number {
  let some: BlockPlace[] = [];
  let [count, bytes, all] = [0, 0, 0];
  for (const [i, block] of blocks.entries()) {
    some.push(block);
    count += block.count;
    bytes += block.bytes;
    if (count < RECOVER.count && bytes < RECOVER.bytes && i + 1 < blocks.length) continue;
    const { failure } = carryOut(some);
    if (failure !== null) throw fromThreadError(failure.error);
    all += count;
    [some, count, bytes] = [[], 0, 0];
  }
  return all;
}

async function main(): Promise<void> {
  const { file, db, vault, migrated, store, journal } = open();
  const commands = await loadCommands(data.commandFiles, 'writes');
  const onBroken = (thrown: unknown): void => send({ kind: 'broken', error: toThreadError(thrown) });
  const runAsks = makeRunBatch(db, { vault, writer: data.writer }, commands, {
    broken: onBroken,
    aside(name, thrown) {
      send({ kind: 'aside', name, error: toThreadError(thrown) });
      return Date.now();
    },
  });
  const runBatch = (asks: readonly Ask[], blocks: readonly BlockPlace[]): BatchDone =>
    runAsks(asks, blocks.map(journal.read));
  const carriedPlace = (): number =>
    Number(db.prepare('SELECT carried_place FROM store_journal').get()?.['carried_place']);
  const recovered = recover(journal.blocksAfter(carriedPlace()), (blocks) => runBatch([], blocks));
  emptyJournalFiles(file);
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
    const done = runBatch(message.asks, message.journaled);
    sendBatch(done, performance.now() - from);
    // Not before: a command may be carried out twice.
    dropArguments(message.asks);
    tidy();
  });
  collectAfterStart();
  const opened = { file, version: versionOf(db), migrated, store, carriedPlace: carriedPlace(), recovered };
  send({ kind: 'open', opened });
}

main().catch((thrown: unknown) => {
  letGo();
  send({ kind: 'refused', error: toThreadError(thrown) });
  parentPort?.close();
});
