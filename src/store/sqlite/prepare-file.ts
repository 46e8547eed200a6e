import { chmodSync, closeSync, existsSync, mkdirSync, openSync, realpathSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartError } from '../../kernel/index.ts';
import { flush } from './flush.ts';
import type { ThreadData } from './protocol.ts';

/** File systems on which a lock or a flush is not to be trusted, by their statfs magic. */
const UNSAFE_FILESYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x517b, 'SMB'],
  [0x01021997, '9p'],
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
]);

/**
 * A new database is made only where somebody has made room for it: a path with a mistake in it would be an empty one.
 */
export function checkFolder({ file, folder }: Pick<ThreadData, 'file' | 'folder'>): void {
  if (folder !== 'make' && !existsSync(dirname(file)))
    throw new StartError(
      'store.folder',
      'The folder that CHARTGATE_DATABASE_URL names is not there. Correct the path, make the folder, or add ?create=yes to have it made.',
    );
}

/**
 * Makes the file, and where that is wanted its folder, for us alone, and answers the file's one true path: a link to it
 * must not be another database. SQLite flushes the folder for its journal, not for the main file, so we do, and the
 * folder's own folder as well.
 */
export function prepareFile({
  file,
  filesystem,
  folder: which,
}: Pick<ThreadData, 'file' | 'filesystem' | 'folder'>): string {
  const folder = dirname(file);
  checkFolder({ file, folder: which });
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    flush(dirname(realpathSync(folder)));
  }
  const kind = UNSAFE_FILESYSTEMS.get(statfsSync(folder).type);
  if (kind !== undefined && filesystem === 'local')
    throw new StartError(
      'store.filesystem',
      `The database folder is on ${kind}, where a flush or a lock cannot be relied on. Use a local disk, or PostgreSQL; to go on at your own risk add ?filesystem=any to CHARTGATE_DATABASE_URL.`,
    );
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  const real = realpathSync(file);
  flush(dirname(real));
  return real;
}
