import { describe, expect, test } from '@jest/globals';
import type { Dropped } from '../../../src/audit/commands.ts';
import { verifyAudit, type Verified } from '../../../src/audit/index.ts';
import { aDraft, auditKey, makeMemoryAudit, sourceOf } from '../../support/memory-audit.ts';

/*
 * Checkpoint 1 covers a.0 to its record 5, checkpoint 2 to its record 8 and b.0 to its record 2, checkpoint 3 b.0 to
 * its record 4. Checkpoint 4 names the export of everything up to checkpoint 2.
 */
async function exportedLog(key = auditKey(7)) {
  const log = makeMemoryAudit(key);
  let n = 0;
  const append = (count: number): void => {
    for (let i = 0; i < count; i += 1) log.append(aDraft((n += 1)));
  };
  log.start('a.0');
  append(5);
  await log.checkpoint();
  append(3);
  log.start('b.0');
  append(2);
  await log.checkpoint();
  append(2);
  await log.checkpoint();
  const note = await log.nameExport(2);
  const listOf = (chain: string) => log.rows.records.get(chain) ?? [];
  /** Takes the records of each chain away up to one, and says so. */
  const drop = (upto: Readonly<Record<string, number>>): Dropped => {
    const ends = Object.entries(upto).map(([chain, seq]) => ({
      chain,
      seq,
      link: listOf(chain)[seq - 1]?.link ?? new Uint8Array(32),
    }));
    for (const { chain, seq } of ends) listOf(chain).splice(0, seq);
    return { checkpoint: 2, note, ends };
  };
  const verify = (dropped: Dropped | null): Promise<Verified> =>
    verifyAudit(sourceOf(log.rows, dropped), key, log.anchored.slice(-1));
  return { log, note, listOf, drop, verify };
}
type Rig = Awaited<ReturnType<typeof exportedLog>>;
const short = ({ flaw }: Verified): unknown[] => [flaw?.what, flaw?.chain, flaw?.seq, flaw?.checkpoint];

describe('records that a signed checkpoint says were exported may be gone', () => {
  test.each<[string, Readonly<Record<string, number>>, number]>([
    ['none of them', {}, 12],
    ['some of one chain', { 'a.0': 3 }, 9],
    ['all but the last of each chain', { 'a.0': 7, 'b.0': 1 }, 4],
    ['all of them', { 'a.0': 8, 'b.0': 2 }, 2],
  ])('%s', async (_name, upto, left) => {
    const { drop, verify } = await exportedLog();
    expect(await verify(drop(upto))).toMatchObject({
      sound: true,
      flaw: null,
      records: left,
      proven: left,
      chains: 2,
      checkpoints: 4,
      unproven: [],
      anchoredUntil: 4,
      segments: [{ upto: 2, digest: 'd'.repeat(64) }],
    });
  });

  test('and with them what named a pair', async () => {
    const { log, drop } = await exportedLog();
    const pairs = (after: unknown) =>
      Promise.resolve(after === null ? [{ tenant: 't', patient: 'p', chart: 'c' }] : []);
    const source = { ...sourceOf(log.rows, drop({ 'a.0': 8 })), pairs };
    expect((await verifyAudit(source, log.key)).flaw).toBeNull();
  });

  test('and what was written since is proven and told as ever', async () => {
    const { log, drop, verify } = await exportedLog();
    log.append(aDraft(20));
    log.append(aDraft(21));
    const { sound, proven, unproven } = await verify(drop({ 'a.0': 8, 'b.0': 2 }));
    expect([sound, proven, unproven]).toEqual([true, 2, [{ chain: 'b.0', from: 5, to: 6 }]]);
  });
});

