import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { firstStep, nextStep, type Crew, type CrewAct, type CrewEvent } from '../../../src/workers/crew.ts';

/** Carries a crew through events and collects what it is to do. */
function play(wanted: number, events: readonly CrewEvent[]): { readonly crew: Crew; readonly acts: CrewAct[] } {
  let { crew, acts } = firstStep(wanted);
  const all = [...acts];
  for (const event of events) {
    ({ crew, acts } = nextStep(crew, event));
    all.push(...acts);
  }
  return { crew, acts: all };
}
const started = (worker: number): CrewEvent => ({ kind: 'started', worker, atMs: 0 });
const serving = (worker: number, atMs = 0): CrewEvent => ({ kind: 'serving', worker, atMs });
const ended = (worker: number, code: number, atMs = 0): CrewEvent => ({ kind: 'ended', worker, code, atMs });
const begun = [started(1), serving(1), started(2), started(3), serving(2), serving(3)];

test('the others start once the first one serves', () => {
  expect(play(3, [started(1)]).acts).toEqual([{ kind: 'start', afterMs: 0 }]);
  expect(play(3, [started(1), serving(1)]).acts).toHaveLength(3);
  expect(play(3, begun).acts).toHaveLength(3);
});

test('a first one that cannot start ends the whole with its code', () => {
  expect(play(3, [started(1), ended(1, 78)]).acts).toContainEqual({ kind: 'end', code: 78 });
});

test('one that ends is started again, later each time, and soon after it had served for long', () => {
  const waits = (events: readonly CrewEvent[]): number[] =>
    play(3, [...begun, ...events]).acts.flatMap((act) =>
      act.kind === 'start' && act.afterMs > 0 ? [act.afterMs] : [],
    );
  expect(waits([ended(3, 70), started(4), ended(4, 70), started(5), ended(5, 69)])).toEqual([500, 1_000, 2_000]);
  expect(waits([ended(3, 70), started(4), serving(4, 0), ended(4, 70, 60_000)])).toEqual([500, 500]);
  const many = Array.from({ length: 20 }, (_, n) => [started(n + 4), ended(n + 4, 70)]).flat();
  expect(Math.max(...waits([ended(3, 70), ...many]))).toBe(30_000);
});

test('where none serves and one cannot start, the whole ends with that code', () => {
  const { acts } = play(2, [
    started(1),
    serving(1),
    started(2),
    serving(2),
    ended(1, 70),
    ended(2, 70),
    started(3),
    ended(3, 69),
  ]);
  expect(acts.at(-1)).toEqual({ kind: 'end', code: 69 });
});

test('a stop ends all and starts none, and one that came to no good end is told of', () => {
  const stopped = play(3, [...begun, { kind: 'stop' }, ended(1, 0), ended(2, 0), ended(3, 0)]);
  expect(stopped.acts.slice(3)).toEqual([{ kind: 'stop' }, { kind: 'end', code: 0 }]);
  const failed = play(3, [...begun, { kind: 'stop' }, ended(1, 0), ended(2, 74), ended(3, 0)]);
  expect(failed.acts.at(-1)).toEqual({ kind: 'end', code: 74 });
});

test('whatever happens, as many run or are about to as were wanted, or the end has come', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.record({ pick: fc.nat(99), code: fc.constantFrom(0, 69, 70, 78), isStop: fc.nat(30) }), {
        maxLength: 60,
      }),
      (wanted, moves) => {
        let { crew, acts } = firstStep(wanted);
        const waiting: CrewAct[] = [...acts];
        let [number, ends, hasServed] = [0, 0, false];
        const step = (event: CrewEvent): void => {
          ({ crew, acts } = nextStep(crew, event));
          for (const act of acts)
            if (act.kind === 'start') waiting.push(act);
            else if (act.kind === 'end') ends += 1;
        };
        for (const { pick, code, isStop } of moves) {
          const [one] = [...crew.members.keys()].slice(pick % Math.max(1, crew.members.size));
          if (isStop === 0) step({ kind: 'stop' });
          else if (pick % 3 === 0 && crew.end === null && waiting.shift() !== undefined) step(started((number += 1)));
          else if (one !== undefined && pick % 3 === 1 && crew.members.get(one)?.state === 'starting') {
            hasServed = true;
            step(serving(one));
          } else if (one !== undefined && pick % 3 === 2) step(ended(one, code));
          if (crew.end === null) expect(crew.members.size + crew.due).toBe(hasServed ? wanted : 1);
          else expect(ends > 0).toBe(crew.members.size === 0);
        }
      },
    ),
  );
});
