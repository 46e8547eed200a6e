import type { SealedTable } from '../store/index.ts';
import { laneSealed } from './rows.ts';
import { unmappedSealed } from './enqueue/unmapped.ts';

/** What is sealed by the data key here. */
export const deliverSealed: readonly SealedTable[] = [...laneSealed, unmappedSealed];
