import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { StartError, systemClock, type Chance, type Fault } from '../../../../src/kernel/index.ts';
import { HEAD_BYTES, type BlockPlace } from '../../../../src/store/sqlite/journal/format.ts';
import {
  emptyJournalFiles,
  journalNames,
  makeJournalFiles,
} from '../../../../src/store/sqlite/journal/journal-names.ts';
import { openJournal, type Journal, type JournalLimits } from '../../../../src/store/sqlite/journal/make-journal.ts';
import { openJournalReader } from '../../../../src/store/sqlite/journal/read-journal.ts';
import { makeVault } from '../../../../src/store/vault.ts';
import { eventually } from '../../../support/eventually.ts';
import { howMany } from '../../../support/how-much.ts';

const vault = makeVault({ data: [new Uint8Array(32).fill(1)], pseudonym: new Uint8Array(32).fill(2) });
const STORE = 'store-1';
const ALL = { count: Infinity, bytes: Infinity, through: Infinity };

let folder: string;
let database: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chartgate-journal-'));
  database = join(folder, 'chartgate.db');
  makeJournalFiles(database);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(carried: number, limits: Partial<JournalLimits> = {}, chance: Chance = randomBytes, at = database) {
  const told = { faults: [] as (Fault | null)[], broken: [] as unknown[], durable: 0 };
  const journal = openJournal({
    database: at,
    store: STORE,
    vault,
    chance,
    clock: systemClock,
    carried,
    onDurable: () => void (told.durable += 1),
    onFault: (fault) => void told.faults.push(fault),
    onBroken: (thrown) => void told.broken.push(thrown),
    limits,
  });
  return { journal, told };
}

/** What a start would find behind a place. */
function findAfter(place: number, at = database): { readonly place: number; readonly args: unknown }[] {
  const reader = openJournalReader(at, vault, STORE);
  try {
    return reader
      .blocksAfter(place)
      .flatMap((block) => reader.read(block).entries)
      .filter((entry) => entry.place > place)
      .map((entry) => ({ place: entry.place, args: entry.args }));
  } finally {
    reader.close();
  }
}

const placeOf = async (journal: Journal, args: unknown): Promise<number> => {
  const appended = await journal.append('a.command', args);
  if (!appended.ok) throw new Error(appended.fault.code);
  return appended.value;
};

test('when nothing more is journaled the files are emptied, though other batches go on', async () => {
  const { journal } = open(0, { idleMs: 60 });
  await placeOf(journal, { n: 1 });
  journal.carriedOut(journal.take(ALL));
  const other = setInterval(() => journal.carriedOut([]), 10);
  try {
    const sizes = () => journalNames(database).map((file) => statSync(file).size);
    expect(await eventually(sizes, (found) => found.every((size) => size === 0))).toEqual([0, 0]);
  } finally {
    clearInterval(other);
    await journal.close();
  }
});

test('what was acknowledged is found by the next start, in its order, until it is carried out', async () => {
  const { journal } = open(41);
  expect(await Promise.all(['a', 'b', 'c'].map((args) => placeOf(journal, args)))).toEqual([42, 43, 44]);
  expect(await placeOf(journal, 'd')).toBe(45);
  expect(findAfter(41).map(({ args }) => args)).toEqual(['a', 'b', 'c', 'd']);
  expect(findAfter(44)).toEqual([{ place: 45, args: 'd' }]);
  expect(findAfter(45)).toEqual([]);
  await journal.finish();
  journal.carriedOut(journal.take(ALL));
  await journal.close();
  expect(findAfter(45)).toEqual([]);
  expect(journalNames(database).map((file) => statSync(file).size)).toEqual([0, 0]);
});

test('whatever comes together is made durable together', async () => {
  const { journal, told } = open(0);
  await Promise.all(Array.from({ length: 50 }, (_, n) => placeOf(journal, n)));
  expect(told.durable).toBe(1);
  await journal.close();
});

