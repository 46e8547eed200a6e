import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../test/clients/whole.ts';
import { makeBackend } from '../test/support/subscriptions/make-backend.ts';
import { aSubscription, EVERYTHING } from '../test/support/subscriptions/start-told.ts';
import { ADMIN, linkUsers, makeDeliveries, MRN_SYSTEM, userOf, USERS } from './deliveries.ts';
import { median, round, type Figure } from './figure.ts';
import { startGateway, startServer, type Side } from './side.ts';
import { pair, rateOf, takeTurns, type Round } from './turns.ts';

/** Five times the people of the other benches: one subscription for each. */
const RUNS = ['a', 'b', 'c', 'd', 'e'];
const SUBSCRIPTIONS = RUNS.length * USERS;
const ROUNDS = 9;
const PER_ROUND = 60;
const POLL_MS = 1;
const RATE = 100;
const SECONDS = 10;
const LAG_GOAL_MS = 1_000;

/** How long after its commit each event came. */
interface Receiver {
  readonly port: number;
  readonly lags: number[];
  readonly server: Server;
}

async function startReceiver(): Promise<Receiver> {
  const lags: number[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      response.end();
      const now = Date.now();
      for (const [, at = ''] of Buffer.concat(parts)
        .toString()
        .matchAll(/"timestamp","valueInstant":"([^"]+)"/g))
        lags.push(now - Date.parse(at));
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, lags, server };
}

async function startSide(folder: string, name: string, sink: Side): Promise<Side & { readonly url: string }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const side = await startGateway(join(folder, `${name}.db`), {
    CHARTGATE_PORT: String(port),
    CHARTGATE_PUBLIC_URL: url,
    CHARTGATE_CLIENT_UUID: 'bench',
    CHARTGATE_EHR_URL: `http://127.0.0.1:${sink.port}/fhir`,
    CHARTGATE_MRN_SYSTEM: MRN_SYSTEM,
    CHARTGATE_ADMIN_TOKEN: ADMIN,
    CHARTGATE_SUBSCRIPTION_PRIVATE_HOSTS: '127.0.0.1',
  });
  for (const run of RUNS) await linkUsers(side, run);
  return { ...side, url };
}

/** One subscription for each patient, all of them past their handshake. */
async function subscribeAll({ url }: { readonly url: string }, receiver: Receiver): Promise<void> {
  const admin = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${url}/admin/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const token = await (await makeBackend(url, admin, EVERYTHING)).token();
  for (const run of RUNS)
    for (let n = 0; n < USERS; n += 1) {
      const wanted = aSubscription({
        endpoint: `http://127.0.0.1:${receiver.port}/hook`,
        filters: [`patient=Patient/p-${userOf(n, run)}`],
      });
      const answer = await fetch(`${url}/fhir/Subscription`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/fhir+json' },
        body: JSON.stringify(wanted),
      });
      if (answer.status !== 201) throw new Error(`not subscribed: ${answer.status} ${await answer.text()}`);
    }
  for (;;) {
    const { body } = await admin('GET', 'subscriptions?state=requested&limit=1');
    if ((body['subscriptions'] as readonly unknown[]).length === 0) return;
    await pause(100);
  }
}

export async function* run(): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const sides: Side[] = [];
  const receiver = await startReceiver();
  try {
    const sink = await startServer('bench/null-sink.ts');
    sides.push(sink);
    const told = await startSide(folder, 'told', sink);
    sides.push(told);
    const none = await startSide(folder, 'none', sink);
    sides.push(none);
    await subscribeAll(told, receiver);

    const bodies = RUNS.map((name) => makeDeliveries(name));
    let n = 0;
    const nextBody = (): Buffer => {
      const next = bodies[(n += 1) % bodies.length];
      if (next === undefined) throw new Error('there are no people');
      return next();
    };
    const sunk = async (): Promise<number> => Number(await (await fetch(`http://127.0.0.1:${sink.port}/count`)).text());
    const send = async ({ port, path }: Side): Promise<void> => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: new Uint8Array(nextBody()),
      });
      await answer.arrayBuffer();
      if (answer.status !== 202) throw new Error(`answered ${answer.status}`);
    };
    /** One delivery after the other, each from its webhook to its transaction at the EHR. */
    const takeRound = (side: Side) => async (): Promise<Round> => {
      const cpu = await side.cpuSeconds();
      const tookMs: number[] = [];
      for (let i = 0; i < PER_ROUND; i += 1) {
        const before = await sunk();
        const from = performance.now();
        await send(side);
        while ((await sunk()) === before) await pause(POLL_MS);
        tookMs.push(performance.now() - from);
      }
      return {
        perSecond: 1_000 / median(tookMs),
        cpuUs: (((await side.cpuSeconds()) - cpu) * 1e6) / PER_ROUND,
      };
    };
    const taken = await takeTurns({ told: takeRound(told), none: takeRound(none) }, ROUNDS);
    const { ratio, spread } = pair(rateOf(taken.told), rateOf(taken.none));
    const msOf = (rounds: readonly Round[]): number => round(1_000 / median(rateOf(rounds)));
    yield {
      bench: 'subscribe',
      figure: 'delivery-with-thousand-vs-none',
      ratio,
      ours: msOf(taken.told),
      theirs: msOf(taken.none),
      unit: 'ms a delivery, p50',
      note: `from the webhook to the transaction at the EHR, one after the other; ours: ${SUBSCRIPTIONS} active subscriptions by patient, id-only, of which one is told; theirs: none; ${spread}`,
    };

    receiver.lags.length = 0;
    const sending: Promise<void>[] = [];
    for (let i = 0; i < RATE * SECONDS; i += 1) {
      sending.push(send(told));
      await pause(1_000 / RATE - (i % 2));
    }
    await Promise.all(sending);
    let seen = -1;
    while (receiver.lags.length > seen) {
      seen = receiver.lags.length;
      await pause(2_000);
    }
    const sorted = receiver.lags.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
    yield {
      bench: 'subscribe',
      figure: 'notification-lag-p99',
      ratio: round(LAG_GOAL_MS / at(0.99)),
      ours: round(at(0.99)),
      theirs: LAG_GOAL_MS,
      unit: 'ms',
      note: `from the commit of an event to its arrival at the endpoint, about ${RATE} deliveries/s for ${SECONDS} s, ${sorted.length} events; p50 ${round(at(0.5))} ms; theirs: the goal`,
    };
  } finally {
    for (const { end } of sides) await end();
    receiver.server.close();
    receiver.server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  }
}
