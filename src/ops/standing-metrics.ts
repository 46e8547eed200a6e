import { Gauge, type Aggregator, type Registry } from 'prom-client';
import type { LedgerCounts, StuckGroup } from '../inbox/index.ts';
import { askSeldom } from './ask-seldom.ts';
import { readDisk } from './read-disk.ts';

/** Of what the store is asked: a scrape more often than this sees the same figures. */
const STORE_FRESH_MS = 15_000;
/** What changes by the day. */
const SLOW_FRESH_MS = 300_000;

/** How the gateway stands, as whoever watches wants to know it: figures alone, of nobody in particular. */
export interface Standing {
  readonly version: string;
  readonly isLedgerEqual: () => boolean;
  readonly ledger: () => Promise<LedgerCounts | null>;
  readonly stuck: () => Promise<readonly Pick<StuckGroup, 'state' | 'reason' | 'count' | 'oldestAt'>[] | null>;
  /** Whether an operator has paused the way to the EHR. */
  readonly isPaused: () => Promise<boolean | null>;
  readonly audit: () => { readonly signedAgoMs: number; readonly anchor: 'none' | 'written' | 'failing' };
  readonly weakSettings: number;
  /** Certificates of ours, and when they end. */
  readonly certificates: readonly { readonly of: string; readonly untilMs: number }[];
  /** Keys in use, and since when. */
  readonly keys: () => Promise<readonly { readonly kind: string; readonly sinceMs: number }[] | null>;
  /** Folders that the gateway writes to. */
  readonly disks: readonly { readonly of: string; readonly folder: string }[];
  readonly subscriptions: () => Promise<{
    readonly byState: Readonly<Record<string, number>>;
    readonly failing: number;
  } | null>;
  readonly exports: () => Promise<Readonly<Record<string, number>> | null>;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

const byState = (counts: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(counts).map(([state, count]) => [{ state }, count]);

/** Groups are told apart by their fault as well; here they are one for each reason. */
function byReason(
  groups: readonly Pick<StuckGroup, 'state' | 'reason' | 'count' | 'oldestAt'>[],
): { readonly labels: Sample[0]; count: number; oldestAt: number }[] {
  const found = new Map<string, { labels: Sample[0]; count: number; oldestAt: number }>();
  for (const { state, reason, count, oldestAt } of groups) {
    const so = found.get(`${state} ${reason}`);
    if (so === undefined) found.set(`${state} ${reason}`, { labels: { state, reason }, count, oldestAt });
    else {
      so.count += count;
      so.oldestAt = Math.min(so.oldestAt, oldestAt);
    }
  }
  return [...found.values()];
}

/** Adds them to the registry. All workers look at the same store, so that of what they say the highest is true. */
export function addStandingMetrics(registry: Registry, standing: Standing): void {
  const { monotonicMs, nowMs } = standing;
  const ageOf = (sinceMs: number): number => Math.max(0, (nowMs() - sinceMs) / 1000);

  function gauge(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => readonly Sample[] | null | Promise<readonly Sample[] | null>,
    aggregator: Aggregator = 'max',
  ): void {
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      aggregator,
      async collect() {
        const samples = await read();
        // A group that is empty by now must not be shown as it was.
        this.reset();
        // Without labels a reset leaves a 0, which nobody has found.
        if (labelNames.length === 0) this.remove();
        for (const [labels, value] of samples ?? []) this.set(labels, value);
      },
    });
  }
  const seldom = <T>(ask: () => Promise<T | null>, freshMs = STORE_FRESH_MS) =>
    askSeldom(ask, { freshMs, monotonicMs });
  const shown = async <T>(ask: () => Promise<T | null>, show: (found: T) => readonly Sample[]) => {
    const found = await ask();
    return found === null ? null : show(found);
  };

  gauge('chartgate_build_info', 'Always 1; the label is the version that runs', ['version'], () => [
    [{ version: standing.version }, 1],
  ]);
  gauge(
    'chartgate_ledger_equal',
    '1 while acknowledged deliveries are the sum of the states',
    [],
    () => [[{}, standing.isLedgerEqual() ? 1 : 0]],
    'min',
  );
  const ledger = seldom(standing.ledger);
  gauge('chartgate_deliveries', 'Deliveries by the state they are in', ['state'], () =>
    shown(ledger, (counts) => byState(counts.byState)),
  );
  const stuck = seldom(standing.stuck);
  gauge(
    'chartgate_deliveries_stuck',
    'Deliveries that wait for a person now, by reason; counted up to a bound',
    ['state', 'reason'],
    () => shown(stuck, (groups) => byReason(groups).map(({ labels, count }) => [labels, count])),
  );
  gauge(
    'chartgate_deliveries_stuck_seconds',
    'Age of the oldest of them, since it was received',
    ['state', 'reason'],
    () => shown(stuck, (groups) => byReason(groups).map(({ labels, oldestAt }) => [labels, ageOf(oldestAt)])),
  );
  const paused = seldom(standing.isPaused);
  gauge('chartgate_ehr_paused', '1 while an operator has paused the way to the EHR', [], () =>
    shown(paused, (isPaused) => [[{}, isPaused ? 1 : 0]]),
  );
  gauge('chartgate_audit_signed_seconds', 'Since every audit record was last found signed', [], () => [
    [{}, standing.audit().signedAgoMs / 1000],
  ]);
  gauge(
    'chartgate_audit_anchor_failing',
    '1 while the last checkpoint could not be written to the anchor; absent without an anchor',
    [],
    () => {
      const { anchor } = standing.audit();
      return anchor === 'none' ? null : [[{}, anchor === 'failing' ? 1 : 0]];
    },
  );
  gauge('chartgate_weak_settings', 'Settings that leave something unchecked', [], () => [[{}, standing.weakSettings]]);
  gauge('chartgate_certificate_expiry_timestamp_seconds', 'When a certificate of ours ends', ['of'], () =>
    standing.certificates.map(({ of, untilMs }) => [{ of }, untilMs / 1000]),
  );
  const keys = seldom(standing.keys, SLOW_FRESH_MS);
  gauge('chartgate_key_age_seconds', 'How long a key is in use', ['kind'], () =>
    shown(keys, (found) => found.map(({ kind, sinceMs }) => [{ kind }, ageOf(sinceMs)])),
  );
  const disks = standing.disks.map(({ of, folder }) => ({ of, room: seldom(() => readDisk(folder)) }));
  const rooms = async (which: 'freeBytes' | 'sizeBytes'): Promise<Sample[]> => {
    const found = await Promise.all(disks.map(async ({ of, room }) => ({ of, room: await room() })));
    return found.flatMap(({ of, room }): Sample[] => (room === null ? [] : [[{ of }, room[which]]]));
  };
  gauge('chartgate_disk_free_bytes', 'Room on a disk that the gateway writes to', ['of'], () => rooms('freeBytes'));
  gauge('chartgate_disk_size_bytes', 'How large that disk is', ['of'], () => rooms('sizeBytes'));
  const subscriptions = seldom(standing.subscriptions);
  gauge('chartgate_subscriptions', 'Subscriptions of apps by state', ['state'], () =>
    shown(subscriptions, (found) => byState(found.byState)),
  );
  gauge('chartgate_subscriptions_failing', 'Subscriptions whose endpoint did not take the last notification', [], () =>
    shown(subscriptions, ({ failing }) => [[{}, failing]]),
  );
  const exports = seldom(standing.exports);
  gauge('chartgate_exports', 'Bulk exports that are remembered, by state', ['state'], () => shown(exports, byState));
}