test('a file is used again when all that stands in it is carried out, and never before', async () => {
  const { journal } = open(0, { fileBytes: 2_000 });
  const held: BlockPlace[] = [];
  for (let n = 0; n < 30; n += 1) await placeOf(journal, 'x'.repeat(500));
  held.push(...journal.take(ALL));
  // Both are full, and nothing may be written over: the one at hand grows.
  expect(findAfter(0)).toHaveLength(30);
  expect(new Set(held.map(({ file }) => file)).size).toBe(2);
  journal.carriedOut(held);
  await placeOf(journal, 'again');
  expect(findAfter(30)).toEqual([{ place: 31, args: 'again' }]);
  const [block] = journal.take(ALL);
  expect(block?.use).toBe(31);
  await journal.close();
});

test('nobody is acknowledged beyond what may wait; who waits too long is refused', async () => {
  const { journal } = open(0, { waitingBytes: 1_000, waitMs: 30 });
  await placeOf(journal, 'x'.repeat(2_000));
  expect(await journal.append('a.command', 'late')).toMatchObject({ ok: false, fault: { code: 'store.queue-full' } });
  const waiting = journal.append('a.command', 'in time');
  await turn();
  journal.carriedOut(journal.take(ALL));
  expect(await waiting).toEqual({ ok: true, value: 2 });
  await journal.close();
});

test('what is given back is taken again, before everything else', async () => {
  const { journal } = open(0);
  await placeOf(journal, 'a');
  const taken = journal.take(ALL);
  await placeOf(journal, 'b');
  journal.giveBack(taken);
  expect(journal.take(ALL).map(({ first }) => first)).toEqual([1, 2]);
  await journal.close();
});

test('wiped, the keys of what was in it are gone, also under load', async () => {
  const { journal } = open(0, { fileBytes: 1_000_000 });
  await placeOf(journal, 'a');
  const before = readFileSync(journalNames(database)[0]);
  // Not carried out: it must stay.
  expect(await journal.wipe()).toBe(false);
  expect(findAfter(0)).toHaveLength(1);
  await placeOf(journal, 'b');
  journal.carriedOut(journal.take(ALL));
  expect(await journal.wipe()).toBe(true);
  expect(journalNames(database).some((file) => readFileSync(file).includes(before.subarray(40, 200)))).toBe(false);
  await journal.close();
});

test('wiped twice, also what came between is gone', async () => {
  const { journal } = open(0);
  await placeOf(journal, 'of a first patient');
  // Not carried out yet, so that it is to be asked for again; another does so.
  expect(await journal.wipe()).toBe(false);
  journal.carriedOut(journal.take(ALL));
  await placeOf(journal, 'of a second patient');
  journal.carriedOut(journal.take(ALL));
  expect(await journal.wipe()).toBe(true);
  expect(findAfter(0)).toEqual([]);
  await journal.close();
});

test('what stands in a file that is to be used anew, and could not be, is wiped too', async () => {
  let isFull = false;
  const chance: Chance = (bytes) => {
    if (isFull) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
    return randomBytes(bytes);
  };
  const { journal } = open(0, { fileBytes: 600 }, chance);
  await placeOf(journal, 'x'.repeat(900));
  journal.carriedOut(journal.take(ALL));
  isFull = true;
  expect(await journal.append('a.command', 'b')).toMatchObject({ ok: false, fault: { code: 'store.full' } });
  expect(await journal.wipe()).toBe(true);
  expect(journalNames(database).map((file) => statSync(file).size)).toEqual([0, 0]);
  await journal.close();
});

test('arguments that cannot be written down fail for their caller alone', async () => {
  const { journal, told } = open(0);
  const good = journal.append('a.command', 'good');
  await expect(journal.append('a.command', { call: () => 1 })).rejects.toThrow('could not be cloned');
  expect([await good, told.broken]).toEqual([{ ok: true, value: 1 }, []]);
  await journal.close();
});

