import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, chmodSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartError } from '../../kernel/index.ts';

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

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Makes folder and file for us alone. SQLite flushes the folder for its journal, not for the main file, so we do. */
export function prepareFile(file: string, filesystem: 'local' | 'any'): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const kind = UNSAFE_FILESYSTEMS.get(statfsSync(folder).type);
  if (kind !== undefined && filesystem === 'local')
    throw new StartError(
      'store.filesystem',
      `The database folder is on ${kind}, where a flush or a lock cannot be relied on. Use a local disk, or PostgreSQL; to go on at your own risk add ?filesystem=any to CHARTGATE_DATABASE_URL.`,
    );
  if (existsSync(file)) {
    chmodSync(file, 0o600);
    return;
  }
  closeSync(openSync(file, 'a', 0o600));
  syncFolder(folder);
}
