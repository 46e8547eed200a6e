import { describe, expect, jest, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  makeAdminClient,
  ROUTE_TABLE,
  makeFlowWatch,
  makeStreamRoutes,
  serveRoute,
  type ContractOf,
  type EventOf,
} from '../../src/admin/index.ts';
import { startGateway } from '../../src/gateway/index.ts';
import { ok, silentLog, systemClock } from '../../src/kernel/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { eventually } from '../support/eventually.ts';
import { configOf } from '../support/gateway.ts';
import { PLACES, sqlitePlace, type Place } from '../support/new-store.ts';
import { openDesk, type Desk } from '../support/operator-desk.ts';
import { stopAfterTest } from '../support/stop-after-test.ts';

jest.setTimeout(120_000);

const TOKEN = 'operator-'.repeat(5);
const SECRET = 'data-secret-0123456789abcdef0123456789';
type Event = EventOf<ContractOf<'flow.stream'>>;

async function gatewayOn(makePlace: () => Promise<Place>) {
  const place = await makePlace();
  stopAfterTest(() => place.remove());
  const { database } = place;
  const log = collectLog();
  const gateway = await startGateway({
    config: configOf(database.engine === 'sqlite' ? `sqlite:${database.file}?filesystem=any` : database.url.reveal(), {
      CHARTGATE_ADMIN_TOKEN: TOKEN,
      CHARTGATE_WEBHOOK_SECRET: SECRET,
    }),
    clock: systemClock,
    log,
  });
  stopAfterTest(() => gateway.stop());
  const url = `http://127.0.0.1:${gateway.port}`;
  const client = makeAdminClient({ url, routes: ROUTE_TABLE, token: TOKEN, fetch });
  /** Not JSON: it is quarantined. */
  const sendProblem = async (body: string): Promise<number> =>
    (await fetch(`${url}/webhooks/${SECRET}/data`, { method: 'POST', body })).status;
  return { gateway, url, client, log, sendProblem };
}

/** Events until one is as wanted, and whatever they were. */
async function eventsUntil(events: AsyncIterable<Event>, isLast: (event: Event) => boolean): Promise<Event[]> {
  const found: Event[] = [];
  for await (const event of events) {
    found.push(event);
    if (isLast(event)) break;
  }
  return found;
}

async function open(client: ReturnType<typeof makeAdminClient>, after?: string): Promise<AsyncIterable<Event>> {
  const watched = await client.watch('flow.stream', { after });
  if (watched.kind === 'refused') throw new Error(watched.problem.code);
  return watched.events;
}
const isProblems = (event: Event): boolean => event.kind === 'problems';

