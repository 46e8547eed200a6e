import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { makeFastClaims } from '../../../src/forward/fast-claims.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** An EHR whose places are all taken; whoever waits for one is told by `onEnded`. */
function fullHouse(exchangeMs: number | null) {
  let room = 0;
  const deps = {
    target: () => ({}),
    guard: { state: () => ({ breaker: 'closed', exchangeMs }) },
    isRunning: () => true,
    isPaused: () => false,
    room: () => room,
  } as unknown as Parameters<typeof makeFastClaims>[0];
  const { claims, onEnded } = makeFastClaims(deps);
  return {
    room: claims.room,
    end: (): void => {
      room = 1;
      onEnded();
    },
  };
}

/** What was answered within so long; null where nothing was. */
async function answeredWithin(waiting: Promise<number>, ms: number): Promise<number | null> {
  let answer: number | null = null;
  void waiting.then((given) => (answer = given));
  await jest.advanceTimersByTimeAsync(ms);
  return answer;
}

test('judging waits for an EHR that answers at once until something has ended there', async () => {
  const { room, end } = fullHouse(2);
  const waiting = room();
  expect(await answeredWithin(waiting, 400)).toBeNull();
  end();
  expect(await answeredWithin(waiting, 0)).toBe(1);
});

test('where nothing ends, judging waits for half a second at most', async () => {
  expect(await answeredWithin(fullHouse(2).room(), 500)).toBe(0);
});

test('a slow EHR, and one that was never asked, hold judging up for a moment only', async () => {
  expect(await answeredWithin(fullHouse(2_000).room(), 50)).toBe(0);
  expect(await answeredWithin(fullHouse(null).room(), 50)).toBe(0);
});
