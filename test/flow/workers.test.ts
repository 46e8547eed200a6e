import { afterEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { postgresPlace } from '../support/new-store.ts';
import { aClinicalReady } from '../support/payloads/index.ts';
import { runProcess, serveSettings, type Running } from '../support/run-process.ts';
import { stopAfterTest } from '../support/stop-after-test.ts';
import type { Replica } from './delivery/replica.ts';
import { withStage, type Stage } from './delivery/stage.ts';

interface Line {
  readonly event: string;
  readonly worker?: number;
  readonly pid?: number;
  readonly route?: string;
  readonly status?: number;
}
type Lines = Pick<Running, 'lines'>;

const linesOf = (of: Lines, event: string): readonly Line[] =>
  of
    .lines()
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.event === event);
const untilStarted = (of: Lines, count: number): Promise<readonly Line[]> =>
  eventually(
    () => linesOf(of, 'worker.started'),
    (found) => found.length >= count,
    40_000,
  );
const isAlive = (pid: number | undefined): boolean => {
  try {
    return process.kill(pid ?? 0, 0);
  } catch {
    return false;
  }
};
const pidsOf = (of: Lines): number[] => linesOf(of, 'worker.started').map(({ pid = 0 }) => pid);
const allGone = (of: Lines): Promise<boolean> =>
  eventually(
    () => !pidsOf(of).some(isAlive),
    (areGone) => areGone,
  );

/** Which workers took webhooks. */
const takers = (of: Lines): Set<number | undefined> =>
  new Set(
    linesOf(of, 'request.answered')
      .filter(({ route = '', status }) => route.startsWith('/webhooks') && status === 202)
      .map(({ worker }) => worker),
  );

const USERS = ['ada', 'bob', 'cyd', 'dan', 'eva', 'fay'];
const aVersion = (user: string, version: number) =>
  aClinicalReady({
    userId: user,
    bundleId: `bundle-${user}`,
    documentVersion: version,
    observations: 4,
    values: { weight: 70 + version, height: 178, bmi: 22 + version, resting_heart_rate: 58 + version },
  });

async function startWorkers(stage: Stage, count: number, more: Record<string, string> = {}): Promise<Replica> {
  const gateway = await stage.start(more, ['--workers', String(count)]);
  expect(await untilStarted(gateway, count)).toHaveLength(count);
  return gateway;
}

/** Each user's versions one after the other, until one is not acknowledged; all users at once. */
async function sendVersions(stage: Stage, gateway: Replica, from: number, to: number): Promise<string[]> {
  const ids: string[] = [];
  await Promise.all(
    USERS.map(async (user) => {
      for (let version = from; version <= to; version += 1) {
        const id = await stage.send(gateway, aVersion(user, version));
        if (id === null) return;
        ids.push(id);
      }
    }),
  );
  return ids;
}

const RESTING = new Set(['delivered', 'superseded', 'duplicate']);
async function untilResting(stage: Stage, gateway: Replica, ids: readonly string[]): Promise<void> {
  let left = [...ids];
  // One after the other: asking for all at once is a load of its own.
  await eventually(
    async () => {
      const states = new Map<string, string>();
      for (const id of left) states.set(id, (await stage.show(gateway, id)).state);
      left = left.filter((id) => !RESTING.has(states.get(id) ?? ''));
      return left.length;
    },
    (count) => count === 0,
    90_000,
  );
  expect(left).toEqual([]);
}

const metric = async ({ url }: Replica, name: string): Promise<number> =>
  (await (await fetch(`${url}/metrics`)).text())
    .split('\n')
    .filter((line) => line.startsWith(name))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);

