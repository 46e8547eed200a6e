import { authSealed } from '../auth/index.ts';
import { deliverSealed } from '../lanes/index.ts';
import { enrolSealed } from '../enrol/index.ts';
import { eventsSealed } from '../events/index.ts';
import { exportSealed } from '../export/index.ts';
import { identitySealed } from '../identity/index.ts';
import { inboxSealed } from '../inbox/index.ts';
import { operatorSealed } from '../operators/index.ts';
import { subscriptionSealed } from '../subscriptions/index.ts';
import { personSealed } from '../persons/index.ts';
import { ASIDE_TABLE, continueResealing, KEY_TABLE, type KeptResealing, type SealedTable } from '../store/index.ts';

/** Every table that has values of the data key. The audit has none: see `store/kept-keys.ts`. */
export const SEALED_TABLES: readonly SealedTable[] = [
  KEY_TABLE,
  ASIDE_TABLE,
  ...inboxSealed,
  ...identitySealed,
  ...personSealed,
  ...deliverSealed,
  ...enrolSealed,
  ...authSealed,
  ...operatorSealed,
  ...eventsSealed,
  ...subscriptionSealed,
  ...exportSealed,
];

/** The data key of the whole gateway, and the retirement of those before it. */
export const runResealing = (deps: Omit<Parameters<typeof continueResealing>[0], 'tables'>): KeptResealing =>
  continueResealing({ ...deps, tables: SEALED_TABLES });
