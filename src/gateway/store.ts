import { auditSet } from '../audit/index.ts';
import { authSet } from '../auth/index.ts';
import type { Config } from '../config/index.ts';
import { enrolSet } from '../enrol/index.ts';
import { exportSet } from '../export/index.ts';
import { figureSet } from '../figures/index.ts';
import { shadowSet } from '../forward/index.ts';
import { historySet } from '../history/index.ts';
import { identitySet } from '../identity/index.ts';
import { inboxSet } from '../inbox/index.ts';
import { jobSet } from '../jobs/index.ts';
import { MEMORY, opened, type Clock, type Log } from '../kernel/index.ts';
import { deliverSet, eraseSet, laneSet } from '../lanes/index.ts';
import { operatorSet } from '../operators/index.ts';
import { personSet } from '../persons/index.ts';
import { openStore, QUEUE_LIMITS } from '../store/index.ts';
import { subscriptionSet } from '../subscriptions/index.ts';

/** The commands of every part that stores something. */
const SETS = [
  auditSet,
  inboxSet,
  identitySet,
  personSet,
  deliverSet,
  eraseSet,
  laneSet,
  shadowSet,
  authSet,
  operatorSet,
  enrolSet,
  figureSet,
  jobSet,
  exportSet,
  historySet,
  subscriptionSet,
];

/** The store, which is open from its start to its stop. */
export const makeStorePart = (deps: {
  readonly config: Config;
  readonly instance: string;
  readonly clock: Clock;
  readonly log: Log;
}) =>
  opened(
    () =>
      openStore({
        database: deps.config.store.database,
        keys: deps.config.keys,
        instance: deps.instance,
        environment: deps.config.environment,
        // Whatever has room in memory has room in the queue: nobody who was let in is refused before his time.
        limits: { queueBytes: Math.max(QUEUE_LIMITS.queueBytes, deps.config.memory.roomBytes / MEMORY.cost.body) },
        sets: SETS,
        clock: deps.clock,
        log: deps.log,
      }),
    (store) => store.close(),
  );
