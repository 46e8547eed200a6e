import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  enter,
  leave,
  startConcurrency,
  stateOf,
  type Concurrency,
  type Entered,
} from '../../../src/ehr/concurrency.ts';
import {
  fixedLimiter,
  noise,
  simulate,
  type Limiter,
  type QueueingServer,
  type SimulatedLoad,
} from '../../support/queueing-server.ts';
import { howMany } from '../../support/how-much.ts';

/** The limiter as the guard uses it. */
function aLimiter(): Limiter<Entered> & { readonly now: () => Concurrency } {
  let now = startConcurrency;
  return {
    now: () => now,
    limit: () => now.limit,
    enter(nowMs) {
      const next = enter(now, nowMs);
      now = next.now;
      return next.entered;
    },
    leave: (entered, load, kind, nowMs) => void (now = leave(now, { entered, load, kind }, nowMs)),
  };
}

interface Ran {
  readonly perSecond: number;
  /** The limit that it held to be best, five times a second from the middle of the time on. */
  readonly settled: readonly number[];
  /** The same at a moment. */
  readonly at: (ms: number) => number;
  readonly end: Concurrency;
}

function run(server: QueueingServer, load: SimulatedLoad): Ran {
  const limiter = aLimiter();
  const seen: { readonly atMs: number; readonly limit: number }[] = [];
  const { perSecond } = simulate(server, limiter, load, (atMs) =>
    seen.push({ atMs, limit: limiter.now().search.base }),
  );
  return {
    perSecond,
    settled: seen.filter(({ atMs }) => atMs > load.forMs / 2).map(({ limit }) => limit),
    at: (ms) => seen.findLast(({ atMs }) => atMs <= ms)?.limit ?? NaN,
    end: limiter.now(),
  };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const changes = (values: readonly number[]): number =>
  values.filter((value, i) => i > 0 && value !== values[i - 1]).length;

const SEEDS = [1, 2, 3].slice(0, howMany(1, 3));
const MINUTE = 60_000;
const SERVICE_MS = 200;
const writes =
  (serviceMs: number, variation: number): QueueingServer['request'] =>
  (random) => ({ kind: 'bundle 14', serviceMs: serviceMs * noise(random, variation) });
/** As many are worked on at once as there are workers, each as fast as if it were alone. */
const withWorkers = (workers: number, variation = 0.3, serviceMs = SERVICE_MS): QueueingServer => ({
  workers,
  speed: () => 1,
  request: writes(serviceMs, variation),
});
/** All are worked on at once; together as fast as `capacity` says, in units of one that is alone. */
const withCapacity = (capacity: (inSystem: number) => number): QueueingServer => ({
  workers: Infinity,
  speed: (inSystem) => capacity(inSystem) / inSystem,
  request: writes(SERVICE_MS, 0.3),
});

test('the simulated server does what its model says: n at once of k workers are as fast as the fewer of both', () => {
  for (const limit of [2, 4, 8, 16]) {
    const { perSecond, latencyMs } = simulate(withWorkers(8), fixedLimiter(limit), { forMs: 4 * MINUTE, seed: 1 });
    expect(perSecond / ((Math.min(limit, 8) * 1_000) / SERVICE_MS)).toBeCloseTo(1, 1);
    expect(latencyMs / ((limit * 1_000) / perSecond)).toBeCloseTo(1, 1);
  }
});

test('with k workers the limit settles between k and 1.5 k + 4, and 95 % of the throughput are had', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 24 }),
      fc.integer({ min: 20, max: 1_000 }),
      fc.double({ min: 0, max: 0.3, noNaN: true }),
      fc.nat(),
      (workers, serviceMs, variation, seed) => {
        const forMs = Math.max(2 * MINUTE, 1_200 * serviceMs);
        const { perSecond, settled } = run(withWorkers(workers, variation, serviceMs), { forMs, seed });
        expect(perSecond).toBeGreaterThan((0.95 * workers * 1_000) / serviceMs);
        expect(mean(settled)).toBeGreaterThanOrEqual(workers);
        expect(mean(settled)).toBeLessThanOrEqual(1.5 * workers + 4);
      },
    ),
    { seed: 20_261_115, numRuns: howMany(6, 25) },
  );
});

test('with answers that vary as much as chance alone would have it, 95 % are still had', () => {
  for (const workers of [2, 8, 16])
    for (const seed of SEEDS.slice(0, 2)) {
      const { perSecond, settled } = run(withWorkers(workers, 1), { forMs: 10 * MINUTE, seed });
      expect(perSecond).toBeGreaterThan((0.95 * workers * 1_000) / SERVICE_MS);
      expect(mean(settled)).toBeLessThanOrEqual(2 * workers + 4);
    }
});

