import type { StoreHealth } from '../store/index.ts';

export interface Readiness {
  readonly ready: boolean;
  readonly process: 'serving' | 'draining';
  readonly store: StoreHealth & { readonly engine: string; readonly version: string };
  /** Whether acknowledged deliveries are the sum of the states. */
  readonly ledger: 'equal' | 'unequal';
  /** Permissive settings, in words. */
  readonly unverified: readonly string[];
  readonly version: string;
}

export function decideReadiness(state: Omit<Readiness, 'ready'>): Readiness {
  return { ready: state.process === 'serving' && state.store.state === 'ready' && state.ledger === 'equal', ...state };
}
