import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Rows by key that survive a restart. */
export interface Table<T> {
  get(key: string): T | undefined;
  put(key: string, row: T): void;
  remove(key: string): void;
  /** From the row that was there first, as long as they are over. */
  removeOldest(isOver: (row: T) => boolean): void;
  all(): readonly (readonly [string, T])[];
  count(): number;
}

export interface Keep {
  /** The table of that name; what it holds is the business of whoever names it. */
  table<T>(name: string): Table<T>;
  /** What the work changes survives a crash as a whole or not at all. It may not wait for anything. */
  together<T>(work: () => T): T;
  close(): void;
}

type Change = readonly [table: string, key: string, row: unknown];

/** A line is one change, or several that belong together. */
const changesOf = (line: Change | readonly Change[]): readonly Change[] =>
  typeof line[0] === 'string' ? [line as Change] : (line as readonly Change[]);

const NEWLINE = 0x0a;

/**
 * One after the other: all of them may be longer than a string can be. A last line that a crash cut short was never
 * answered for.
 */
export function* linesOf(bytes: Buffer): Generator<string> {
  for (let from = 0, to = bytes.indexOf(NEWLINE); to !== -1; from = to + 1, to = bytes.indexOf(NEWLINE, from))
    yield bytes.toString('utf8', from, to);
}

function readLines(file: string): Map<string, Map<string, unknown>> {
  const tables = new Map<string, Map<string, unknown>>();
  if (!existsSync(file)) return tables;
  for (const line of linesOf(readFileSync(file))) {
    if (line === '') continue;
    for (const [name, key, row] of changesOf(JSON.parse(line) as Change | readonly Change[])) {
      const table = tables.get(name) ?? new Map<string, unknown>();
      if (row === null) table.delete(key);
      else table.set(key, row);
      tables.set(name, table);
    }
  }
  return tables;
}

/**
 * What was appended and is of no use any more is let go above this, or above what is of use: else a large file is
 * mostly rewritten.
 */
const APPENDED_MAX = 64 * 1024 * 1024;
const CHUNK_CHARS = 1024 * 1024;

/**
 * Tables in memory, and a file to which each change is appended; opening it makes it as short as it can be, and so does
 * its growth.
 */
export function openKeep(file: string | null): Keep {
  const tables = file === null ? new Map<string, Map<string, unknown>>() : readLines(file);
  let handle: number | null = null;
  let appended = 0;
  let appendedMax = APPENDED_MAX;
  let open: Change[] | null = null;

  function rewrite(path: string): void {
    const next = openSync(`${path}.new`, 'w', 0o600);
    let chunk = '';
    let written = 0;
    const flush = (): void => {
      appendFileSync(next, chunk);
      written += chunk.length;
      chunk = '';
    };
    for (const [name, table] of tables)
      for (const [key, row] of table) {
        chunk += `${JSON.stringify([name, key, row] satisfies Change)}\n`;
        if (chunk.length > CHUNK_CHARS) flush();
      }
    flush();
    fsyncSync(next);
    renameSync(`${path}.new`, path);
    if (handle !== null) closeSync(handle);
    handle = next;
    appended = 0;
    appendedMax = Math.max(APPENDED_MAX, written);
  }
  if (file !== null) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    rewrite(file);
  }
  const write = (line: Change | readonly Change[]): void => {
    if (handle === null || file === null) return;
    const text = `${JSON.stringify(line)}\n`;
    appendFileSync(handle, text);
    appended += text.length;
    if (appended > appendedMax) rewrite(file);
  };
  const append = (...change: Change): void => {
    if (open === null) write(change);
    else open.push(change);
  };
  return {
    table<T>(name: string): Table<T> {
      const rows = (tables.get(name) ?? new Map<string, unknown>()) as Map<string, T>;
      tables.set(name, rows);
      return {
        get: (key) => rows.get(key),
        put: (key, row) => {
          rows.set(key, row);
          append(name, key, row);
        },
        remove: (key) => {
          if (rows.delete(key)) append(name, key, null);
        },
        removeOldest: (isOver) => {
          for (const [key, row] of rows) {
            if (!isOver(row)) return;
            rows.delete(key);
            append(name, key, null);
          }
        },
        all: () => [...rows],
        count: () => rows.size,
      };
    },
    together(work) {
      if (open !== null) return work();
      open = [];
      try {
        return work();
      } finally {
        // Also what was changed before the work threw: the tables in memory hold it.
        const changes = open;
        open = null;
        if (changes.length > 0) write(changes);
      }
    },
    close: () => {
      if (handle !== null) closeSync(handle);
      handle = null;
    },
  };
}
