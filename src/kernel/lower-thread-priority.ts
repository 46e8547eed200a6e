import { setPriority } from 'node:os';

/** A third of the share of others where processors are short. With ten it is a tenth, and beside busy programs hardly any. */
const NICE = 5;

/**
 * The thread that calls this works where the others leave processors idle. Only Linux has a priority for each thread:
 * elsewhere it would be that of the whole process. Where the system does not allow it the thread works like the others.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, NICE);
  } catch {
    return;
  }
}
