import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The bytes of laboratory documents, until whoever reads them has done so. */
export interface Documents {
  put(id: string, content: Uint8Array): void;
  get(id: string): Uint8Array | null;
  remove(id: string): void;
}

/** In a folder, or in memory where there is none. Ids are our own UUIDs. */
export function storeDocuments(folder: string | null): Documents {
  if (folder === null) {
    const held = new Map<string, Uint8Array>();
    return {
      put: (id, content) => void held.set(id, content),
      get: (id) => held.get(id) ?? null,
      remove: (id) => void held.delete(id),
    };
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = (id: string): string => join(folder, id);
  return {
    put: (id, content) => {
      writeFileSync(`${path(id)}.new`, content, { mode: 0o600 });
      renameSync(`${path(id)}.new`, path(id));
    },
    get: (id) => (existsSync(path(id)) ? readFileSync(path(id)) : null),
    remove: (id) => rmSync(path(id), { force: true }),
  };
}
