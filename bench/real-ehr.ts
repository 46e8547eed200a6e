import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ADMIN, dayOf, linkUsers, makeDeliveries, MRN_SYSTEM, userOf, USERS } from './deliveries.ts';
import { median, round, type Figure } from './figure.ts';
import { load, type NextBody } from './load.ts';
import { metricOf, startGateway, type Side } from './side.ts';
import { makeCopies, readEhr, sendStraight, startRecorder, withoutOurs, type Ehr, type Recorded } from './straight.ts';

/** Of one way in one round; as many transactions as fit. */
const ROUND_MS = 8_000;
const PER_ROUND_MIN = 40;
const PER_ROUND_MAX = 240;
const ROUNDS_MIN = 3;
const ROUNDS_MAX = 7;
/** A server in Java becomes faster for minutes; and the gateway looks for its limit meanwhile. */
const WARM_STRAIGHT = { count: 300, chunk: 60, ms: 60_000 } as const;
const WARM_PLAIN = { count: 60, chunk: 60, ms: 0 } as const;
const WARM_OURS = { count: 480, chunk: 120, ms: 90_000 } as const;
const TRIED = [4, 8, 16] as const;
const TRIED_ROUNDS = 2;
const TRIED_MS = 4_000;
/** No further round begins then. */
const BUDGET_MS = 270_000;
const GIVE_UP_MS = 180_000;
/** Asking how far it is costs the gateway as much as a delivery does: seldom at first, often near the end. */
const POLL_MS = { min: 50, ofRest: 0.5 } as const;
const CONNECTIONS = 16;
const DELIVERED = 'chartgate_ehr_attempt_seconds_count{outcome="delivered",reason=""}';

/** Sends so many; how many were taken a second. */
type Way = (count: number) => Promise<number>;

const patientOf = (n: number, run: string): string => `Patient/bench-${run}${n % USERS}`;

async function putPatients({ base }: Ehr, run: string): Promise<void> {
  const entry = Array.from({ length: USERS }, (_, n) => ({
    resource: {
      resourceType: 'Patient',
      id: patientOf(n, run).slice('Patient/'.length),
      active: true,
      identifier: [{ system: MRN_SYSTEM, value: userOf(n, run) }],
    },
    request: { method: 'PUT', url: patientOf(n, run) },
  }));
  const answer = await fetch(base, {
    method: 'POST',
    headers: { 'content-type': 'application/fhir+json' },
    body: JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry }),
  });
  if (!answer.ok) throw new Error(`the patients could not be written: ${answer.status}`);
}

const startOurs = (folder: string, name: string, base: string): Promise<Side> =>
  startGateway(join(folder, name), {
    CHARTGATE_CLIENT_UUID: 'bench',
    CHARTGATE_EHR_URL: base,
    CHARTGATE_MRN_SYSTEM: MRN_SYSTEM,
    CHARTGATE_ADMIN_TOKEN: ADMIN,
  });

/** Deliveries from the first webhook to the last write that the EHR confirmed and the ledger holds. */
function makeDeliver(side: Side, nextBody: NextBody): Way {
  let wanted = 0;
  return async (count) => {
    wanted += count;
    const from = performance.now();
    const { statuses } = await load(side.port, side.path, nextBody, CONNECTIONS, { count });
    if ([...statuses.keys()].some((status) => status !== 202)) throw new Error('not every answer was 202');
    for (let left = count; left > 0; left = wanted - (await metricOf(side.port, DELIVERED))) {
      const tookMs = performance.now() - from;
      if (tookMs > GIVE_UP_MS) throw new Error('not everything was delivered');
      const restMs = (left * tookMs) / Math.max(1, count - left);
      await pause(Math.max(POLL_MS.min, Math.min(1_000, restMs * POLL_MS.ofRest)));
    }
    return (count * 1_000) / (performance.now() - from);
  };
}

/** What the gateway sends for one delivery, as this EHR has it. */
async function record(ehr: Ehr, folder: string, run: string): Promise<Recorded> {
  const recorder = await startRecorder(ehr);
  const side = await startOurs(folder, 'recorded.db', recorder.base);
  try {
    await linkUsers(side, run);
    await makeDeliver(side, makeDeliveries(run))(1);
  } finally {
    await side.end();
    recorder.end();
  }
  const [transaction] = recorder.seen;
  if (transaction === undefined || recorder.seen.length > 1) throw new Error('one delivery was not one transaction');
  return { transaction, patient: patientOf(1, run), day: dayOf(1) };
}

