import type { Happened } from './happening.ts';
import type { Documents } from './store-documents.ts';
import type { Introduction } from './introduction.ts';
import type { SimulatedClock } from './simulated-clock.ts';
import type { State } from './state.ts';

/** What the handlers of the sandbox work with. */
export interface Kit {
  readonly state: State;
  readonly documents: Documents;
  readonly clock: SimulatedClock;
  readonly tell: Happened;
  /** {base_url}, known once the server listens. */
  readonly base: () => string;
  readonly newUuid: () => string;
  /** What the first page says of the rest of a demonstration. */
  readonly introduction: () => Introduction;
}
