import { storeSet } from './own-commands.ts';
import { resealSet } from './reseal/commands.ts';

/** Commands that every store has, whatever modules use it. */
export const OWN_SETS = [storeSet, resealSet] as const;