describe.each(PLACES)('the stream of a gateway on %s', (_engine, makePlace) => {
  test('tells the counts, then what became a problem, and goes on from the last event', async () => {
    const { client, sendProblem, log } = await gatewayOn(makePlace);
    const events = await open(client);
    const sent = sendProblem('{"user_id":"marker-of-a-patient"');
    const found = await eventsUntil(events, isProblems);
    expect(await sent).toBe(202);
    expect(found[0]).toMatchObject({ kind: 'flow', data: { target: { forwarding: 'running' } } });
    expect(found.at(-1)?.data).toMatchObject({
      isExact: true,
      problems: [{ state: 'quarantined', reason: 'not-json', count: 1 }],
    });
    expect(JSON.stringify(found)).not.toContain('marker');

    const before = String(Number(found[0]?.id) - 5_000);
    const again = await eventsUntil(await open(client, before), ({ kind }) => kind === 'flow');
    expect(again.map(({ kind }) => kind)).toEqual(['problems', 'flow']);
    const nothingNew = await eventsUntil(await open(client, again[1]?.id ?? ''), ({ kind }) => kind === 'flow');
    expect(nothingNew).toHaveLength(1);

    // Whoever goes away has got all that there was.
    const lines = await eventually(
      () => log.lines.filter(({ route }) => route === '/admin/api/stream'),
      ({ length }) => length === 3,
    );
    expect(lines.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('ends with the gateway, which does not wait for it', async () => {
    const { client, gateway } = await gatewayOn(makePlace);
    const events = await open(client);
    const reading = eventsUntil(events, ({ kind }) => kind === 'end');
    await gateway.stop();
    expect((await reading).at(-1)).toMatchObject({ kind: 'end', data: { reason: 'stopping' } });
  });
});

test('an id that no event had is refused with what is taken; nobody is let in without a credential', async () => {
  const { client, url } = await gatewayOn(sqlitePlace);
  for (const after of ['x', '-1', '0', '1e3', '9'.repeat(16)])
    expect(await client.watch('flow.stream', { after })).toMatchObject({
      kind: 'refused',
      status: 400,
      problem: { code: 'admin.parameter', at: 'Last-Event-ID', detail: expect.stringContaining('must be') },
    });
  expect((await fetch(`${url}/admin/api/stream`)).status).toBe(401);
  const head = await fetch(`${url}/admin/api/stream`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
    '',
  ]);
});

describe('a stream of a person or a machine', () => {
  async function stand() {
    const desks: Desk[] = [];
    const late = () => {
      const [desk] = desks;
      if (desk === undefined) throw new Error('not open yet');
      return desk.clock;
    };
    const counts = { acknowledged: 0, byState: {} as never };
    const watch = makeFlowWatch({
      tenant: 'default',
      inbox: {
        read: () => Promise.resolve(ok({ counts, oldestAt: null, problems: { problems: [], isExact: true } })),
      },
      target: () => ({ breaker: 'closed', forwarding: 'running', inFlight: 0, limit: 4 }),
      clock: { now: () => late().now(), monotonicMs: () => late().monotonicMs() },
      log: silentLog,
      everyMs: 1e9,
    });
    stopAfterTest(() => watch.stop());
    const recorders = {
      record: () => Promise.resolve(ok(null)),
      recordLater: () => undefined,
      restrictedAmong: () => Promise.resolve(ok([])),
      openHandle: () => null,
    };
    const routes = makeStreamRoutes({ watch }).map((route) => serveRoute(route, recorders));
    const desk = await openDesk({ routes });
    desks.push(desk);
    const read = async (headers: Record<string, string>) => {
      const answer = await fetch(`${desk.base}/admin/api/stream`, { headers });
      if (answer.body === null || answer.status !== 200) throw new Error(String(answer.status));
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      return async (): Promise<string> => {
        const { done, value } = await reader.read();
        return done ? '(end)' : value;
      };
    };
    return { desk, watch, read };
  }

  /** What is said last; a look may tell of something before. */
  async function lastOf(next: () => Promise<string>): Promise<string> {
    let last = '';
    for (let said = await next(); said !== '(end)'; said = await next()) last = said;
    return last;
  }

  test('stays while the session is locked, keeps it awake in no way, and ends with it', async () => {
    const { desk, watch, read } = await stand();
    const { own } = await desk.administrator();
    const next = await read({ cookie: `__Host-chartgate-operator=${own.cookie ?? ''}` });
    expect(await next()).toContain('event: flow');
    await desk.seenNow(own);
    for (let minute = 0; minute < 15; minute += 1) {
      desk.clock.advance(60_000);
      await watch.look();
    }
    // However many came in one piece.
    expect(await next()).toMatch(/^:\n\n/);
    expect((await own.ask('GET', '/admin/api/probe')).body['code']).toBe('operator.locked');
    expect((await own.session('DELETE', '')).status).toBe(200);
    desk.clock.advance(5_000);
    await watch.look();
    expect(await lastOf(next)).toContain('"reason":"signed-out"');
  });

  test('ends when the key is removed', async () => {
    const { desk, watch, read } = await stand();
    const made = await desk.machine()('POST', 'keys', { name: 'wall', roles: ['viewer'], permissions: [] });
    const next = await read({ authorization: `Bearer ${String(made.body['key'])}` });
    expect(await next()).toContain('event: flow');
    expect((await desk.machine()('DELETE', `keys/${String(made.body['id'])}`)).status).toBe(200);
    desk.clock.advance(5_000);
    await watch.look();
    expect(await lastOf(next)).toContain('"reason":"signed-out"');
  });
});

describe('chartgate watch', () => {
  const watching = (url: string, more: readonly string[] = []) => {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', 'src/main.ts', 'watch', '--url', url, ...more],
      {
        env: { PATH: process.env['PATH'], CHARTGATE_ADMIN_TOKEN: TOKEN },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    stopAfterTest(() => child.kill('SIGKILL'));
    let err = '';
    child.stderr.on('data', (part: Buffer) => void (err += part.toString()));
    const ended = once(child, 'exit').then(([code]) => ({ code: code as number | null, err }));
    return { child, ended };
  };

  test('writes each event as a line of JSON, and ends quietly where nobody reads on', async () => {
    const { url, sendProblem } = await gatewayOn(sqlitePlace);
    const { child, ended } = watching(url, ['--json']);
    const [first] = (await once(child.stdout, 'data')) as [Buffer];
    expect(JSON.parse(first.toString().split('\n')[0] ?? '')).toMatchObject({ kind: 'flow' });
    child.stdout.destroy();
    // The next line finds nobody.
    for (const n of [1, 2, 3]) await sendProblem(`{${n}`);
    expect(await ended).toEqual({ code: 0, err: '' });
  });

  test('says the same to people, and ends by a signal with 0', async () => {
    const { url } = await gatewayOn(sqlitePlace);
    const { child, ended } = watching(url);
    const [first] = (await once(child.stdout, 'data')) as [Buffer];
    expect(first.toString()).toMatch(/^\S+Z {2}received - {2}delivered - {2}0 wait {2}0 parked {2}0 quarantined/);
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 0, err: '' });
  });

  test('says in a line that there is no gateway, or that it was refused', async () => {
    const { url, gateway } = await gatewayOn(sqlitePlace);
    const wrong = watching(url, ['--surprise']);
    expect((await wrong.ended).code).toBe(2);
    await gateway.stop();
    expect(await watching(url).ended).toEqual({ code: 69, err: expect.stringContaining('No gateway answers') });
  });
});