describe('what is gone, or is not what it was, is found', () => {
  test.each<[string, (rig: Rig) => Dropped | null, unknown[]]>([
    [
      'records that nobody says were exported',
      ({ drop }) => (drop({ 'a.0': 3 }), null),
      ['record-missing', 'a.0', 1, null],
    ],
    [
      'more of them than are said to be gone',
      ({ drop, listOf }) => {
        const dropped = drop({ 'a.0': 3 });
        listOf('a.0').shift();
        return dropped;
      },
      ['record-missing', 'a.0', 4, null],
    ],
    [
      'one behind the export',
      ({ drop, listOf }) => {
        const dropped = drop({ 'a.0': 8, 'b.0': 2 });
        listOf('b.0').shift();
        return dropped;
      },
      ['record-missing', 'b.0', 3, null],
    ],
    [
      'an end behind what was signed',
      ({ drop }) => {
        const { ends, ...dropped } = drop({ 'b.0': 3 });
        return { ...dropped, ends };
      },
      ['record-missing', 'b.0', 3, 2],
    ],
    [
      'a record that is said to be gone',
      ({ drop, listOf }) => {
        const [first] = listOf('a.0');
        const dropped = drop({ 'a.0': 3 });
        if (first !== undefined) listOf('a.0').unshift(first);
        return dropped;
      },
      ['record-moved', 'a.0', 1, 2],
    ],
    [
      'an end from which the rest does not follow',
      ({ drop }) => {
        const { ends, ...dropped } = drop({ 'a.0': 3 });
        return { ...dropped, ends: ends.map((one) => ({ ...one, link: Buffer.alloc(32, 9) })) };
      },
      ['link-broken', 'a.0', 4, null],
    ],
    [
      'an end of a whole chain that is not what was signed',
      ({ drop }) => {
        const { ends, ...dropped } = drop({ 'a.0': 8 });
        return { ...dropped, ends: ends.map((one) => ({ ...one, link: Buffer.alloc(32, 9) })) };
      },
      ['rechained', 'a.0', 9, 2],
    ],
    [
      'a tree that is not the signed one',
      ({ log, drop }) => {
        const [, second] = log.rows.checkpoints;
        if (second !== undefined)
          log.rows.checkpoints[1] = { ...second, frontier: Buffer.from(second.frontier).fill(9) };
        return drop({ 'a.0': 3 });
      },
      ['root', 'a.0', null, 2],
    ],
    [
      'a tree of another size',
      ({ log, drop }) => {
        const [, second] = log.rows.checkpoints;
        if (second !== undefined) log.rows.checkpoints[1] = { ...second, frontier: second.frontier.subarray(32) };
        return drop({ 'a.0': 3 });
      },
      ['root', null, null, 2],
    ],
    [
      'an export of which the note speaks otherwise',
      ({ drop }) => ({ ...drop({}), checkpoint: 1 }),
      ['record-missing', null, null, 1],
    ],
    [
      'a note that speaks of no export',
      ({ log, drop }) => ({ ...drop({}), note: log.rows.checkpoints[0]?.note ?? '' }),
      ['record-missing', null, null, 2],
    ],
    ['a note that is none', ({ drop }) => ({ ...drop({}), note: 'exported' }), ['record-missing', null, null, 2]],
  ])('%s', async (_name, tamper, expected) => {
    const rig = await exportedLog();
    const dropped = tamper(rig);
    const verified = await rig.verify(dropped);
    expect([verified.sound, ...short(verified)]).toEqual([false, ...expected]);
  });

  test('a note of another log, though the same key signed it', async () => {
    const [ours, theirs] = [await exportedLog(), await exportedLog()];
    theirs.log.append(aDraft(99));
    const note = await theirs.log.nameExport(2);
    // As long as ours has fewer checkpoints it may be a segment that was cut before; then it is not.
    await ours.log.nameExport(1);
    const verified = await ours.verify({ ...ours.drop({}), note });
    expect([verified.sound, ...short(verified)]).toEqual([false, 'record-missing', null, null, 2]);
  });

  test('a note of another key', async () => {
    const [ours, theirs] = [await exportedLog(), await exportedLog(auditKey(8))];
    const verified = await ours.verify({ ...ours.drop({}), note: theirs.note });
    expect([verified.sound, ...short(verified)]).toEqual([false, 'record-missing', null, null, 2]);
  });

  test('in a segment the note that names it comes later than all that it holds', async () => {
    const { log, note, drop, verify } = await exportedLog();
    const dropped = drop({ 'a.0': 8, 'b.0': 2 });
    log.rows.checkpoints.pop();
    log.anchored.pop();
    expect([(await verify(dropped)).sound, note.includes('exported')]).toEqual([true, true]);
  });
});

describe('what is exported and goes while it is looked at', () => {
  /** Says at each question what is gone, and shows the records as they were before and after. */
  async function going(says: (dropped: Dropped, asked: number) => Dropped | null) {
    const { log, drop } = await exportedLog();
    const before = sourceOf({ ...log.rows, records: new Map(log.rows.records) });
    const dropped = drop({ 'a.0': 3 });
    const after = sourceOf(log.rows);
    let asked = 0;
    const source = { ...after, chains: before.chains, dropped: () => Promise.resolve(says(dropped, (asked += 1))) };
    return { verified: await verifyAudit(source, log.key), asked };
  }

  test('is no flaw: it is looked at again', async () => {
    const { verified, asked } = await going((dropped, times) => (times === 1 ? null : dropped));
    expect([verified.sound, asked]).toEqual([true, 3]);
  });

  test('is one where nothing has changed meanwhile', async () => {
    const { verified, asked } = await going(() => null);
    expect([verified.sound, verified.flaw?.what, asked]).toEqual([false, 'record-missing', 2]);
  });

  test('is one where it still does not fit at the third time', async () => {
    const { verified, asked } = await going((dropped, times) => ({
      ...dropped,
      ends: [],
      checkpoint: 2,
      note: `${times}`,
    }));
    expect([verified.sound, asked]).toEqual([false, 5]);
  });
});