test('who finishes does not wait for those who are refused', async () => {
  const { journal } = open(0, { waitingBytes: 100, waitMs: 30 });
  await placeOf(journal, 'x'.repeat(200));
  const late = journal.append('a.command', 'late');
  await journal.finish();
  expect(await late).toMatchObject({ ok: false, fault: { code: 'store.queue-full' } });
  await journal.close();
});

test('after a disk that was full the next append stands where the failed one would have stood', async () => {
  const { journal, told } = open(0);
  await placeOf(journal, 'a');
  const [one, two] = journalNames(database);
  const whole = readFileSync(one);
  // A part of a block is on the disk, as after a write that found no room.
  writeFileSync(one, Buffer.concat([whole, whole.subarray(512, 560)]), { flag: 'r+' });
  expect(findAfter(0)).toHaveLength(1);
  await placeOf(journal, 'b');
  expect(findAfter(0).map(({ args }) => args)).toEqual(['a', 'b']);
  expect([told.broken, statSync(two).size]).toEqual([[], 0]);
  await journal.close();
});

describe('a start', () => {
  const refusal = (place: number): string => {
    try {
      findAfter(place);
      return 'none';
    } catch (thrown) {
      if (thrown instanceof StartError) return thrown.code;
      throw thrown;
    }
  };

  test('is refused where something that was acknowledged is missing in between', async () => {
    const { journal } = open(7);
    await placeOf(journal, 'a');
    await journal.close();
    expect([refusal(7), refusal(6), refusal(0)]).toEqual(['none', 'store.journal', 'store.journal']);
  });

  /** Ten blocks of one entry each, in one file. */
  async function writeTen(): Promise<{ readonly file: string; readonly blocks: readonly BlockPlace[] }> {
    const { journal } = open(0);
    for (let n = 1; n <= 10; n += 1) await placeOf(journal, n);
    const blocks = journal.take(ALL);
    journal.giveBack(blocks);
    await journal.close();
    return { file: journalNames(database)[0], blocks };
  }

  test.each([0, 4, 8, 40, 60])('is refused where byte %i of a block in the middle has changed', async (at) => {
    const { file, blocks } = await writeTen();
    const bytes = readFileSync(file);
    const changedAt = (blocks[4]?.at ?? NaN) + at;
    bytes[changedAt] = (bytes[changedAt] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    expect([refusal(0), refusal(4)]).toEqual(['store.journal', 'store.journal']);
    // It is not wanted any more.
    expect(findAfter(5).map(({ place }) => place)).toEqual([6, 7, 8, 9, 10]);
  });

  test('is refused where a file is not a journal of ours', async () => {
    const { file } = await writeTen();
    const bytes = readFileSync(file);
    writeFileSync(file, Buffer.concat([Buffer.from('something else'), bytes.subarray(14)]));
    expect(refusal(0)).toBe('store.journal');
    writeFileSync(file, Buffer.concat([Buffer.alloc(HEAD_BYTES), bytes.subarray(HEAD_BYTES)]));
    expect(refusal(0)).toBe('none');
  });

  test('asks for no key of what is carried out', async () => {
    await writeTen();
    const other = makeVault({ data: [new Uint8Array(32).fill(9)], pseudonym: new Uint8Array(32) });
    const reader = openJournalReader(database, other, STORE);
    expect(reader.blocksAfter(10)).toEqual([]);
    expect(() => reader.blocksAfter(9)).toThrow(StartError);
    reader.close();
  });

  test('takes what was acknowledged, not what was refused under the same place', async () => {
    const { journal } = open(0);
    await placeOf(journal, 'acknowledged first');
    await placeOf(journal, 'refused, although all of it is on the disk');
    await journal.close();
    const copy = join(folder, 'copy.db');
    makeJournalFiles(copy);
    const { journal: later } = open(1, {}, randomBytes, copy);
    await placeOf(later, 'acknowledged');
    await later.close();
    copyFileSync(journalNames(copy)[0], journalNames(database)[1]);
    expect(findAfter(0).map(({ args }) => args)).toEqual(['acknowledged first', 'acknowledged']);
  });

  test('is refused where the files are those of another database, or its key is missing', async () => {
    const { journal } = open(0);
    await placeOf(journal, 'a');
    await journal.close();
    expect(() => openJournalReader(database, vault, 'store-2').blocksAfter(0)).toThrow(StartError);
    const other = makeVault({ data: [new Uint8Array(32).fill(9)], pseudonym: new Uint8Array(32) });
    expect(() => openJournalReader(database, other, STORE).blocksAfter(0)).toThrow(StartError);
  });
});

/*
 * A life of a journal: entries are appended, one by one or together, some are taken, carried out or given back, it is
 * wiped; and the power fails while one more is being written, of which any part may be on the disk. The next life finds
 * what was acknowledged and not carried out, each once, in order.
 */
type Act =
  | { readonly kind: 'append'; readonly sizes: readonly number[] }
  | { readonly kind: 'take' | 'carry-out' | 'give-back' | 'wipe' };
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      sizes: fc.array(fc.nat({ max: 900 }), { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('take' as const, 'carry-out', 'carry-out', 'give-back', 'wipe') }),
  },
);
const life = fc.record({
  acts: fc.array(act, { maxLength: 14 }),
  torn: fc.nat({ max: 2_000 }),
  /** The next start is not killed before it has emptied the files. */
  isEmptied: fc.boolean(),
});

