import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Rows by key that survive a restart. */
export interface Table<T> {
  get(key: string): T | undefined;
  put(key: string, row: T): void;
  remove(key: string): void;
  all(): readonly (readonly [string, T])[];
}

export interface Keep {
  /** The table of that name; what it holds is the business of whoever names it. */
  table<T>(name: string): Table<T>;
  close(): void;
}

type Line = readonly [table: string, key: string, row: unknown];

function readLines(file: string): Map<string, Map<string, unknown>> {
  const tables = new Map<string, Map<string, unknown>>();
  if (!existsSync(file)) return tables;
  const text = readFileSync(file, 'utf8');
  // A last line that a crash cut short was never answered for.
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
    if (line === '') continue;
    const [name, key, row] = JSON.parse(line) as Line;
    const table = tables.get(name) ?? new Map<string, unknown>();
    if (row === null) table.delete(key);
    else table.set(key, row);
    tables.set(name, table);
  }
  return tables;
}

/** Tables in memory, and a file to which each change is appended; opening it makes it as short as it can be. */
export function openKeep(file: string | null): Keep {
  const tables = file === null ? new Map<string, Map<string, unknown>>() : readLines(file);
  let handle: number | null = null;
  if (file !== null) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const lines = [...tables].flatMap(([name, table]) =>
      [...table].map(([key, row]) => `${JSON.stringify([name, key, row] satisfies Line)}\n`),
    );
    writeFileSync(`${file}.new`, lines.join(''), { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
    handle = openSync(file, 'a', 0o600);
  }
  const append = (...line: Line): void => {
    if (handle !== null) writeSync(handle, `${JSON.stringify(line)}\n`);
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
        all: () => [...rows],
      };
    },
    close: () => {
      if (handle !== null) closeSync(handle);
      handle = null;
    },
  };
}
