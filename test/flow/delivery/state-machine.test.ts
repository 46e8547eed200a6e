import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLACES } from '../../support/new-store.ts';
import { drawPrograms } from './machine/draw-program.ts';
import { playProgram } from './machine/play-program.ts';
import type { Program } from './machine/program.ts';
import { reportOf } from './machine/report.ts';
import { runCases } from './rig.ts';
import { howMany } from '../../support/how-much.ts';

/*
 * Whatever an EHR is like, whatever its clinicians, the network and the source do, and in whatever order: after it has
 * come to rest the chart holds each document once, in its newest version, and nothing that a person wrote is lost.
 *
 * DELIVERY_SEED and DELIVERY_RUNS choose what is played; `node test/chaos/delivery-machine.ts` plays one program of a
 * seed alone, and makes it smaller.
 */
const setting = (name: string, standard: number): number => Number(process.env[name] ?? standard);
const SEED = setting('DELIVERY_SEED', 783_611);
const COUNT = setting('DELIVERY_RUNS', howMany(8, 48));
const RUNS: Readonly<Record<string, number>> = {
  sqlite: COUNT,
  postgres: COUNT / 4,
};
const AT_ONCE: Readonly<Record<string, number>> = { sqlite: 6, postgres: 2 };
/** Tells long from for ever. */
const MOST_MS = COUNT * 60_000;

interface Done {
  readonly played: number;
  readonly failed: readonly string[];
}

/** One program after the other, a few at once. */
async function play(engine: string, makePlace: (typeof PLACES)[number][1]): Promise<Done> {
  const programs = [...drawPrograms(SEED, Math.ceil(RUNS[engine] ?? 1)).entries()];
  const results = await runCases(programs, AT_ONCE[engine] ?? 1, async ([at, program]: [number, Program]) => {
    const done = await playProgram(program, makePlace).catch((thrown: unknown) => thrown as Error);
    return done instanceof Error || done.violations.length > 0
      ? `seed ${SEED}, program ${at}\n${reportOf(program, done)}`
      : null;
  });
  return {
    played: programs.length,
    failed: [...results.values()].flatMap((report) => (report === null ? [] : [String(report)])),
  };
}

const playing = new Map<string, Promise<Done>>();
beforeAll(() => {
  for (const [engine, makePlace] of PLACES) playing.set(engine, play(engine, makePlace));
});
afterAll(async () => {
  await Promise.all(playing.values());
}, MOST_MS);

describe.each(PLACES)('any EHR and any sequence of acts, on %s', (engine, _makePlace) => {
  test(
    `one document has one effect, in one chart, and no person's edit is lost (DELIVERY_SEED=${SEED})`,
    async () => {
      const { played, failed } = (await playing.get(engine)) ?? { played: 0, failed: [] };
      expect(played).toBeGreaterThan(0);
      if (failed.length > 0) throw new Error(`${failed.length} of ${played} programs:\n\n${failed.join('\n\n')}`);
    },
    MOST_MS,
  );
});
