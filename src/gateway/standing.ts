import { dirname } from 'node:path';
import { makeKeyAges } from '../admin/index.ts';
import { auditSet, type KeptAudit } from '../audit/index.ts';
import type { Registry } from '../auth/index.ts';
import type { Config } from '../config/index.ts';
import { exportSet } from '../export/index.ts';
import { inboxSet } from '../inbox/index.ts';
import type { Clock, Result } from '../kernel/index.ts';
import { laneSet } from '../lanes/index.ts';
import type { Standing } from '../ops/index.ts';
import type { KeptResealing, Store } from '../store/index.ts';
import { subscriptionSet } from '../subscriptions/index.ts';
import { describeConnections } from './describe-connections.ts';

/** By which name each certificate of ours is known to whoever watches. */
const CERTIFICATES = { listener: 'listener', ehr: 'ehr-client' } as const;

const orNull = async <T, S>(asked: Promise<Result<T>>, show: (value: T) => S): Promise<S | null> => {
  const found = await asked;
  return found.ok ? show(found.value) : null;
};

function certificatesOf(config: Config): Standing['certificates'] {
  return describeConnections(config).flatMap(({ of, certificateUntil }) =>
    certificateUntil !== null && (of === 'listener' || of === 'ehr')
      ? [{ of: CERTIFICATES[of], untilMs: certificateUntil.getTime() }]
      : [],
  );
}

/** The disk of PostgreSQL is its server's, and not seen from here. */
function disksOf({ store: { database }, audit: { anchor } }: Config): Standing['disks'] {
  const anchored = anchor === null ? [] : [{ of: 'anchor', folder: anchor.endsWith('/') ? anchor : dirname(anchor) }];
  return database.engine === 'sqlite' ? [{ of: 'database', folder: dirname(database.file) }, ...anchored] : anchored;
}

/** What the metrics tell of how the gateway stands, from the parts that know it. */
export function describeStanding(deps: {
  readonly config: Config;
  readonly tenant: string;
  readonly version: string;
  readonly store: Store;
  readonly ledger: { state(): 'equal' | 'unequal' };
  readonly kept: KeptAudit;
  readonly resealing: Pick<KeptResealing, 'keys'>;
  readonly signingKeys: Registry['signingKeys'];
  readonly clock: Clock;
}): Standing {
  const { config, tenant, store, kept, clock } = deps;
  const [audit, inbox, lanes] = [store.use(auditSet), store.use(inboxSet), store.use(laneSet)];
  const [subscriptions, exports] = [store.use(subscriptionSet), store.use(exportSet)];
  const keyAges = makeKeyAges({ ...deps, audit, auditKey: kept.key });
  return {
    version: deps.version,
    isLedgerEqual: () => deps.ledger.state() === 'equal',
    ledger: () => orNull(inbox.read('inbox.ledger', { tenant }), (counts) => counts),
    stuck: () => orNull(inbox.read('inbox.groups', { tenant }), (groups) => groups),
    isPaused: () => orNull(lanes.read('lane.target', { tenant }), ({ pausedAt }) => pausedAt !== null),
    audit: kept.standing,
    weakSettings: config.weak.length,
    certificates: certificatesOf(config),
    keys: () =>
      orNull(keyAges(), (keys) =>
        keys.flatMap(({ kind, isInUse, sinceMs }) => (isInUse && sinceMs !== null ? [{ kind, sinceMs }] : [])),
      ),
    disks: disksOf(config),
    subscriptions: () => orNull(subscriptions.read('subscription.count', { tenant }), (found) => found),
    exports: () => orNull(exports.read('exports.count', { tenant }), (found) => found),
    nowMs: () => clock.now().getTime(),
    monotonicMs: clock.monotonicMs,
  };
}
