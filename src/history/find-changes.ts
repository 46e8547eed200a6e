import type { Change, Facts } from './commands.ts';

/** What is told of one step; of more the first ones tell. */
const CHANGES_MAX = 200;

/** What differs, by name. Nothing, where nothing was known before. */
export function findChanges(before: Facts | null, now: Facts): Change[] {
  if (before === null) return [];
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names
    .map((what) => ({ what, from: before[what] ?? null, to: now[what] ?? null }))
    .filter(({ from, to }) => from !== to)
    .slice(0, CHANGES_MAX);
}
