import { fault, type Clock } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { Claimed, LaneReads, LaneWrites } from '../lanes/index.ts';
import type { Target } from '../ehr/index.ts';

/*
 * A lease of a process that is gone runs out within LEASE_MS. Its owner trusts it for TRUST_MS after the last renewal
 * and looks every WATCH_MS, so that between the end of the last request and the next owner's first lie LEASE_MS -
 * TRUST_MS - WATCH_MS = 4.25 s: for what the EHR still does with a request that was cut off. Two renewals may be lost.
 */
export const LEASE_MS = 8_500;
export const TRUST_MS = 4_000;
export const WATCH_MS = 250;
export const RENEW_MS = 1_250;

export interface Held {
  readonly patient: Uint8Array;
  readonly epoch: number;
  readonly abort: AbortController;
  renewedAt: number;
  /** The patient at the EHR to whose chart it writes. */
  chart: string | null;
}

const keyOf = (patient: Uint8Array): string => Buffer.from(patient).toString('hex');

export type Leases = ReturnType<typeof makeLeases>;

/** The leases of this process, and the charts that it writes to. */
export function makeLeases(deps: {
  readonly tenant: string;
  readonly owner: string;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly clock: Clock;
}) {
  const { tenant, owner, lanes, clock } = deps;
  const held = new Map<string, Held>();
  /** Charts of attempts that are being committed: their leases are not known yet. */
  const expected = new Set<string>();

  const isTrusted = ({ renewedAt }: Held): boolean => clock.monotonicMs() - renewedAt < TRUST_MS;

  /** The store says the same over all processes, as long as the clock by which it counts leases does not jump. */
  function isFree(reference: string, except: Held | null): boolean {
    for (const other of held.values()) if (other !== except && other.chart === reference) return false;
    return !expected.has(reference);
  }

  /** Not by the store, which may hang: by the time alone. */
  function endUntrusted(): void {
    for (const lease of held.values()) if (!isTrusted(lease)) lease.abort.abort();
  }

  return {
    isHeld: (patient: Uint8Array): boolean => held.has(keyOf(patient)),
    take({ patient, epoch }: Claimed, claimedAt: number, chart: string | null): Held {
      const lease = { patient, epoch, abort: new AbortController(), renewedAt: claimedAt, chart };
      held.set(keyOf(patient), lease);
      return lease;
    },
    drop(lease: Held): void {
      const key = keyOf(lease.patient);
      if (held.get(key) === lease) held.delete(key);
    },

    /** Through the lease: whatever it is about, nothing leaves once another may hold it. */
    guard(target: Target, lease: Held): Target {
      const mayGo = (): boolean => isTrusted(lease) && !lease.abort.signal.aborted;
      const send: Target['send'] = (request) =>
        mayGo()
          ? target.send(request)
          : Promise.resolve({
              exchange: null,
              verdict: { kind: 'abandoned', effect: 'none', fault: fault('ehr.abandoned') },
            });
      return { ...target, send };
    },

    enterChart(lease: Held, reference: string): boolean {
      if (!isFree(reference, lease)) return false;
      lease.chart = reference;
      return true;
    },
    /** Keeps a chart for an attempt that is begun as its delivery is settled; false where somebody is at it. */
    expectChart(reference: string): boolean {
      if (!isFree(reference, null)) return false;
      expected.add(reference);
      return true;
    },
    /** In the same turn its lease is taken with the chart, or nobody needs it. */
    endExpectation: (reference: string): void => void expected.delete(reference),

    endUntrusted,
    async renew(): Promise<void> {
      endUntrusted();
      const leases = [...held.values()];
      if (leases.length === 0) return;
      const at = clock.monotonicMs();
      const kept = await lanes.write('lane.renew', {
        tenant,
        owner,
        at: clock.now(),
        leaseMs: LEASE_MS,
        held: leases.map(({ patient, epoch }) => ({ patient, epoch })),
      });
      leases.forEach((lease, i) => {
        // Of two renewals under way the later may be answered first.
        if (kept.ok && kept.value[i] === true) lease.renewedAt = Math.max(lease.renewedAt, at);
        if (kept.ok && kept.value[i] === false) lease.abort.abort();
      });
    },
    abort(): void {
      for (const { abort } of held.values()) abort.abort();
    },
  };
}
