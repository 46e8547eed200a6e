import { closeSync, existsSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { linesOf } from '../keep/index.ts';
import type { Write } from './write-log.ts';

/**
 * The write log on disk is also how the server remembers: at start every write is done again, in order. A line is a
 * commit, so that a last line which a crash cut short takes all of its transaction with it.
 */
export function recordWrites(file: string | null): {
  readonly past: readonly Write[];
  append(writes: readonly Write[]): void;
  close(): void;
} {
  if (file === null) return { past: [], append: () => undefined, close: () => undefined };
  const past: Write[] = [];
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (existsSync(file)) {
    const bytes = readFileSync(file);
    const end = bytes.lastIndexOf('\n') + 1;
    for (const line of linesOf(bytes)) if (line !== '') past.push(...(JSON.parse(line) as Write[]));
    if (end < bytes.length) truncateSync(file, end);
  }
  const handle = openSync(file, 'a', 0o600);
  return {
    past,
    append: (writes) => {
      if (writes.length > 0) writeSync(handle, `${JSON.stringify(writes)}\n`);
    },
    close: () => closeSync(handle),
  };
}
