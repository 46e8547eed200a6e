import type { Config } from '../config/index.ts';
import type { Clock, Life, Log, Route } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import type { Seat } from '../workers/index.ts';

export interface Gateway {
  readonly port: number;
  /** Where `/metrics` and `/readyz` are; null where that is the same port. */
  readonly opsPort: number | null;
  readonly store: Store;
  readonly routes: readonly Route[];
  /** Loads mapping data and templates anew; unsound ones are refused and logged. */
  reload(): void;
  /** Says 503 at /readyz, serves for the grace time, finishes what is under way, closes the store. Twice is once. */
  stop(): Promise<void>;
}

/** What a gateway is started with. */
export interface GatewayDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** Where several workers serve the same port. */
  readonly seat?: Seat | null;
  /** How many threads judge what was received. None: it is judged between everything else, but for what is large. */
  readonly judgeThreads?: number;
  /** Whoever starts the parts one by one. */
  readonly makeLife?: (log: Log) => Life;
}