test('whatever happens, each life finds what the one before had acknowledged and not carried out', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 4 }), async (lives) => {
      for (const file of journalNames(database)) truncateSync(file);
      let carried = 0;
      let n = 0;
      for (const { acts, torn, isEmptied } of lives) {
        const { journal } = open(carried, { fileBytes: 1_500 });
        const acknowledged = new Map<number, string>();
        let taken: readonly BlockPlace[] = [];
        for (const one of acts)
          switch (one.kind) {
            case 'append': {
              const texts = one.sizes.map((size) => `${(n += 1)} ${'x'.repeat(size)}`);
              const places = await Promise.all(texts.map((text) => placeOf(journal, text)));
              places.forEach((place, i) => acknowledged.set(place, texts[i] ?? ''));
              break;
            }
            case 'take':
              taken = [...taken, ...journal.take({ ...ALL, count: 3 })];
              break;
            case 'carry-out':
              journal.carriedOut(taken);
              carried = journal.carriedPlace();
              taken = [];
              break;
            case 'give-back':
              journal.giveBack(taken);
              taken = [];
              break;
            case 'wipe':
              await journal.wipe();
          }
        const places = [...acknowledged.keys()];
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        // The files as they are after the power has gone while one more was written.
        const copy = join(folder, 'copy.db');
        const sizes = journalNames(database).map((file) => readFileSync(file));
        const last = journal.append('a.command', `${n} never acknowledged`);
        await last;
        for (const [i, to] of journalNames(copy).entries()) {
          const from = journalNames(database)[i] ?? '';
          const [was = Buffer.alloc(0), is] = [sizes[i], readFileSync(from)];
          const changedAt = is.findIndex((byte, at) => byte !== was[at]);
          copyFileSync(from, to);
          if (changedAt >= 0) {
            const upTo = Math.min(is.length, changedAt + torn);
            writeFileSync(to, Buffer.concat([is.subarray(0, upTo), was.subarray(upTo)]));
          }
        }
        const found = findAfter(carried, copy);
        const wanted = [...acknowledged].filter(([place]) => place > carried);
        expect(found.slice(0, wanted.length)).toEqual(wanted.map(([place, args]) => ({ place, args })));
        expect(found.length - wanted.length).toBeLessThanOrEqual(1);
        await journal.close();
        // A start carries out what it finds.
        carried = findAfter(carried).at(-1)?.place ?? carried;
        if (isEmptied) emptyJournalFiles(database);
      }
    }),
    { numRuns: howMany(60, 1_000) },
  );
});
