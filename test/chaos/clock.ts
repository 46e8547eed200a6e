/* node test/chaos/clock.ts --engine sqlite|postgres [--rounds 4] [--json]: lives whose clock is ahead by ten minutes or a day, each ended by
   kill -9 and followed by one whose clock is right; then everything is delivered at once. */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { eventually } from '../support/eventually.ts';
import { emptyPostgresPlace, sqlitePlace } from '../support/new-store.ts';
import { aClinicalReady } from '../support/payloads/index.ts';
import { makePostgresServer } from '../support/postgres-server.ts';
import { withStage } from '../flow/delivery/stage.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '4' },
    json: { type: 'boolean', default: false },
  },
});
const { engine, json } = values;
const rounds = Number(values.rounds);
if (engine !== 'sqlite' && engine !== 'postgres') throw new Error('--engine is sqlite or postgres');
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds is a whole number');

const AHEAD_MS = [600_000, 86_400_000];
const SHIFT = fileURLToPath(new URL('./shift-clock.ts', import.meta.url));
const ahead = (ms: number) => ({ CLOCK_AHEAD_MS: String(ms), NODE_OPTIONS: `--import="${SHIFT}"` });
const USERS = Array.from({ length: 5 }, (_, n) => `clock-${n}`);
/** A gateway that is ready is told of what waits within a second; the rest is for a slow machine. */
const MOST_MS = 20_000;

const server = engine === 'postgres' ? await makePostgresServer() : null;
const done: { round: number; aheadMs: number; tookMs: number; waiting: number; violations: number }[] = [];
try {
  for (let round = 0; round < rounds; round += 1) {
    const aheadMs = AHEAD_MS[round % AHEAD_MS.length] ?? 0;
    const makePlace = server === null ? sqlitePlace : () => emptyPostgresPlace(server.url('postgres'));
    await withStage(makePlace, { noClientIds: true }, async (stage) => {
      const ids: string[] = [];
      const send = async (replica: Awaited<ReturnType<typeof stage.start>>, userId: string, bundleId: string) =>
        ids.push((await stage.send(replica, aClinicalReady({ userId, observations: 4, bundleId }))) ?? '');
      const wrong = await stage.start(ahead(aheadMs));
      for (const user of USERS) {
        await stage.enrol(wrong, user);
        await send(wrong, user, `first-${user}`);
      }
      for (const id of ids) await stage.delivered(wrong, id);
      stage.ehr.board.setRules([{ status: 503, retryAfter: '3600' }]);
      for (const user of USERS) await send(wrong, user, `second-${user}`);
      await eventually(
        () => stage.ehr.log.requests().filter(({ status }) => status === 503).length,
        (refused) => refused > 0,
      );
      wrong.signal('SIGKILL');
      await wrong.ended;
      stage.ehr.board.setRules([]);
      const right = await stage.start();
      const from = performance.now();
      for (const user of USERS) await send(right, user, `third-${user}`);
      const states = await eventually(
        () => Promise.all(ids.map(async (id) => (await stage.show(right, id)).state)),
        (all) => all.every((state) => state === 'delivered'),
        MOST_MS,
      );
      const violations = await stage.check(right);
      const told = {
        round,
        aheadMs,
        tookMs: Math.round(performance.now() - from),
        waiting: states.filter((state) => state !== 'delivered').length,
        violations: violations.length,
      };
      done.push(told);
      if (!json) process.stdout.write(`${JSON.stringify(told)}\n`);
    });
  }
} finally {
  await server?.remove();
}
const isSound = done.every(({ waiting, violations }) => waiting + violations === 0);
process.stdout.write(`${JSON.stringify({ engine, rounds: done.length, isSound, ...(json ? { each: done } : {}) })}\n`);
process.exitCode = isSound ? 0 : 1;
