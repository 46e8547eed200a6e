import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { verifyAudit } from '../../../src/audit/index.ts';
import { sourceOf } from '../../support/memory-audit.ts';
import { aWrittenLog, CHAINS, copyOf, EACH, MUTATIONS } from '../../support/mutated-audit.ts';
import { howMany } from '../../support/how-much.ts';

const COUNT = howMany(1_000, 10_000);
const NAMES = Object.keys(MUTATIONS);

test(`of ${COUNT} single mutations each is found, and the first bad record is named`, async () => {
  const log = await aWrittenLog();
  const counts = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...NAMES),
      fc.record({
        chain: fc.constantFrom(...CHAINS),
        at: fc.nat(EACH - 1),
        other: fc.nat(EACH - 1),
        bit: fc.nat(10_000),
      }),
      async (name, chosen) => {
        const rows = copyOf(log);
        const first = MUTATIONS[name]?.(rows, chosen, log) ?? null;
        const { sound, flaw } = await verifyAudit(sourceOf(rows), log.key, log.anchored.slice(-1));
        expect([name, sound]).toEqual([name, false]);
        if (first !== null) expect([name, flaw?.chain, flaw?.seq]).toEqual([name, first.chain, first.seq]);
        counts.set(name, (counts.get(name) ?? 0) + 1);
      },
    ),
    { numRuns: COUNT },
  );
  expect([...counts.keys()].sort()).toEqual([...NAMES].sort());
}, 240_000);
