import { appendFile, mkdir, open, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../kernel/index.ts';

/** Puts a checkpoint where whoever can change the database cannot change it. Rejects where it could not. */
export type Anchor = (checkpoint: { readonly n: number; readonly note: string }) => Promise<void>;

const nameOf = (n: number): string => `checkpoint-${String(n).padStart(12, '0')}.txt`;

/** The folder itself where the path means one: it is there, or it is said to be one by its last slash. */
export async function folderOf(path: string): Promise<string | null> {
  if (path.endsWith('/')) return path;
  try {
    return (await stat(path)).isDirectory() ? path : null;
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return null;
    throw thrown;
  }
}

const NOTES = /chartgate\/audit\n[\s\S]*?\n\n(?:\u2014 [^\n]+\n)+/g;

/** The checkpoints that stand there. Rejects where they cannot be read. */
export async function readAnchored(path: string): Promise<string[]> {
  const folder = await folderOf(path);
  if (folder === null) return [...(await readFile(path, 'utf8')).matchAll(NOTES)].map(([note]) => note);
  const names = (await readdir(folder)).filter((name) => /^checkpoint-\d+\.txt$/.test(name)).sort();
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
}

/** A file that grows, or a folder with a file for each checkpoint, which an object store's mount can lock. */
export function fileAnchor(path: string): Anchor {
  return async ({ n, note }) => {
    const folder = await folderOf(path);
    if (folder === null) {
      await mkdir(dirname(path), { recursive: true });
      await appendFile(path, `${note}\n`, { flush: true });
      return;
    }
    await mkdir(folder, { recursive: true });
    try {
      const file = await open(join(folder, nameOf(n)), 'wx');
      try {
        await file.writeFile(note);
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (thrown) {
      if (errorCode(thrown) !== 'EEXIST') throw thrown;
      // Put there before, by this process or another replica. Another one of this number was signed by a database that
      // is no longer ours.
      if ((await readFile(join(folder, nameOf(n)), 'utf8')) !== note)
        throw new Error('another checkpoint stands in the anchor', { cause: thrown });
    }
  };
}
