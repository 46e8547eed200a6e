import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PassThrough, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { passLines } from '../../../src/workers/pass-lines.ts';

test('lines come whole however they were cut, in their order, and the last one gets its end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.string({ maxLength: 20 }).map((text) => text.replaceAll('\n', '')),
        { minLength: 1, maxLength: 20 },
      ),
      fc.array(fc.nat(300), { maxLength: 10 }),
      async (lines, cuts) => {
        const whole = Buffer.from(lines.join('\n'));
        const places = [...new Set(cuts.map((at) => Math.min(at, whole.length))), 0, whole.length].sort(
          (a, b) => a - b,
        );
        const written: string[] = [];
        const to = new Writable({
          write(part: Buffer, _encoding, done) {
            written.push(part.toString('latin1'));
            done();
          },
        });
        const from = new PassThrough();
        passLines(from, to);
        places.slice(1).forEach((at, n) => from.write(whole.subarray(places[n], at)));
        from.end();
        await finished(from);
        expect(written.every((part) => part.endsWith('\n'))).toBe(true);
        const expected = whole.toString('latin1');
        const isOpen = expected !== '' && !expected.endsWith('\n');
        expect(written.join('')).toBe(isOpen ? `${expected}\n` : expected);
      },
    ),
  );
});
