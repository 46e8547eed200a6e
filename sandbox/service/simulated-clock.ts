import type { Clock } from '../../src/kernel/index.ts';
import type { Keep } from '../keep/index.ts';

/** A clock that can be run faster, and put forward. It goes on while the process is away, at the speed that it had. */
export interface SimulatedClock extends Clock {
  speed(): number;
  setSpeed(speed: number): void;
  advance(ms: number): void;
  /** How long a span of simulated time takes. */
  realMs(simulatedMs: number): number;
  /** Told when its speed changes, or it is put forward. */
  onChange(listener: () => void): void;
  /** Puts down where it stands. */
  keep(): void;
}

interface Kept {
  readonly simulatedMs: number;
  readonly realMs: number;
  readonly speed: number;
}

export const SPEED_MAX = 100_000;

/** `speed`: null leaves it as it was. */
export function simulateClock(real: Clock, kept: Keep, speed: number | null): SimulatedClock {
  const table = kept.table<Kept>('clock');
  const realNow = (): number => real.now().getTime();
  const past = table.get('clock');
  let origin: Kept = past ?? { simulatedMs: realNow(), realMs: realNow(), speed: 1 };
  const listeners: (() => void)[] = [];
  const nowMs = (): number => origin.simulatedMs + (realNow() - origin.realMs) * origin.speed;
  const set = (next: Kept): void => {
    origin = next;
    table.put('clock', next);
    for (const listener of listeners) listener();
  };
  const setSpeed = (next: number): void => set({ simulatedMs: nowMs(), realMs: realNow(), speed: next });
  if (speed !== null && speed !== origin.speed) setSpeed(speed);
  return {
    now: () => new Date(nowMs()),
    monotonicMs: () => real.monotonicMs() * origin.speed,
    speed: () => origin.speed,
    setSpeed,
    advance: (ms) => set({ ...origin, simulatedMs: origin.simulatedMs + ms }),
    realMs: (simulatedMs) => simulatedMs / origin.speed,
    onChange: (listener) => void listeners.push(listener),
    keep: () => setSpeed(origin.speed),
  };
}
