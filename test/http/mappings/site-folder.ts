import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SHIPPED_FOLDER } from '../../../src/mappings/index.ts';

/** A copy of the mapping data, as a site that changes them has one. */
export function makeSiteFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-mappings-'));
  cpSync(SHIPPED_FOLDER, folder, { recursive: true });
  return {
    folder,
    put: (file: string, text: string) => writeFileSync(join(folder, file), text),
    copy: (from: string, to: string) => cpSync(join(folder, from), join(folder, to)),
    edit(file: string, change: (text: string) => string): void {
      writeFileSync(join(folder, file), change(readFileSync(join(folder, file), 'utf8')));
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
