import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createServer, type Server, type Socket } from 'node:net';
import { startGateway } from '../../src/gateway/index.ts';
import { makeLife, systemClock, type Life, type Log } from '../../src/kernel/index.ts';
import { takeLock } from '../../src/store/sqlite/take-lock.ts';
import { collectLog } from '../support/collect-log.ts';
import { eventually } from '../support/eventually.ts';
import { configOf } from '../support/gateway.ts';
import { serveSettings } from '../support/run-process.ts';
import { PLACES, withClient, type Place } from '../support/new-store.ts';

/** In the order of their start. */
const PARTS = [
  'store',
  'audit',
  'ledger',
  'figures',
  'refusals',
  'target',
  'enrolment',
  'apps',
  'links',
  'resealing',
  'retention',
  'ops',
  'http',
  'shadow',
  'judging',
  'jobs',
  'exports',
  'sending',
  'requests',
  'watchers',
] as const;

/** The same keys for every start: another would be refused. */
const KEYS = Object.fromEntries(Object.entries(serveSettings('')).filter(([name]) => name.endsWith('_KEY')));

/** `unstarted`: no part but the store is really started, though each is stopped. */
type Failing = (typeof PARTS)[number] | 'unstarted' | null;

/** A life in which the start of one part fails when all of it runs, and which remembers what it started and stopped. */
function failingLife(failing: Failing) {
  const started: string[] = [];
  const stopped: string[] = [];
  const make = (log: Log): Life => {
    const life = makeLife(log);
    return {
      stop: life.stop,
      start: (name, part, patienceMs) => {
        started.push(name);
        return life.start(
          name,
          {
            async start() {
              const isLeftOut = failing === 'unstarted' && name !== 'store';
              // Without a start there is nothing that it could answer.
              const answer = (isLeftOut ? undefined : await part.start?.()) as never;
              if (name === failing || (isLeftOut && name === PARTS.at(-1))) throw new Error('planted');
              return answer;
            },
            stop: () => {
              stopped.push(name);
              return part.stop();
            },
          },
          patienceMs,
        );
      },
    };
  };
  return { make, started, stopped };
}

/** An EHR that takes connections and never answers, so that its probe is under way whenever something fails. */
let silent: { readonly server: Server; readonly sockets: Set<Socket> };
beforeAll(async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    // Its end is noticed only by whoever reads.
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  silent = { server, sockets };
});
afterAll(() => void silent.server.close());
afterEach(() => void jest.restoreAllMocks());

type Timer = NodeJS.Timeout & { readonly _destroyed: boolean };

/** Every interval that is made from now on, also those that keep no process alive. */
function watchIntervals(): () => number {
  const made = jest.spyOn(globalThis, 'setInterval');
  return () => made.mock.results.filter(({ value }) => !(value as Timer)._destroyed).length;
}

/** Sockets, servers and threads. The test runner has timers and files of its own. */
const resources = (): string =>
  process
    .getActiveResourcesInfo()
    .filter((kind) => /^(TCP|Pipe|TLS|MessagePort|Worker)/.test(kind))
    .sort()
    .join(' ');

/** Whether the database is free: nobody holds the lock of the file, or has a connection. */
async function isFree({ database }: Place): Promise<boolean> {
  if (database.engine === 'sqlite') {
    takeLock(database.file)();
    return true;
  }
  const others = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;
  return withClient(database.url.reveal(), async (client) => (await client.query(others)).rowCount === 0);
}

/** What runs now and did not before. Less may run: what the tests themselves had begun comes to its end meanwhile. */
function newSince(before: string): string[] {
  const known = before.split(' ');
  return resources()
    .split(' ')
    .filter((name) => {
      const at = known.indexOf(name);
      if (at >= 0) known.splice(at, 1);
      return at < 0 && name !== '';
    });
}

describe.each(PLACES)('on %s', (_engine, makePlace) => {
  let place: Place;
  beforeAll(async () => {
    place = await makePlace();
  });
  afterAll(() => place.remove());

  function start(failing: Failing, more: Record<string, string> = {}) {
    const { database } = place;
    const url = database.engine === 'sqlite' ? `sqlite:${database.file}?filesystem=any` : database.url.reveal();
    const address = silent.server.address();
    const port = address !== null && typeof address !== 'string' ? address.port : 0;
    const config = configOf(url, {
      ...KEYS,
      CHARTGATE_EHR_URL: `http://127.0.0.1:${port}/fhir`,
      CHARTGATE_OPS_PORT: '0',
      ...more,
    });
    const life = failingLife(failing);
    const log = collectLog();
    return { life, log, starting: startGateway({ config, clock: systemClock, log, makeLife: life.make }) };
  }

  async function expectNothingRuns(before: string, intervals: () => number): Promise<void> {
    expect(intervals()).toBe(0);
    expect(
      await eventually(
        () => newSince(before),
        (left) => left.length === 0,
      ),
    ).toEqual([]);
    expect(
      await eventually(
        () => silent.sockets.size,
        (count) => count === 0,
      ),
    ).toBe(0);
    expect(await eventually(() => isFree(place), Boolean)).toBe(true);
  }

  test('every part is started in its turn, and stopped in reverse order', async () => {
    const before = resources();
    const intervals = watchIntervals();
    const { life, log, starting } = start(null);
    const gateway = await starting;
    expect(life.started).toEqual(PARTS);
    expect(intervals()).toBeGreaterThan(0);
    await gateway.stop();
    expect(life.stopped).toEqual(PARTS.toReversed());
    expect(log.lines.filter(({ event }) => event.startsWith('process.part-'))).toEqual([]);
    await expectNothingRuns(before, intervals);
  });

  test('what tells a collector is started after the store, and stopped before it', async () => {
    const before = resources();
    const intervals = watchIntervals();
    const { life, log, starting } = start(null, { CHARTGATE_OTLP_URL: 'http://127.0.0.1:9' });
    const gateway = await starting;
    const wanted = [PARTS[0], 'telemetry', ...PARTS.slice(1)];
    expect(life.started).toEqual(wanted);
    await gateway.stop();
    expect(life.stopped).toEqual(wanted.toReversed());
    expect(log.lines.filter(({ event }) => event.startsWith('process.part-'))).toEqual([]);
    await expectNothingRuns(before, intervals);
  });

  test.each<Failing & string>([...PARTS, 'unstarted'])(
    'whatever fails in the start, nothing is left running: %s',
    async (failing) => {
      const before = resources();
      const intervals = watchIntervals();
      const { life, log, starting } = start(failing);
      await expect(starting).rejects.toThrow('planted');
      const begun = failing === 'unstarted' ? PARTS : PARTS.slice(0, PARTS.indexOf(failing) + 1);
      expect([life.started, life.stopped]).toEqual([begun, begun.toReversed()]);
      expect(log.lines.filter(({ event }) => /^process\.(part|started)/.test(event))).toEqual([]);
      await expectNothingRuns(before, intervals);
    },
  );
});
