import type { Forwarding } from '../forward/index.ts';

export interface ForwardingShown {
  readonly state: Forwarding['state'];
  readonly since: string | null;
  readonly waiting: number;
  /** What a person can do, where deliveries are held back. */
  readonly next: string | null;
}

const NEXT: Readonly<Record<Forwarding['state'], ((waiting: number) => string) | null>> = {
  running: null,
  shadow: () =>
    'Nothing is written to the EHR. Look at "chartgate shadow report"; to write, start the gateway with CHARTGATE_MODE=live.',
  held: (waiting) =>
    `What waits since shadow mode is held back. Look at "chartgate shadow report", then run "chartgate shadow leave --confirm ${waiting}".`,
};

export const describeForwarding = ({ state, since, waiting }: Forwarding): ForwardingShown => ({
  state,
  since: since === null ? null : new Date(since).toISOString(),
  waiting,
  next: NEXT[state]?.(waiting) ?? null,
});