/** Until so many were sent, or the time is over. Gives the speed of the last chunk. */
async function warm(
  way: Way,
  { count, chunk, ms }: { readonly count: number; readonly chunk: number; readonly ms: number },
): Promise<number> {
  const from = performance.now();
  let speed = await way(chunk);
  for (let sent = chunk; sent < count && performance.now() - from < ms; sent += chunk) speed = await way(chunk);
  return speed;
}

const fitting = (speed: number, ms: number): number =>
  Math.round(Math.min(PER_ROUND_MAX, Math.max(PER_ROUND_MIN, (speed * ms) / 1_000)));

/** The number of connections at which the EHR takes most of them. */
async function findBest(send: (connections: number) => Promise<number>): Promise<number> {
  const speeds = new Map<number, number[]>(TRIED.map((connections) => [connections, []]));
  for (let i = 0; i < TRIED_ROUNDS; i += 1)
    for (const connections of i % 2 === 0 ? TRIED : TRIED.toReversed())
      speeds.get(connections)?.push(await send(connections));
  const ranked = [...speeds]
    .map(([connections, all]) => [connections, median(all)] as const)
    .sort((a, b) => b[1] - a[1]);
  return ranked[0]?.[0] ?? TRIED[0];
}

/** Through the gateway beside straight to the same EHR, which is what limits both. */
export async function* realEhr(base: string): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const ehr = readEhr(base);
  const began = performance.now();
  const rounds: { readonly ours: number; readonly same: number; readonly plain: number }[] = [];
  let side: Side | null = null;
  let best = 0;
  let perRound = 0;
  let limit = 0;
  try {
    const [recordedRun, run] = [randomBytes(3).toString('hex'), randomBytes(3).toString('hex')];
    await putPatients(ehr, recordedRun);
    await putPatients(ehr, run);
    const recorded = await record(ehr, folder, recordedRun);
    const patients = Array.from({ length: USERS }, (_, n) => patientOf(n, run));
    const [same, plain] = [recorded, { ...recorded, transaction: withoutOurs(recorded.transaction) }].map((one) =>
      makeCopies(one, patients),
    );
    if (same === undefined || plain === undefined) throw new Error('nothing was recorded');
    side = await startOurs(folder, 'chartgate.db', ehr.base);
    await linkUsers(side, run);
    const deliver = makeDeliver(side, makeDeliveries(run));

    const straight =
      (next: () => string, connections: number): Way =>
      (count) =>
        sendStraight(ehr, next, connections, count);
    const speed = await warm(straight(same, 8), WARM_STRAIGHT);
    await warm(deliver, WARM_OURS);
    await warm(straight(plain, 8), WARM_PLAIN);
    best = await findBest((connections) => sendStraight(ehr, same, connections, fitting(speed, TRIED_MS)));
    perRound = fitting(speed, ROUND_MS);
    const ways = { ours: deliver, same: straight(same, best), plain: straight(plain, best) };
    const order = ['ours', 'same', 'plain'] as const;
    while (rounds.length < ROUNDS_MAX && (rounds.length < ROUNDS_MIN || performance.now() - began < BUDGET_MS)) {
      const speeds = { ours: 0, same: 0, plain: 0 };
      for (const way of rounds.length % 2 === 0 ? order : order.toReversed()) speeds[way] = await ways[way](perRound);
      rounds.push(speeds);
    }
    limit = await metricOf(side.port, 'chartgate_ehr_concurrency_limit');
  } finally {
    await side?.end();
    rmSync(folder, { recursive: true, force: true });
  }
  const figure = (name: string, theirs: 'same' | 'plain', note: string): Figure => ({
    bench: 'deliver',
    figure: name,
    ratio: round(median(rounds.map((one) => one.ours / one[theirs]))),
    ours: round(median(rounds.map(({ ours }) => ours))),
    theirs: round(median(rounds.map((one) => one[theirs]))),
    unit: 'transactions/s',
    note: `clinical_ready of 16 entries, ${perRound} a round, ${rounds.length} rounds, ratio paired by round; our limit came to ${limit}; theirs: ${note}, ${best} at once`,
  });
  yield figure('real-ehr-share', 'same', 'the same transactions straight to the same server');
  yield figure('real-ehr-vs-plain', 'plain', '15 Observations by PUT and nothing else, straight to the same server');
}
