import { existsSync, readFileSync } from 'node:fs';

/** Ticks a second in which Linux counts CPU time, whatever the kernel was built with. */
const TICKS = 100;

/** The fields of a process behind its name, which may hold spaces. */
function statOf(pid: number): readonly number[] {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .replace(/^.*\) . /s, '')
    .split(' ')
    .map(Number);
}

function childrenOf(pid: number): readonly number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** CPU seconds of a process and its children, also of those that ended; null where the system does not tell. */
export function cpuWithChildren(pid: number): number | null {
  // Behind the state: utime, stime, cutime and cstime are fields 11 to 14 of the rest.
  const own = statOf(pid).slice(10, 14);
  if (own.length === 0) return null;
  const live = childrenOf(pid).flatMap((child) => statOf(child).slice(10, 12));
  return [...own, ...live].reduce((sum, ticks) => sum + ticks, 0) / TICKS;
}
