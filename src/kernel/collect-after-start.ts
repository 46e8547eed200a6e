import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** As before running out of memory: also what V8 would keep for a while, as compiled code that ran once. */
const EVERYTHING = { type: 'major', execution: 'sync', flavor: 'last-resort' } as const;

/**
 * Gives back what the start of this thread leaves behind: half of its heap, for which nobody would come by before there
 * is a load.
 */
export function collectAfterStart(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as (how: typeof EVERYTHING) => void)(EVERYTHING);
}
