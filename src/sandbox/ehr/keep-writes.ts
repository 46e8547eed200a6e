import { closeSync, existsSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Write } from './write-log.ts';

/**
 * The write log on disk is also how the server remembers: at start every write is done again, in order.
 * A last line that a crash cut short is taken off.
 */
export function keepWrites(file: string | null): { readonly past: readonly Write[]; append(write: Write): void; close(): void } {
  if (file === null) return { past: [], append: () => undefined, close: () => undefined };
  const past: Write[] = [];
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (existsSync(file)) {
    const text = readFileSync(file, 'utf8');
    const end = text.lastIndexOf('\n') + 1;
    for (const line of text.slice(0, end).split('\n')) if (line !== '') past.push(JSON.parse(line) as Write);
    if (end < text.length) truncateSync(file, Buffer.byteLength(text.slice(0, end)));
  }
  const handle = openSync(file, 'a', 0o600);
  return {
    past,
    append: (write) => void writeSync(handle, `${JSON.stringify(write)}\n`),
    close: () => closeSync(handle),
  };
}
