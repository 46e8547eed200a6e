import { once } from 'node:events';
import { createWriteStream, openSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { errorCode } from '../kernel/index.ts';
import type { Terminal } from './command.ts';

/** Where a long answer goes: a new file, or standard output. */
export interface Output {
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Null where the file is there already or cannot be made. */
export function appendTo(file: string | null, terminal: Terminal): Output | null {
  if (file === null)
    return {
      async write(text) {
        if (!terminal.stdout.write(text)) await once(terminal.stdout, 'drain');
      },
      close: () => Promise.resolve(),
    };
  try {
    const stream = createWriteStream(file, { fd: openSync(file, 'wx', 0o600), flush: true });
    return {
      async write(text) {
        if (!stream.write(text)) await once(stream, 'drain');
      },
      async close() {
        stream.end();
        await finished(stream);
      },
    };
  } catch (thrown) {
    if (errorCode(thrown) === null) throw thrown;
    return null;
  }
}
