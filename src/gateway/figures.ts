import type { Figures } from '../figures/index.ts';
import type { StoredDelivery } from '../inbox/index.ts';
import type { Refusal } from '../ingest/index.ts';
import type { Clock, Signal } from '../kernel/index.ts';
import type { Finished } from './sending.ts';

export interface Settled {
  readonly state: string;
  readonly reason: string | null;
  readonly then: 'waits' | 'goes';
}

/** Counts what the parts tell of. */
export function joinFigures(
  figures: Figures,
  told: {
    readonly stored: Signal<StoredDelivery>;
    readonly refused: Signal<Refusal>;
    readonly settled: Signal<Settled>;
    readonly finished: Signal<Finished>;
  },
  clock: Clock,
): void {
  told.stored.on(() => figures.count('received'));
  told.refused.on((why) => {
    figures.count('refused');
    figures.count(`refused-${why}`);
  });
  told.settled.on(({ state, reason }) => {
    if (state === 'parked' || state === 'quarantined') figures.count(state);
    // Acknowledged, since it was authentic, and refused once it was read.
    if (state === 'quarantined' && (reason === 'not-json' || reason === 'foreign-client'))
      figures.count(`refused-${reason}`);
  });
  told.finished.on(({ outcome, seconds, receivedAt }) => {
    if (outcome.kind === 'put-back') return;
    figures.time('ehr-latency', seconds * 1_000);
    if (outcome.kind === 'retry' || outcome.kind === 'unknown') figures.count('failed-attempts');
    if (outcome.kind === 'park') figures.count('parked');
    if (outcome.kind !== 'delivered') return;
    figures.count('delivered');
    figures.time('lag', clock.now().getTime() - receivedAt);
  });
}
