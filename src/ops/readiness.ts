import type { Forwarding } from '../forward/index.ts';
import type { StoreHealth } from '../store/index.ts';
import { describeForwarding, type ForwardingShown } from './describe-forwarding.ts';

/** How many workers were asked for, how many take connections, and how many of these should get traffic. */
export interface WorkersReady {
  readonly wanted: number;
  readonly serving: number;
  readonly ready: number;
}

export interface Readiness {
  readonly ready: boolean;
  /** Where several workers serve the same port. */
  readonly workers?: WorkersReady;
  readonly process: 'serving' | 'draining';
  readonly store: StoreHealth & { readonly engine: string; readonly version: string };
  /** Whether acknowledged deliveries are the sum of the states. */
  readonly ledger: 'equal' | 'unequal';
  /** Whether deliveries go on to the EHR. One that holds them back is ready all the same: it takes webhooks. */
  readonly forwarding: ForwardingShown;
  /** Permissive settings, in words: only for who may watch, not for everybody. */
  readonly unverified?: readonly string[];
  readonly version: string;
}

export function decideReadiness({
  forwarding,
  ...state
}: Omit<Readiness, 'ready' | 'forwarding'> & { readonly forwarding: Forwarding }): Readiness {
  return {
    ready: state.process === 'serving' && state.store.state === 'ready' && state.ledger === 'equal',
    ...state,
    forwarding: describeForwarding(forwarding),
  };
}

/** A connection may come to any worker that takes some, so that all of these must be ready. */
export const joinReadiness = (own: Readiness, workers: WorkersReady): Readiness => ({
  ...own,
  ready: own.ready && workers.ready === workers.serving,
  workers,
});
