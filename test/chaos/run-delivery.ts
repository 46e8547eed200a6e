import { setTimeout as pause } from 'node:timers/promises';
import type { Rule, Switches } from '../../sandbox/index.ts';
import type { Replica } from '../flow/delivery/replica.ts';
import { withStage, type Stage } from '../flow/delivery/stage.ts';
import type { DeliveryViolation } from '../support/check-delivery.ts';
import { emptyPostgresPlace } from '../support/new-store.ts';
import { aClinicalReady, partAt, withAt, type Json } from '../support/payloads/index.ts';
import { makePostgresServer } from '../support/postgres-server.ts';
import { makeRandom } from './random.ts';

export interface DeliveryChaos {
  readonly seconds: number;
  readonly users: number;
  readonly stopSeconds: number;
  readonly traits: Switches;
  /** How often a version lacks a measurement that others of its document have. */
  readonly vanish: number;
  readonly seed: number;
  readonly onEvent: (line: string) => void;
}

export interface DeliveryChaosDone {
  readonly seed: number;
  readonly acknowledged: number;
  readonly writes: number;
  readonly byState: Readonly<Record<string, number>>;
  readonly parked: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly violations: readonly DeliveryViolation[];
}

const REPLICAS = 3;
const FAULTY = 0.2;
const REST_MS = 240_000;
const FAULTS: readonly Switches[] = [
  { status: 500 },
  { status: 503 },
  { status: 429, retryAfter: '1' },
  { drop: 'before-commit' },
  { drop: 'after-commit' },
  { truncate: 0.5 },
  { status: 200, body: 'html' },
  { delayMs: 800 },
];

/** Documents of a user: three days, of each several versions, in which values change and measurements come and go. */
function nextPayload(userId: string, versions: Map<string, number>, vanish: number, random: () => number): Json {
  const day = `2026-11-1${Math.floor(random() * 3)}`;
  const key = `${userId} ${day}`;
  const documentVersion = (versions.get(key) ?? 0) + 1;
  versions.set(key, documentVersion);
  const payload = aClinicalReady({
    userId,
    day,
    bundleId: `${userId}-${day}`,
    documentVersion,
    observations: 7,
    values: { weight: 60 + documentVersion / 10, height: 150 + documentVersion, steps: 1_000 + documentVersion },
  });
  if (random() >= vanish) return payload;
  const path = 'clinical_ready.clinical_ready_data.entry';
  const entries = partAt(payload, path) as Json[];
  return withAt(
    payload,
    path,
    entries.filter((entry) => !JSON.stringify(entry).includes('"code":"bmi"')),
  );
}

/** One rule for each request to come, so that one in five fails; they are laid anew now and then. */
function faultRules(random: () => number): Rule[] {
  return Array.from({ length: 40 }, (_one, i) => i).flatMap((i): Rule[] => {
    if (random() >= FAULTY) return [];
    return [{ after: i, times: 1, ...FAULTS[Math.floor(random() * FAULTS.length)] }];
  });
}

async function play(
  stage: Stage,
  { seconds, users, stopSeconds, vanish, seed, onEvent }: DeliveryChaos,
): Promise<DeliveryChaosDone> {
  const random = makeRandom(seed);
  const replicas: Replica[] = [];
  for (let i = 0; i < REPLICAS; i += 1) replicas.push(await stage.start());
  const [a, b, c] = replicas as [Replica, Replica, Replica];
  const names = Array.from({ length: users }, (_one, i) => `user-${i}`);
  for (const user of names) await stage.enrol(c, user);

  let able: Replica[] = [a, b, c];
  const versions = new Map<string, number>();
  const from = performance.now();
  const atMs = (share: number): number => from + seconds * 1_000 * share;
  const late: Json[] = [];
  let isDone = false;

  const faults = (async () => {
    while (!isDone) {
      stage.ehr.board.setRules(faultRules(random));
      await pause(1_000);
    }
    stage.ehr.board.setRules([]);
  })();
  const trouble = (async () => {
    await pause(atMs(0.25) - performance.now());
    able = [b, c];
    a.signal('SIGKILL');
    onEvent('one replica killed');
    await pause(Math.max(0, atMs(0.35) - performance.now()));
    able = [c];
    b.signal('SIGSTOP');
    onEvent(`another stopped for ${stopSeconds} s`);
    await pause(stopSeconds * 1_000);
    b.signal('SIGCONT');
    onEvent('and continued');
    able = [b, c];
  })();

  while (performance.now() < atMs(1)) {
    const user = names[Math.floor(random() * names.length)] ?? '';
    const fresh = nextPayload(user, versions, vanish, random);
    // Some come late, some come again.
    if (random() < 0.3) late.push(fresh);
    const now = [
      ...(random() < 0.7 ? [fresh] : []),
      ...(late.length > 0 && random() < 0.5 ? late.splice(Math.floor(random() * late.length), 1) : []),
    ];
    if (now.length === 0) late.push(fresh);
    for (const payload of now) {
      const replica = able[Math.floor(random() * able.length)] ?? c;
      if ((await stage.send(replica, payload)) === null) late.push(payload);
      else if (random() < 0.2) await stage.send(replica, payload);
    }
    await pause(20 + random() * 120);
  }
  await trouble;
  isDone = true;
  await faults;
  for (const payload of late) while ((await stage.send(c, payload)) === null) await pause(200);
  onEvent(`${stage.said().length} acknowledged; waiting for rest`);

  const until = performance.now() + REST_MS;
  const moving = ['received', 'queued', 'sending', 'unknown'];
  let byState: Record<string, number> = {};
  while (performance.now() < until) {
    byState = (await c.admin('GET', 'ledger'))['byState'] as Record<string, number>;
    if (moving.every((state) => (byState[state] ?? 0) === 0)) break;
    await pause(500);
  }
  const parked: Record<string, number> = {};
  for (const { id } of stage.said()) {
    const { state, reason } = await stage.show(c, id);
    if (state === 'parked') parked[reason ?? ''] = (parked[reason ?? ''] ?? 0) + 1;
  }
  const violations = await stage.check(c);
  const kinds = Object.entries(Object.groupBy(violations, ({ kind }) => kind));
  return {
    seed,
    acknowledged: stage.said().length,
    writes: stage.ehr.log.writes().length,
    byState,
    parked,
    counts: Object.fromEntries(kinds.map(([kind, all]) => [kind, all.length])),
    violations,
  };
}

export async function runDelivery(deps: DeliveryChaos): Promise<DeliveryChaosDone> {
  const server = await makePostgresServer();
  try {
    return await withStage(
      () => emptyPostgresPlace(server.url('postgres')),
      deps.traits,
      (stage) => play(stage, deps),
    );
  } finally {
    await server.remove();
  }
}
