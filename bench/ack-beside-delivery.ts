import { Agent, request } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ADMIN, linkUsers, makeDeliveries, MRN_SYSTEM } from './deliveries.ts';
import { median, round, type Figure } from './figure.ts';
import { load, type NextBody } from './load.ts';
import { metricOf, startGateway, startServer, type Side } from './side.ts';
import { pair } from './turns.ts';

const CONNECTIONS = 16;
const ROUNDS = 9;
const WARM_ROUNDS = 2;
const ROUND_MS = 3_000;
/** A webhook every so often, whatever became of those before it. */
const EVERY_MS = 10;
/** More than is delivered within a round. */
const BACKLOG = 2_500;
const POLL_MS = 50;
const GIVE_UP_MS = 120_000;
const GOAL = 1.5;

/** Milliseconds until a webhook is acknowledged. */
const acknowledge = ({ port, path }: Side, body: Buffer, agent: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    const from = performance.now();
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    request({ port, host: '127.0.0.1', path, method: 'POST', headers, agent }, (answer) => {
      answer.resume();
      answer.on('end', () => {
        if (answer.statusCode === 202) resolve(performance.now() - from);
        else reject(new Error(`answered ${String(answer.statusCode)}`));
      });
    })
      .on('error', reject)
      .end(body);
  });

/** p99 of webhooks that come at a steady pace, of users who are not linked: they are judged and go no further. */
async function ackP99(side: Side, nextBody: NextBody): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const from = performance.now();
  const waiting: Promise<number>[] = [];
  for (let n = 0; n * EVERY_MS < ROUND_MS; n += 1) {
    await pause(Math.max(0, from + n * EVERY_MS - performance.now()));
    waiting.push(acknowledge(side, nextBody(), agent));
  }
  const times = (await Promise.all(waiting)).sort((a, b) => a - b);
  agent.destroy();
  return times[Math.floor(times.length * 0.99)] ?? NaN;
}

async function act({ port }: Side, what: 'pause' | 'resume'): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN}` };
  const answer = await fetch(`http://127.0.0.1:${port}/admin/api/targets/ehr/${what}`, { method: 'POST', headers });
  if (!answer.ok) throw new Error(`${what} was answered with ${answer.status}`);
}

async function untilWaiting({ port }: Side, isWanted: (jobs: number) => boolean): Promise<void> {
  const from = performance.now();
  while (!isWanted(await metricOf(port, 'chartgate_lane_jobs'))) {
    if (performance.now() - from > GIVE_UP_MS) throw new Error('what waits does not change');
    await pause(POLL_MS);
  }
}

/** What the p99 of an acknowledgement becomes while a backlog is delivered as fast as it can be. */
export async function* ackBesideDelivery(): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const sides: Side[] = [];
  const taken = { beside: [] as number[], alone: [] as number[] };
  try {
    const sink = await startServer('bench/null-sink.ts');
    sides.push(sink);
    const ours = await startGateway(join(folder, 'chartgate.db'), {
      CHARTGATE_CLIENT_UUID: 'bench',
      CHARTGATE_EHR_URL: `http://127.0.0.1:${sink.port}/fhir`,
      CHARTGATE_MRN_SYSTEM: MRN_SYSTEM,
      CHARTGATE_ADMIN_TOKEN: ADMIN,
    });
    sides.push(ours);
    await linkUsers(ours);
    const [nextLinked, nextUnlinked] = [makeDeliveries(), makeDeliveries('x')];
    const beside = async (): Promise<number> => {
      await act(ours, 'pause');
      await load(ours.port, ours.path, nextLinked, CONNECTIONS, { count: BACKLOG });
      await untilWaiting(ours, (jobs) => jobs >= BACKLOG);
      await act(ours, 'resume');
      const p99 = await ackP99(ours, nextUnlinked);
      if ((await metricOf(ours.port, 'chartgate_lane_jobs')) === 0) throw new Error('the backlog was too small');
      await untilWaiting(ours, (jobs) => jobs === 0);
      return p99;
    };
    const alone = (): Promise<number> => ackP99(ours, nextUnlinked);
    for (let n = 0; n < WARM_ROUNDS; n += 1) {
      await beside();
      await alone();
    }
    for (let n = 0; n < ROUNDS; n += 1) {
      taken.beside.push(await beside());
      taken.alone.push(await alone());
    }
  } finally {
    for (const { end } of sides) await end();
    rmSync(folder, { recursive: true, force: true });
  }
  const { ratio, spread } = pair(taken.beside, taken.alone);
  yield {
    bench: 'deliver',
    figure: 'ack-p99-beside-delivery',
    ratio,
    ours: round(median(taken.beside)),
    theirs: round(median(taken.alone)),
    unit: 'ms',
    note: `p99 of ${1_000 / EVERY_MS} webhooks/s while a backlog is delivered at full speed, SQLite FULL; theirs: the same gateway with nothing to deliver; at most ${GOAL} is the goal; ${spread}`,
  };
}
