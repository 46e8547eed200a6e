import type { MetricsReading, WorkersReady } from '../ops/index.ts';

/** What a worker is asked by the primary. */
export interface Looks {
  readonly metrics: MetricsReading;
  /** Whether it should get traffic. */
  readonly readiness: boolean;
}
export type Look = keyof Looks;

/** What a worker may ask the primary about all of them. */
export interface Answers {
  /** As text, for Prometheus. */
  readonly metrics: string;
  readonly readiness: WorkersReady;
}

export type FromWorker =
  /** It hears from now on; what was said before is lost. */
  | { readonly kind: 'seated' }
  | { readonly kind: 'serving'; readonly port: number }
  | { readonly kind: 'tell'; readonly topic: string; readonly value: unknown }
  | { readonly kind: 'ask'; readonly n: number; readonly what: Look }
  | { readonly kind: 'found'; readonly n: number; readonly value: unknown };

export type FromPrimary =
  | { readonly kind: 'told'; readonly topic: string; readonly value: unknown }
  | { readonly kind: 'look'; readonly n: number; readonly what: Look }
  | { readonly kind: 'answer'; readonly n: number; readonly value: unknown }
  | { readonly kind: 'stop' }
  | { readonly kind: 'reload' };
