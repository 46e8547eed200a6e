import { statfs } from 'node:fs/promises';

export interface DiskRoom {
  readonly freeBytes: number;
  readonly sizeBytes: number;
}

/** What an ordinary user may still write below this folder; null where it cannot be found out. */
export async function readDisk(folder: string): Promise<DiskRoom | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
  } catch {
    return null;
  }
}
