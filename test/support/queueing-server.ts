/** Numbers in [0, 1), the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A factor of mean 1 and this coefficient of variation, log-normal. */
export function noise(random: () => number, variation: number): number {
  if (variation === 0) return 1;
  const sigma = Math.sqrt(Math.log(1 + variation ** 2));
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.exp(sigma * normal - sigma ** 2 / 2);
}

export interface QueueingServer {
  /** As many requests are worked on at once, in the order in which they came; the others queue. */
  readonly workers: number;
  /** How fast each of them is worked on: 1 as its service time says. */
  readonly speed: (inSystem: number, nowMs: number) => number;
  readonly request: (random: () => number, nowMs: number) => { readonly kind: string; readonly serviceMs: number };
  /** Refused at once, as by a 429. */
  readonly refuses?: (inSystem: number, nowMs: number) => boolean;
}

/**
 * A limiter under test: ours, a fixed limit, or another algorithm to compare with. `enter` gives what `leave` is told
 * again.
 */
export interface Limiter<Entered> {
  limit(): number;
  enter(nowMs: number): Entered;
  leave(entered: Entered, load: 'good' | 'overload', kind: string, nowMs: number): void;
}

export const fixedLimiter = (limit: number): Limiter<null> => ({
  limit: () => limit,
  enter: () => null,
  leave: () => undefined,
});

export interface SimulatedLoad {
  readonly forMs: number;
  readonly seed: number;
  /** What there is to send in a second, at random times; without it there is always something. */
  readonly arrivals?: number;
  /** What the client itself needs before each request. It counts against the limit, as work in a lane does. */
  readonly ownMs?: number;
}

export interface Served {
  /** Good answers in the second half of the time, a second. */
  readonly perSecond: number;
  /** Their mean time. */
  readonly latencyMs: number;
}

/** The speed of a server may change by itself: it is looked at so often. */
const TICK_MS = 200;
const REFUSAL_MS = 1;

/** Lets a client send through a limiter to a simulated server; `onTick` sees every fifth of a second. */
export function simulate<Entered>(
  server: QueueingServer,
  limiter: Limiter<Entered>,
  { forMs, seed, arrivals, ownMs = 0 }: SimulatedLoad,
  onTick: (nowMs: number) => void = () => undefined,
): Served {
  interface Job {
    readonly entered: Entered;
    readonly startedMs: number;
    readonly kind: string;
    leftMs: number;
  }
  const random = seeded(seed);
  let nowMs = 0;
  let waiting = arrivals === undefined ? Infinity : 0;
  let arrivesMs = arrivals === undefined ? Infinity : 0;
  let tickMs = TICK_MS;
  let answered = 0;
  let answeredMs = 0;
  const own: number[] = [];
  let refused: Job[] = [];
  let jobs: Job[] = [];

  function send(): void {
    const { kind, serviceMs } = server.request(random, nowMs);
    const isRefused = server.refuses?.(jobs.length, nowMs) === true;
    const job = { entered: limiter.enter(nowMs), startedMs: nowMs, kind, leftMs: isRefused ? REFUSAL_MS : serviceMs };
    if (isRefused) refused.push(job);
    else jobs.push(job);
  }

  /** Until something happens: the next answer, or the next moment that is known. */
  function pass(): void {
    const speed = server.speed(jobs.length, nowMs);
    const active = Math.min(jobs.length, server.workers);
    let nextMs = Math.min(tickMs, arrivesMs, own[0] ?? Infinity);
    for (const { leftMs } of refused) nextMs = Math.min(nextMs, nowMs + leftMs);
    for (let i = 0; i < active; i += 1) nextMs = Math.min(nextMs, nowMs + (jobs[i]?.leftMs ?? 0) / speed);
    for (const job of refused) job.leftMs -= nextMs - nowMs;
    jobs.forEach((job, i) => {
      if (i < active) job.leftMs -= (nextMs - nowMs) * speed;
    });
    nowMs = nextMs;
  }

  const isDone = ({ leftMs }: Job): boolean => leftMs <= 1e-6;
  function answer(): void {
    const [done, turnedAway] = [jobs.filter(isDone), refused.filter(isDone)];
    if (done.length > 0) jobs = jobs.filter((job) => !isDone(job));
    if (turnedAway.length > 0) refused = refused.filter((job) => !isDone(job));
    for (const { entered, kind } of turnedAway) limiter.leave(entered, 'overload', kind, nowMs);
    for (const { entered, kind, startedMs } of done) {
      limiter.leave(entered, 'good', kind, nowMs);
      if (nowMs < forMs / 2) continue;
      answered += 1;
      answeredMs += nowMs - startedMs;
    }
  }

  while (nowMs < forMs) {
    while (waiting > 0 && jobs.length + refused.length + own.length < limiter.limit()) {
      waiting -= 1;
      own.push(nowMs + ownMs);
    }
    while ((own[0] ?? Infinity) <= nowMs) {
      own.shift();
      send();
    }
    pass();
    answer();
    if (nowMs >= arrivesMs) {
      waiting += 1;
      arrivesMs = nowMs - (Math.log(1 - random()) * 1_000) / (arrivals ?? 1);
    }
    if (nowMs >= tickMs) {
      onTick(nowMs);
      tickMs += TICK_MS;
    }
  }
  return { perSecond: (answered * 2_000) / forMs, latencyMs: answeredMs / Math.max(1, answered) };
}
