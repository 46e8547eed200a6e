import { constants, setPriority } from 'node:os';

/**
 * The thread that calls this works where the others leave processors idle. Only Linux has a priority for each thread:
 * elsewhere it would be that of the whole process. Where the system does not allow it the thread works like the others.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    return;
  }
}
