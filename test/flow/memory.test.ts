import { afterEach, expect, test } from '@jest/globals';
import { makeSqlitePlace, type ChaosPlace } from '../chaos/chaos-place.ts';
import { runMemory } from '../chaos/run-memory.ts';
import { howMany } from '../support/how-much.ts';

/* The short version of test/chaos/memory.ts. */

/** 64 MB alone on the machine; beside other tests the collector comes later. */
const GROWTH_MB = howMany(112, 64);

let place: ChaosPlace | undefined;
afterEach(() => place?.remove());

test('a process under load stays within its memory, and hostile JSON costs it next to nothing', async () => {
  place = makeSqlitePlace();
  const figures = await runMemory({
    place,
    seed: 1,
    plan: {
      large: { count: 8, bytes: 4.9 * 1024 * 1024 },
      offered: { perSecond: 100, seconds: 2 },
      hostile: { times: 10 },
    },
    settings: { CHARTGATE_MEMORY_MB: '512' },
  });
  expect(figures).toHaveLength(5);
  for (const { load, peakMb, answers } of figures) {
    expect([load, peakMb <= 512]).toEqual([load, true]);
    // A machine that has no time may refuse some, and nothing else.
    expect([load, Object.keys(answers).filter((status) => status !== '202' && status !== '503')]).toEqual([load, []]);
    expect([load, (answers['202'] ?? 0) > 0]).toEqual([load, true]);
  }
  for (const { load, beforeMb, peakMb } of figures.slice(2))
    expect([load, peakMb - beforeMb < GROWTH_MB]).toEqual([load, true]);
}, 300_000);
