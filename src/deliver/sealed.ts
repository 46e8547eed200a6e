import type { SealedTable } from '../store/index.ts';
import { laneSealed } from './lane/rows.ts';
import { unmappedSealed } from './unmapped.ts';

/** What is sealed by the data key here. */
export const deliverSealed: readonly SealedTable[] = [...laneSealed, unmappedSealed];
