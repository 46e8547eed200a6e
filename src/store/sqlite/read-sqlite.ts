import { resolve as absolute } from 'node:path';
import type { AnyCommandSet } from '../commands.ts';
import { startReader, type Reader } from './start-reader.ts';

/** Keys that open nothing: whoever only reads needs none. */
const NO_KEYS = { data: [new Uint8Array(32)], pseudonym: new Uint8Array(32) };

export const readSqlite = (file: string, sets: readonly AnyCommandSet[]): Promise<Reader> =>
  startReader(
    {
      file: absolute(file),
      filesystem: 'any',
      folder: 'existing',
      keys: NO_KEYS,
      writer: '',
      environment: 'production',
      commandFiles: sets.map((set) => set.sqlite.href),
    },
    () => undefined,
  );