describe('95 % of the best fixed limit are had of a server that', () => {
  const load = { forMs: 8 * MINUTE, seed: 5 };
  const best = (capacity: (inSystem: number) => number): number =>
    (Math.max(...Array.from({ length: 32 }, (_, i) => capacity(i + 1))) * 1_000) / SERVICE_MS;

  test.each<[string, (inSystem: number) => number, number, number]>([
    ['becomes slower above 7 at once', (n) => n / (1 + 0.02 * n * (n - 1)), 5, 9],
    ['becomes slower above 14 at once', (n) => n / (1 + 0.05 * (n - 1) + 0.005 * n * (n - 1)), 9, 18],
    ['takes five times as long above 6 at once', (n) => (n <= 6 ? n : 6 / 5), 5, 6],
    ['takes five times as long above 12 at once', (n) => (n <= 12 ? n : 12 / 5), 10, 12],
    ['bears as many as there may be', (n) => n, 32, 32],
  ])('%s', (_what, capacity, lowest, highest) => {
    const { perSecond, settled } = run(withCapacity(capacity), load);
    expect(perSecond).toBeGreaterThan(0.95 * best(capacity));
    expect(mean(settled)).toBeGreaterThanOrEqual(lowest);
    expect(mean(settled)).toBeLessThanOrEqual(highest);
  });

  test('is slowed down fivefold every other two minutes by what others do', () => {
    const isSlow = (nowMs: number): boolean => nowMs % (4 * MINUTE) >= 2 * MINUTE;
    const server = { ...withWorkers(8), speed: (_n: number, nowMs: number) => (isSlow(nowMs) ? 0.2 : 1) };
    const { perSecond, settled } = run(server, { forMs: 16 * MINUTE, seed: 6 });
    expect(perSecond).toBeGreaterThan((0.95 * 0.6 * 8 * 1_000) / SERVICE_MS);
    expect(Math.min(...settled)).toBeGreaterThanOrEqual(7);
    expect(mean(settled)).toBeLessThanOrEqual(16);
  });

  test('answers reads, small and large Bundles in any mixture', () => {
    const server: QueueingServer = {
      workers: 8,
      speed: () => 1,
      request: (random) => {
        const which = random();
        if (which < 0.5) return { kind: 'read', serviceMs: 10 * noise(random, 0.5) };
        if (which < 0.9) return { kind: 'bundle 13', serviceMs: 200 * noise(random, 0.3) };
        return { kind: 'bundle 16', serviceMs: 1_200 * noise(random, 0.3) };
      },
    };
    const meanMs = 0.5 * 10 + 0.4 * 200 + 0.1 * 1_200;
    const { perSecond, settled } = run(server, load);
    expect(perSecond).toBeGreaterThan((0.95 * 8 * 1_000) / meanMs);
    expect(mean(settled)).toBeLessThanOrEqual(16);
  });

  test('is so fast that a third of the time goes into our own work', () => {
    const { perSecond } = run(withWorkers(8, 0.3, 20), { forMs: MINUTE, seed: 5, ownMs: 10 });
    expect(perSecond).toBeGreaterThan(0.95 * 400);
  });
});

test('a limit that has settled does not swing: in ten minutes it changes once on average, and never more than six times', () => {
  const moves = [2, 8, 16].flatMap((workers) =>
    SEEDS.map((seed) => changes(run(withWorkers(workers, 0.2), { forMs: 20 * MINUTE, seed }).settled)),
  );
  expect(mean(moves)).toBeLessThanOrEqual(1);
  expect(Math.max(...moves)).toBeLessThanOrEqual(6);
});

test('an EHR that gets four times as many workers is found out within two minutes, one that loses them within eight', () => {
  const forMs = 30 * MINUTE;
  // The speed of each falls as they become fewer, as if three of four workers had gone.
  const workers = (nowMs: number): number => (nowMs < 10 * MINUTE ? 4 : nowMs < 20 * MINUTE ? 16 : 4);
  const server: QueueingServer = {
    workers: Infinity,
    speed: (inSystem, nowMs) => Math.min(1, workers(nowMs) / inSystem),
    request: writes(SERVICE_MS, 0.3),
  };
  const { at } = run(server, { forMs, seed: 3 });
  expect(at(10 * MINUTE)).toBeLessThanOrEqual(8);
  expect(at(12 * MINUTE)).toBeGreaterThanOrEqual(15);
  expect(at(20 * MINUTE)).toBeLessThanOrEqual(28);
  expect(at(28 * MINUTE)).toBeLessThanOrEqual(10);
});

test('an EHR that becomes four times as slow, or as fast, with as many workers keeps its limit', () => {
  for (const factor of [0.25, 4]) {
    const server = { ...withWorkers(8, 0.2), speed: (_n: number, nowMs: number) => (nowMs < 5 * MINUTE ? 1 : factor) };
    const { settled } = run(server, { forMs: 15 * MINUTE, seed: 9 });
    expect(Math.min(...settled)).toBeGreaterThanOrEqual(8);
    expect(Math.max(...settled)).toBeLessThanOrEqual(16);
  }
});

test('an EHR that refuses above ten at once is asked for ten, and refuses seldom', () => {
  let refusals = 0;
  const server: QueueingServer = {
    ...withWorkers(16),
    refuses: (inSystem) => {
      if (inSystem >= 10) refusals += 1;
      return inSystem >= 10;
    },
  };
  const minutes = 30;
  const { settled, perSecond } = run(server, { forMs: minutes * MINUTE, seed: 4 });
  expect(mean(settled)).toBeGreaterThan(8);
  expect(Math.max(...settled)).toBeLessThanOrEqual(10);
  expect(refusals / minutes).toBeLessThan(2);
  expect(perSecond).toBeGreaterThan((0.9 * 10 * 1_000) / SERVICE_MS);
});

test('a trickle changes nothing', () => {
  for (const workers of [1, 8]) {
    const { end } = run(withWorkers(workers), { forMs: 30 * MINUTE, seed: 1, arrivals: workers === 1 ? 0.3 : 4 });
    expect(stateOf(end)).toMatchObject({ limit: 4, trial: null, because: 'untried', lastTrial: null });
  }
});
