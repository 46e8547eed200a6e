import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { auditSet } from '../src/audit/index.ts';
import { deliverSet, laneSet } from '../src/lanes/index.ts';
import { identitySet } from '../src/identity/index.ts';
import { inboxSet } from '../src/inbox/index.ts';
import { secret, silentLog, systemClock } from '../src/kernel/index.ts';
import { openStore, type Store } from '../src/store/index.ts';
import { acknowledge } from './acknowledge.ts';
import { ADMIN, makeDeliveries } from './deliveries.ts';
import { median, round, type Figure } from './figure.ts';
import { prefill } from './prefill.ts';
import { startGateway, startServer, type Side } from './side.ts';
import { cpuOf, pair, rateOf, takeTurns, type Round } from './turns.ts';

const CONNECTIONS = 16;
const BLOCKED_LANES = 50_000;
const INGEST_ROUNDS = 9;
const INGEST_MS = 1_000;
const CLAIMS = 400;
const CLAIMS_WARM = 40;
const CLAIM_LIMIT = 16;
const CLAIM_GOAL_MS = 10;
/** Longer than a command that nobody waits for rests after the commit before it. */
const CLAIM_PAUSE_MS = 20;

/** Keys that a gateway and the bench share. */
const makeKeys = () => ({ data: randomBytes(32).toString('base64'), pseudonym: randomBytes(32).toString('base64') });
type Keys = ReturnType<typeof makeKeys>;

const openOurs = (file: string, keys: Keys): Promise<Store> =>
  openStore({
    database: { engine: 'sqlite', file, filesystem: 'any' },
    keys: { data: [secret(keys.data)], pseudonym: secret(keys.pseudonym) },
    instance: `ins_bench${randomBytes(4).toString('hex')}`,
    environment: 'production',
    sets: [auditSet, inboxSet, identitySet, deliverSet, laneSet],
    clock: systemClock,
    log: silentLog,
  });

/**
 * How long `lane.claim` takes beside many lanes that are not due, each with some that are; what was claimed is put back
 * behind them.
 */
async function timeClaims(file: string, keys: Keys): Promise<number[]> {
  const db = new DatabaseSync(file);
  db.exec(
    `UPDATE lane SET next_at = 0 WHERE patient_index IN (SELECT patient_index FROM lane WHERE pending > 0 ORDER BY patient_index LIMIT ${(CLAIMS_WARM + CLAIMS) * CLAIM_LIMIT})`,
  );
  db.close();
  const store = await openOurs(file, keys);
  const lanes = store.use(laneSet);
  const tenant = 'default';
  const times: number[] = [];
  try {
    for (let i = 0; i < CLAIMS_WARM + CLAIMS; i += 1) {
      await pause(CLAIM_PAUSE_MS);
      const from = performance.now();
      const claimed = await lanes.write('lane.claim', {
        tenant,
        owner: 'bench',
        at: new Date(),
        leaseMs: 15_000,
        limit: CLAIM_LIMIT,
      });
      times.push(performance.now() - from);
      if (!claimed.ok || claimed.value.claimed.length === 0) throw new Error('nothing could be claimed');
      await Promise.all(
        claimed.value.claimed.map(({ patient, epoch, job }) =>
          lanes.write('lane.finish', {
            fence: { tenant, owner: 'bench', patient, epoch },
            jobSeq: job.seq,
            attemptId: null,
            at: new Date(),
            outcome: { kind: 'put-back', afterMs: 3_600_000 },
            httpStatus: null,
            written: null,
            retracted: [],
            events: null,
            isResolved: false,
          }),
        ),
      );
    }
  } finally {
    await store.close();
  }
  return times.slice(CLAIMS_WARM).sort((a, b) => a - b);
}

/**
 * What a gateway finds waiting at its start is due at once, and the lanes that were filled in can never be delivered: they
 * would be claimed and put back for ever.
 */
async function pauseEhr({ port }: Side): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/admin/api/targets/ehr/pause`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
    body: '{}',
  });
  if (!answer.ok) throw new Error(`the EHR could not be paused: ${answer.status}`);
}

/** Whether what is stored and waits makes acknowledging and claiming slower. */
export async function* manyStored(rows: number): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const blocked = Math.min(BLOCKED_LANES, rows);
  const sides: Side[] = [];
  let taken: Readonly<Record<'full' | 'empty', readonly Round[]>>;
  let claims: number[] = [];
  try {
    const sink = await startServer('bench/null-sink.ts');
    sides.push(sink);
    const start = async (name: string, keys: Keys): Promise<Side> => {
      const side = await startGateway(join(folder, name), {
        CHARTGATE_CLIENT_UUID: 'bench',
        CHARTGATE_EHR_URL: `http://127.0.0.1:${sink.port}/fhir`,
        CHARTGATE_ADMIN_TOKEN: ADMIN,
        CHARTGATE_DATA_KEY: keys.data,
        CHARTGATE_PSEUDONYM_KEY: keys.pseudonym,
      });
      sides.push(side);
      await pauseEhr(side);
      return side;
    };
    const keys = makeKeys();
    const file = join(folder, 'full.db');
    await (await openOurs(file, keys)).close();
    prefill(file, { deliveries: rows, blockedLanes: blocked }, Date.now());
    claims = await timeClaims(file, keys);
    const full = await start('full.db', keys);
    const empty = await start('empty.db', makeKeys());
    const nextBody = makeDeliveries();
    const roundOf = (side: Side) => (): Promise<Round> =>
      acknowledge(side, nextBody, { connections: CONNECTIONS, ms: INGEST_MS });
    taken = await takeTurns({ full: roundOf(full), empty: roundOf(empty) }, INGEST_ROUNDS);
  } finally {
    for (const { end } of sides) await end();
    rmSync(folder, { recursive: true, force: true });
  }
  const { ratio, spread } = pair(rateOf(taken.full), rateOf(taken.empty));
  const [cpuFull, cpuEmpty] = [round(median(cpuOf(taken.full))), round(median(cpuOf(taken.empty)))];
  yield {
    bench: 'deliver',
    figure: 'ingest-with-million-vs-empty',
    ratio,
    ours: round(median(rateOf(taken.full))),
    theirs: round(median(rateOf(taken.empty))),
    unit: 'acknowledged/s',
    note: `${rows} deliveries stored (small bodies) and ${blocked} blocked lanes; --rows=1000000 for the million; ${spread}; CPU ${cpuFull} us a webhook with its judgement against ${cpuEmpty}; theirs: the same gateway on an empty store`,
  };
  const p99 = claims[Math.floor(claims.length * 0.99)] ?? NaN;
  yield {
    bench: 'deliver',
    figure: 'claim-p99-ms',
    ratio: round(CLAIM_GOAL_MS / p99),
    ours: round(p99),
    theirs: CLAIM_GOAL_MS,
    unit: 'ms',
    note: `lane.claim of ${CLAIM_LIMIT} with its commit, ${CLAIMS} times, beside ${blocked} blocked lanes; median ${round(median(claims))} ms; theirs: the limit`,
  };
}
