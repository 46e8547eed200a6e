import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pickNext, WINDOW } from '../../delivery/pick-next.ts';
import { makeSchedule, type Due } from '../../simulation/schedule.ts';

const due = fc.record({ at: fc.integer({ min: 0, max: 20 }), user: fc.constantFrom('a', 'b', 'c') });

test('whatever the order of adding, everything comes once, by time and user, and what is of one user and time comes together', () => {
  fc.assert(
    fc.property(fc.array(due), (given) => {
      const schedule = makeSchedule();
      given.forEach(({ at, user }, i) => schedule.add({ at, user, what: { kind: 'profile', request: String(i) } }));
      const taken: Due[][] = [];
      for (let next = schedule.take(); next.length > 0; next = schedule.take()) taken.push([...next]);
      expect(schedule.nextAt()).toBeNull();
      const names = taken.map(([first]) => `${String(first?.at).padStart(3, '0')} ${first?.user ?? ''}`);
      expect(names).toEqual([...new Set(names)].sort());
      const requests = taken.flat().map(({ what }) => (what.kind === 'profile' ? what.request : ''));
      expect(requests.toSorted()).toEqual(given.map((_, i) => String(i)).toSorted());
    }),
  );
});

test('the next delivery is one of the first few, the same for the same seed and turn, and not always the first', () => {
  fc.assert(
    fc.property(fc.integer(), fc.nat(), fc.integer({ min: 1, max: 1_000 }), (seed, turn, waiting) => {
      const next = pickNext(seed, turn, waiting);
      expect(next).toBe(pickNext(seed, turn, waiting));
      expect(next).toBeLessThan(Math.min(WINDOW, waiting));
      expect(next).toBeGreaterThanOrEqual(0);
    }),
  );
  expect(new Set(Array.from({ length: 200 }, (_, turn) => pickNext(1, turn, 100))).size).toBe(WINDOW);
});
