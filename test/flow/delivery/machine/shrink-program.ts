import type { Switches } from '../../../../sandbox/index.ts';
import type { Place } from '../../../support/new-store.ts';
import type { Violation } from './judge.ts';
import { playProgram, type Played } from './play-program.ts';
import type { Program } from './program.ts';

const kindsOf = (violations: readonly Violation[]): ReadonlySet<string> => new Set(violations.map(({ kind }) => kind));

/** Every program with one act or one trait less. */
function smaller({ character, acts }: Program): Program[] {
  const traits = Object.keys(character.traits) as (keyof Switches)[];
  return [
    ...acts.map((_act, at) => ({ character, acts: acts.toSpliced(at, 1) })),
    ...(character.isBlind ? [] : traits).map((name): Program => {
      const { [name]: _gone, ...rest } = character.traits;
      return { character: { ...character, traits: rest }, acts };
    }),
  ];
}

/** A program that shows one of the same violations and of which nothing can be left out. Each step is played. */
export async function shrinkProgram(
  program: Program,
  violations: readonly Violation[],
  makePlace: () => Promise<Place>,
): Promise<{ readonly program: Program; readonly played: Played }> {
  const wanted = kindsOf(violations);
  let least = { program, played: await playProgram(program, makePlace) };
  for (;;) {
    let next: typeof least | null = null;
    for (const candidate of smaller(least.program)) {
      const played = await playProgram(candidate, makePlace);
      if (!played.violations.some(({ kind }) => wanted.has(kind))) continue;
      next = { program: candidate, played };
      break;
    }
    if (next === null) return least;
    least = next;
  }
}
