import { closeSync, existsSync, openSync, realpathSync, rmSync, statSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { StartError } from '../../kernel/index.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { flush } from './flush.ts';
import { lastJournaledPlace } from './journal/last-place.ts';
import { openReader } from './open-database.ts';

/** 4 MB: a step is short, and there are some hundred of them in a large database. */
const PAGES_A_STEP = 1_024;

function openAtOneMoment(file: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = openReader(file);
    // A transaction begins with its first look.
    db.exec('BEGIN; SELECT count(*) FROM sqlite_schema;');
    return db;
  } catch (thrown) {
    db?.close();
    throw new StartError('store.unreadable', 'The database cannot be opened for reading. Check its path.', thrown);
  }
}

/** A gateway that serves it carries out what it has acknowledged within moments. */
const CARRIED_MS = 10_000;
const AGAIN_MS = 100;

/** Null for a database from before there was a journal. */
function carriedPlace(file: string): number | null {
  const db = openAtOneMoment(file);
  try {
    const has = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'store_journal'").get();
    const row = has === undefined ? undefined : db.prepare('SELECT carried_place FROM store_journal').get();
    return row === undefined ? null : Number(row['carried_place']);
  } finally {
    db.close();
  }
}

/** What was acknowledged before now and stands in the journal alone must be in the copy. */
async function untilCarriedOut(file: string, patienceMs: number): Promise<void> {
  // The journal stands beside the file itself, not beside a link to it.
  const last = lastJournaledPlace(existsSync(file) ? realpathSync(file) : file);
  for (let waitedMs = 0; waitedMs <= patienceMs; waitedMs += AGAIN_MS) {
    const carried = carriedPlace(file);
    if (carried === null || carried >= last) return;
    await pause(AGAIN_MS);
  }
  throw new StartError(
    'store.journal-waits',
    'What was acknowledged last stands in the journal beside the database alone, and no gateway carries it out. Start the gateway once, then make the copy.',
  );
}

/**
 * Copies a database that others write to, with whatever was acknowledged before, as it was at one moment: the open read
 * transaction keeps that moment while the log of the original grows. The copy is one file without a log of its own, and
 * on the disk when this ends. Answers its size in bytes.
 */
export async function copySqlite(
  file: string,
  to: string,
  onStep: (done: number, total: number) => void,
  patienceMs = CARRIED_MS,
): Promise<number> {
  await untilCarriedOut(file, patienceMs);
  const from = openAtOneMoment(file);
  try {
    // For us alone from its first byte on.
    rmSync(to, { force: true });
    closeSync(openSync(to, 'wx', 0o600));
    await backup(from, to, {
      rate: PAGES_A_STEP,
      progress: ({ totalPages, remainingPages }) => onStep(totalPages - remainingPages, totalPages),
    });
  } finally {
    from.close();
  }
  const copy = new DatabaseSync(to);
  try {
    copy.exec('PRAGMA journal_mode=DELETE');
  } finally {
    copy.close();
  }
  flush(to);
  return statSync(to).size;
}