describe('serve --workers on PostgreSQL', () => {
  test('delivers everything once and in order, counts as one, and acts as one', async () => {
    await withStage(postgresPlace, {}, async (stage) => {
      const gateway = await startWorkers(stage, 3);
      for (const user of USERS) await stage.enrol(gateway, user);
      const ids = await sendVersions(stage, gateway, 1, 6);
      expect(ids).toHaveLength(USERS.length * 6);
      await untilResting(stage, gateway, ids);
      expect(await stage.check(gateway)).toEqual([]);
      expect(takers(gateway).size).toBe(3);

      // Whichever is asked: a new connection each time.
      for (let n = 0; n < 3; n += 1) {
        const ready = await fetch(`${gateway.url}/readyz`, { headers: { connection: 'close' } });
        expect([ready.status, await ready.json()]).toMatchObject([
          200,
          { ready: true, workers: { wanted: 3, serving: 3, ready: 3 } },
        ]);
        expect(await metric(gateway, 'chartgate_http_request_seconds_count{route="/webhooks')).toBe(ids.length);
      }
      expect(await metric(gateway, 'chartgate_workers ')).toBe(3);

      const loads = linesOf(gateway, 'mappings.loaded').length;
      await gateway.admin('POST', 'mappings/reload');
      const loaded = await eventually(
        () => linesOf(gateway, 'mappings.loaded').slice(loads),
        (found) => found.length >= 3,
      );
      expect(new Set(loaded.map(({ worker }) => worker)).size).toBe(3);
      gateway.signal('SIGHUP');
      expect(
        await eventually(
          () => linesOf(gateway, 'mappings.loaded').length,
          (found) => found >= loads + 6,
        ),
      ).toBe(loads + 6);

      // A wrong password counts wherever it was tried: five are free, whatever worker they come to.
      const tries = [];
      for (let n = 0; n < 8; n += 1) {
        const answer = await fetch(`${gateway.url}/admin/api/session`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', connection: 'close', 'sec-fetch-site': 'same-origin' },
          body: JSON.stringify({ name: 'nobody', password: 'wrong-password-0123' }),
        });
        tries.push(answer.status);
      }
      expect(tries).toContain(429);

      gateway.signal('SIGTERM');
      expect(await gateway.ended).toMatchObject({ code: 0, stderr: '' });
      expect(await allGone(gateway)).toBe(true);
    });
  }, 180_000);

  test('a worker that is killed is started again, and others take its lanes over', async () => {
    await withStage(postgresPlace, {}, async (stage) => {
      const gateway = await startWorkers(stage, 2);
      for (const user of USERS) await stage.enrol(gateway, user);
      const warm = await sendVersions(stage, gateway, 1, 1);
      await untilResting(stage, gateway, warm);
      const counted = await metric(gateway, 'chartgate_ehr_attempt_seconds_count');
      stage.ehr.board.setRules([{ method: 'POST', delayMs: 2_000 }]);
      const ids = await sendVersions(stage, gateway, 2, 2);
      // The worker that took the last one is at it now.
      const { worker } =
        linesOf(gateway, 'request.answered')
          .filter(({ route = '' }) => route.startsWith('/webhooks'))
          .at(-1) ?? {};
      const victim = linesOf(gateway, 'worker.started').find((line) => line.worker === worker);
      process.kill(victim?.pid ?? 0, 'SIGKILL');
      await untilStarted(gateway, 3);
      stage.ehr.board.setRules([]);
      ids.push(...(await sendVersions(stage, gateway, 3, 3)));
      await untilResting(stage, gateway, ids);
      expect(await stage.check(gateway)).toEqual([]);
      expect(linesOf(gateway, 'worker.ended')).toMatchObject([{ worker, reason: 'SIGKILL', exitCode: 70 }]);
      // What the one that is gone had counted is still in the sum.
      expect(await metric(gateway, 'chartgate_ehr_attempt_seconds_count')).toBeGreaterThan(counted);
      expect(await metric(gateway, 'chartgate_worker_restarts_total')).toBe(1);
      expect(await metric(gateway, 'chartgate_workers ')).toBe(2);
      gateway.signal('SIGTERM');
      expect(await gateway.ended).toMatchObject({ code: 0 });
      expect(await allGone(gateway)).toBe(true);
    });
  }, 180_000);

  test('SIGTERM while webhooks come in loses nothing that was acknowledged', async () => {
    await withStage(postgresPlace, {}, async (stage) => {
      const gateway = await startWorkers(stage, 2, { CHARTGATE_DRAIN_SECONDS: '1' });
      for (const user of USERS) await stage.enrol(gateway, user);
      const sending = sendVersions(stage, gateway, 1, 200);
      await pause(200);
      gateway.signal('SIGTERM');
      expect(await gateway.ended).toMatchObject({ code: 0, stderr: '' });
      const ids = await sending;
      expect(ids.length).toBeGreaterThan(USERS.length);
      expect(ids.length).toBeLessThan(USERS.length * 200);
      expect(await allGone(gateway)).toBe(true);
      await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow();
      const next = await stage.start();
      await untilResting(stage, next, ids);
      expect(await stage.check(next)).toEqual([]);
    });
  }, 180_000);

  test('nothing is left when the primary is killed, asked while workers start, or asked twice', async () => {
    await withStage(postgresPlace, {}, async (stage) => {
      const killed = await startWorkers(stage, 2);
      killed.signal('SIGKILL');
      await killed.ended;
      expect(await allGone(killed)).toBe(true);
      // The others are loading, and hear nothing yet.
      const early = await stage.start({}, ['--workers', '3']);
      await untilStarted(early, 1);
      early.signal('SIGTERM');
      expect(await Promise.race([early.ended, pause(30_000, null, { ref: false })])).toMatchObject({ code: 0 });
      const hurried = await startWorkers(stage, 2, { CHARTGATE_DRAIN_SECONDS: '15' });
      hurried.signal('SIGTERM');
      await eventually(
        () => linesOf(hurried, 'process.draining').length,
        (count) => count === 2,
      );
      hurried.signal('SIGTERM');
      expect(await hurried.ended).toMatchObject({ code: 143 });
      expect(await allGone(hurried)).toBe(true);
    });
  }, 120_000);

  test('what stops the first worker from starting is told once and is the exit code', async () => {
    const place = await postgresPlace();
    stopAfterTest(() => place.remove());
    const other = createServer().listen(0, '127.0.0.1');
    stopAfterTest(() => other.close());
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    const url = place.database.engine === 'postgres' ? place.database.url.reveal() : '';
    const { code, stderr } = await runProcess(['serve', '--workers', '3'], {
      ...serveSettings(url),
      CHARTGATE_PORT: port,
    }).ended;
    expect(code).toBe(69);
    expect(stderr.split('is already taken')).toHaveLength(2);
  });
});

describe('serve --workers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-workers-'));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('is refused on SQLite, with the reason', async () => {
    const file = join(folder, 'chartgate.db');
    const { code, stderr, stdout } = await runProcess(
      ['serve', '--workers', '2'],
      serveSettings(`sqlite:${file}?filesystem=any&create=yes`),
    ).ended;
    expect([code, stdout]).toEqual([78, '']);
    expect(stderr).toContain('--workers needs PostgreSQL: a SQLite file has one process that writes.');
  });

  test.each(['0', '65', 'many', '1.5', ''])('with %j ends with 2 and says what it takes', async (given) => {
    const { code, stderr } = await runProcess(['serve', '--workers', given], {}).ended;
    expect([code, stderr.split('\n')[0]]).toEqual([2, '--workers is a number from 1 to 64.']);
  });
});
