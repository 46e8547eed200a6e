import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { gatherParts } from '../../../src/ehr/gather-parts.ts';

test('what came is there in its order, however it was cut', () => {
  const someParts = fc.array(fc.uint8Array({ maxLength: 3 }), { maxLength: 3_000 });
  fc.assert(
    fc.property(someParts, (parts) => {
      const gathered = gatherParts();
      for (const part of parts) gathered.add(part);
      expect(Buffer.from(gathered.bytes()).equals(Buffer.concat(parts))).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test('an answer that comes byte by byte is in few pieces', () => {
  const gathered = gatherParts();
  for (let n = 0; n < 1_000_000; n += 1) gathered.add(Buffer.from('a'));
  expect(gathered.count()).toBeLessThan(3_000);
  expect(gathered.bytes()).toHaveLength(1_000_000);
});
