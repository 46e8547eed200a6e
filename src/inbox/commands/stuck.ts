import { words } from '../../store/index.ts';

/* The words of the index `delivery_stuck`, of a delivery `d`: without them it is not used. */
export const IS_STUCK = words(`d.state IN ('parked','quarantined')`);
export const FAULT_OF_D = words(`coalesce(d.fault_code, '')`);
