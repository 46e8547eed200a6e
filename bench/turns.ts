import { median, round } from './figure.ts';

/** What one round of one side took. */
export interface Round {
  readonly perSecond: number;
  readonly cpuUs: number;
}

type Sides<Name extends string, Taken extends Round> = Readonly<Record<Name, () => Promise<Taken>>>;

const WARM_ROUNDS_MIN = 2;
const WARM_ROUNDS_MAX = 8;
/** A round that takes nearly as much CPU as the one before it: the compilers have come to rest. */
const RESTS_AT = 0.95;

/** Rounds that do not count, until the compilers of that side rest. */
async function warm(takeRound: () => Promise<Round>): Promise<void> {
  let before = Infinity;
  for (let n = 0; n < WARM_ROUNDS_MAX; n += 1) {
    const { cpuUs } = await takeRound();
    if (n + 1 >= WARM_ROUNDS_MIN && cpuUs >= before * RESTS_AT) return;
    before = cpuUs;
  }
}

/**
 * Every side warm, then so many rounds of all of them in turns, the other way round every second time: what else the
 * machine does falls on all alike, and nobody is always first.
 */
export async function takeTurns<Name extends string, Taken extends Round>(
  sides: Sides<Name, Taken>,
  rounds: number,
): Promise<Readonly<Record<Name, readonly Taken[]>>> {
  const names = Object.keys(sides) as Name[];
  const taken = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Taken[]>;
  for (const name of names) await warm(sides[name]);
  for (let n = 0; n < rounds; n += 1)
    for (const name of n % 2 === 0 ? names : names.toReversed()) taken[name].push(await sides[name]());
  return taken;
}

/** The ratio of each round, and what half of them lie between. */
export interface Paired {
  readonly ratio: number;
  readonly spread: string;
}

export function pair(ours: readonly number[], theirs: readonly number[]): Paired {
  const ratios = ours.map((one, n) => one / (theirs[n] ?? NaN)).sort((a, b) => a - b);
  const at = (share: number): number => round(ratios[Math.floor((ratios.length - 1) * share)] ?? NaN);
  return { ratio: round(median(ratios)), spread: `${at(0.25)} to ${at(0.75)} in half of ${ratios.length} rounds` };
}

export const rateOf = (rounds: readonly Round[]): readonly number[] => rounds.map(({ perSecond }) => perSecond);
export const cpuOf = (rounds: readonly Round[]): readonly number[] => rounds.map(({ cpuUs }) => cpuUs);
