import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeBudget } from '../../../src/kernel/index.ts';
import { makeSpoolRoom, spool, type Spool } from '../../../src/source/spool.ts';

const ROOM = 1024 * 1024;
const spoolOf = (file: AsyncIterable<Uint8Array>, bytesMax?: number): Spool => spool(file, makeBudget(ROOM), bytesMax);

async function* partsOf(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(part);
}
async function take(from: AsyncIterable<Uint8Array>, count = Infinity): Promise<Buffer> {
  const taken: Uint8Array[] = [];
  for await (const part of from) {
    taken.push(part);
    if (taken.length >= count) break;
  }
  return Buffer.concat(taken);
}

describe('what was read by one is read again by the next', () => {
  const someParts = fc.array(fc.uint8Array({ minLength: 1, maxLength: 20 }), { maxLength: 12 });
  test('wherever readers stopped before', async () => {
    await fc.assert(
      fc.asyncProperty(someParts, fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }), async (parts, stops) => {
        const spooled = spoolOf(partsOf(parts));
        for (const stop of stops) await take(spooled.read(), stop);
        expect(await take(spooled.read())).toEqual(Buffer.concat(parts));
        expect(await take(spooled.read())).toEqual(Buffer.concat(parts));
        expect(spooled.isWhole()).toBe(true);
      }),
    );
  });
  test('also where one that was given up still waits', async () => {
    let give: (part: Uint8Array | null) => void = () => undefined;
    async function* slow(): AsyncGenerator<Uint8Array> {
      for (;;) {
        const part = await new Promise<Uint8Array | null>((resolve) => void (give = resolve));
        if (part === null) return;
        yield part;
      }
    }
    const spooled = spoolOf(slow());
    const first = spooled.read().next();
    const second = take(spooled.read());
    for (const part of [Buffer.from('a'), Buffer.from('b'), null]) {
      await new Promise((resolve) => setImmediate(resolve));
      give(part);
    }
    expect((await second).toString()).toBe('ab');
    expect((await first).value).toEqual(Buffer.from('a'));
  });
});

test('a document that ended in an error does so for every reader, and is never taken for whole', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(Buffer.from('a'));
    throw new Error('cut');
  }
  const spooled = spoolOf(broken());
  for (let i = 0; i < 3; i += 1) await expect(take(spooled.read())).rejects.toThrow('cut');
});

test('of what is larger than the limit nothing is held, and it is read once', async () => {
  const parts = [Buffer.alloc(6, 'a'), Buffer.alloc(4, 'b'), Buffer.alloc(1, 'c')];
  const exact = spoolOf(partsOf(parts.slice(0, 2)), 10);
  await take(exact.read());
  expect(exact.isWhole()).toBe(true);
  const larger = spoolOf(partsOf(parts), 10);
  expect(await take(larger.read())).toEqual(Buffer.concat(parts));
  expect(larger.isWhole()).toBe(false);
  await expect(take(larger.read())).rejects.toThrow('no longer held');
});

describe('all documents together', () => {
  const document = (): AsyncGenerator<Uint8Array> => partsOf([Buffer.alloc(400, 'a'), Buffer.alloc(400, 'b')]);

  test('hold no more than there is room for; who finds none goes by once, and room that is given back is used again', async () => {
    const room = makeSpoolRoom(3_000, makeBudget(ROOM));
    const spools = Array.from({ length: 4 }, () => spool(document(), room));
    for (const one of spools) expect(await take(one.read())).toHaveLength(800);
    expect(spools.map((one) => one.isWhole())).toEqual([true, true, false, false]);
    for (const one of spools) one.release();
    spools[0]?.release();
    const again = Array.from({ length: 4 }, () => spool(document(), room));
    for (const one of again) await take(one.read());
    expect(again.map((one) => one.isWhole())).toEqual([true, true, false, false]);
  });

  test('hold nothing where memory is short, and give all of it back', async () => {
    const budget = makeBudget(3_000);
    const spools = Array.from({ length: 4 }, () => spool(document(), makeSpoolRoom(ROOM, budget)));
    for (const one of spools) expect(await take(one.read())).toHaveLength(800);
    expect(spools.map((one) => one.isWhole())).toEqual([true, true, false, false]);
    expect(budget.inUse()).toBe(2 * (800 + 2 * 256));
    for (const one of spools) one.release();
    expect(budget.inUse()).toBe(0);
  });

  test('weigh more where they come byte by byte', async () => {
    const room = makeSpoolRoom(10_000, makeBudget(ROOM));
    const one = spool(partsOf(Array.from({ length: 100 }, () => Buffer.from('a'))), room);
    expect(await take(one.read())).toHaveLength(100);
    expect(one.isWhole()).toBe(false);
  });
});
