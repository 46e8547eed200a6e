import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = new URL('../../', import.meta.url).pathname;

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The files below a folder of the repository, by their paths in it. */
export function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

/** The rows of the first table in a page whose head holds `column`, as cells without their marks. */
export function tableRows(page: string, column: string): string[][] {
  const lines = read(page).split('\n');
  const head = lines.findIndex((line) => line.startsWith('|') && line.includes(column));
  const rows: string[][] = [];
  for (const line of lines.slice(head + 2)) {
    if (!line.startsWith('|')) break;
    rows.push(
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  }
  return rows;
}

/** The words in backquotes. */
export const quoted = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
