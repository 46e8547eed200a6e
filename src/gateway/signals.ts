import type { StoredDelivery } from '../inbox/index.ts';
import type { Refusal } from '../ingest/index.ts';
import { makeSignal } from '../kernel/index.ts';
import type { Settled } from './figures.ts';
import type { Finished } from './sending.ts';

/** What the parts tell each other without knowing each other. */
export const makeSignals = () => ({
  /** A delivery is in the inbox. */
  stored: makeSignal<StoredDelivery>(),
  /** A webhook was refused. */
  refused: makeSignal<Refusal>(),
  /** A delivery has its verdict. `goes`: it is on its way to the EHR already. */
  settled: makeSignal<Settled>(),
  /** A claim came to its end. */
  finished: makeSignal<Finished>(),
  /** A user was linked to a patient. */
  linked: makeSignal(),
  /** Deliveries went into a lane because a link has changed. */
  linkChanged: makeSignal(),
});
