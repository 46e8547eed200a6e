import { beforeAll, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { parseVerifyingKey, verifyAudit, type Flaw } from '../../../src/audit/index.ts';
import { firstLink } from '../../../src/audit/record.ts';
import {
  aDraft,
  auditKey,
  makeMemoryAudit,
  memoryVault,
  sourceOf,
  type AuditRows,
} from '../../support/memory-audit.ts';
import { aWrittenLog, CHAINS, copyOf, EACH, listOf, MUTATIONS } from '../../support/mutated-audit.ts';
import { howMany } from '../../support/how-much.ts';

let log: Awaited<ReturnType<typeof aWrittenLog>>;
beforeAll(async () => {
  log = await aWrittenLog();
});

const copy = (): AuditRows => copyOf(log);
const verify = (rows: AuditRows, anchored: readonly string[] = log.anchored.slice(-1)) =>
  verifyAudit(sourceOf(rows), log.key, anchored);

const NAMES = Object.keys(MUTATIONS);

test('a log as it was written is sound, to its last record', async () => {
  expect(await verify(copy())).toMatchObject({
    sound: true,
    flaw: null,
    records: CHAINS.length * EACH,
    proven: CHAINS.length * EACH,
  });
});

test.each(NAMES)('whoever would %s is found out, and the first bad record is named', async (name) => {
  for (const chain of CHAINS)
    for (const at of [0, 3, EACH - 1]) {
      const rows = copy();
      const first = MUTATIONS[name]?.(rows, { chain, at, other: 5, bit: 17 }, log) ?? null;
      const { sound, flaw } = await verify(rows);
      expect([chain, at, sound]).toEqual([chain, at, false]);
      if (first !== null) expect([flaw?.chain, flaw?.seq]).toEqual([first.chain, first.seq]);
    }
});

test('what is gone is told apart from what stands in another place', async () => {
  const [first] = CHAINS;
  const after = async (tamper: (rows: AuditRows) => void): Promise<unknown> => {
    const rows = copy();
    tamper(rows);
    const { flaw } = await verify(rows);
    return [flaw?.what, flaw?.seq];
  };
  expect(await after((rows) => listOf(rows, first).splice(3, 1))).toEqual(['record-missing', 4]);
  expect(await after((rows) => listOf(rows, first).splice(3, 0, ...listOf(rows, first).slice(2, 3)))).toEqual([
    'record-moved',
    4,
  ]);
});

test('a checkpoint stands under its own number', async () => {
  const rows = copy();
  const last = rows.checkpoints.length;
  rows.checkpoints = rows.checkpoints.map((one) => (one.n === last ? { ...one, n: last + 1 } : one));
  expect((await verify(rows)).flaw).toMatchObject({ what: 'checkpoint-missing', checkpoint: last });
});

test('a chain that opens while it is looked at is asked for once more', async () => {
  const source = sourceOf(copy());
  let asked = 0;
  const opening = async () => ((asked += 1) === 1 ? (await source.chains()).slice(0, -1) : source.chains());
  expect(await verifyAudit({ ...source, chains: opening }, log.key)).toMatchObject({
    sound: true,
    chains: CHAINS.length,
  });
  expect(asked).toBe(2);
});

test('a pair that no record names is a flaw where every record is there', async () => {
  const pairs = (after: unknown) => Promise.resolve(after === null ? [{ tenant: 't', patient: 'p', chart: 'c' }] : []);
  expect((await verifyAudit({ ...sourceOf(copy()), pairs }, log.key)).flaw?.what).toBe('pairs-changed');
});

describe('what a checkpoint is worth', () => {
  test('a log that another key signed is not ours', async () => {
    const other = makeMemoryAudit(auditKey(8));
    other.start('ins_a.0');
    other.append(aDraft(1));
    await other.checkpoint();
    expect((await verifyAudit(other.source(), log.key)).flaw?.what).toBe('checkpoint-forged');
  });

  test('the public key reads from its text, and no other text does', () => {
    expect(parseVerifyingKey(log.key.text)?.text).toBe(log.key.text);
    expect(parseVerifyingKey(`${log.key.text.slice(0, -4)}AAA=`)).toBeNull();
    expect(parseVerifyingKey('nonsense')).toBeNull();
  });

  test('what follows the last checkpoint is whole and unproven; cut below a checkpoint it is a flaw', async () => {
    const crashed = makeMemoryAudit();
    crashed.start('ins_a.0');
    for (let i = 1; i <= 5; i += 1) crashed.append(aDraft(i));
    await crashed.checkpoint();
    for (let i = 6; i <= 8; i += 1) crashed.append(aDraft(i));
    const whole = await verifyAudit(crashed.source(), crashed.key, crashed.anchored);
    expect([whole.sound, whole.proven, whole.unproven]).toEqual([true, 5, [{ chain: 'ins_a.0', from: 6, to: 8 }]]);
    listOf(crashed.rows, 'ins_a.0').splice(4);
    const cut = await verifyAudit(crashed.source(), crashed.key, crashed.anchored);
    expect(cut.flaw).toEqual({ what: 'record-missing', chain: 'ins_a.0', seq: 5, checkpoint: null } satisfies Flaw);
  });
});

describe('a key that was changed', () => {
  const [first, second, third] = [auditKey(1), auditKey(2), auditKey(3)];
  async function rotatedLog() {
    const rotated = makeMemoryAudit(first);
    rotated.start('ins_a.0');
    for (const next of [second, third]) {
      rotated.append(aDraft(rotated.rows.checkpoints.length + 1));
      await rotated.checkpoint();
      rotated.append(aDraft(rotated.rows.checkpoints.length + 1));
      await rotated.rotate(next);
    }
    rotated.append(aDraft(9));
    await rotated.checkpoint();
    return rotated;
  }

  test.each([
    ['first', first],
    ['second', second],
    ['third', third],
  ])('the %s of three keys proves the whole log, and the last signer is named', async (_name, key) => {
    const rotated = await rotatedLog();
    expect(await verifyAudit(rotated.source(), key, rotated.anchored)).toMatchObject({
      sound: true,
      records: 5,
      proven: 5,
      key: third.text,
      anchoredUntil: 5,
    });
  });

  test('a key that had no part in it proves nothing', async () => {
    const rotated = await rotatedLog();
    const verified = await verifyAudit(rotated.source(), auditKey(4));
    expect([verified.sound, verified.flaw?.what]).toEqual([false, 'checkpoint-forged']);
  });

  test('who has the old key cannot write history anew for whoever knows the new one', async () => {
    const rotated = await rotatedLog();
    const forged = makeMemoryAudit(first);
    forged.start('ins_a.0');
    forged.append(aDraft(1, { outcome: '4' }));
    await forged.checkpoint();
    expect((await verifyAudit(forged.source(), third)).flaw?.what).toBe('checkpoint-forged');
    // With the true change of the key put behind it, the change does not follow it.
    const change = rotated.rows.checkpoints[1];
    if (change !== undefined) forged.rows.checkpoints.push(change);
    expect((await verifyAudit(forged.source(), third)).sound).toBe(false);
    expect((await verifyAudit(forged.source(), second)).sound).toBe(false);
  });

  test('what an old key signs after its end is forged, and a process that still has it signs nothing', async () => {
    const rotated = await rotatedLog();
    const stale = rotated.rows.checkpoints.slice(0, 2);
    const behind = makeMemoryAudit(first);
    behind.rows.checkpoints.push(...stale);
    behind.start('ins_b.0');
    behind.append(aDraft(1));
    await expect(behind.checkpoint()).rejects.toThrow('another key');
  });

  test('a change is signed by both, or it is none', async () => {
    const rotated = await rotatedLog();
    const at = rotated.rows.checkpoints.findIndex(({ note }) => note.includes('\nkey '));
    const change = rotated.rows.checkpoints[at];
    if (change === undefined) throw new Error('no change');
    const lines = change.note.trimEnd().split('\n');
    for (const note of [
      `${lines.slice(0, -1).join('\n')}\n`,
      `${[...lines.slice(0, -2), lines.at(-1)].join('\n')}\n`,
    ]) {
      const rows = { ...rotated.rows, checkpoints: rotated.rows.checkpoints.with(at, { ...change, note }) };
      for (const key of [first, second, third])
        expect((await verifyAudit(sourceOf(rows), key)).flaw?.what).toBe('checkpoint-forged');
    }
  });

  test('a tree that is not the signed one is not gone on from', async () => {
    const damaged = makeMemoryAudit();
    damaged.start('ins_a.0');
    damaged.append(aDraft(1));
    await damaged.checkpoint();
    const [one] = damaged.rows.checkpoints;
    if (one !== undefined) damaged.rows.checkpoints[0] = { ...one, frontier: Buffer.alloc(32, 5) };
    damaged.append(aDraft(2));
    await expect(damaged.checkpoint()).rejects.toThrow('damaged');
  });
});

test('a clock that was set back makes nothing false', async () => {
  const back = makeMemoryAudit();
  back.start('ins_a.0');
  for (const n of [50, 40, 30, -1_000_000]) {
    back.append(aDraft(n));
    await back.checkpoint();
  }
  expect((await verifyAudit(back.source(), back.key, back.anchored)).flaw).toBeNull();
});

test('an anchor that was cut off is told by where it ends', async () => {
  const { anchoredUntil, checkpoints, sound } = await verify(copy(), log.anchored.slice(0, 1));
  expect([sound, anchoredUntil]).toEqual([true, 1]);
  expect(checkpoints).toBeGreaterThan(1);
});

test('a fork that the same key signed is not what the anchor has, though it has as many checkpoints', async () => {
  const fork = async (last: number) => {
    const one = makeMemoryAudit();
    one.start('a.0');
    one.append(aDraft(1));
    await one.checkpoint();
    one.append(aDraft(last));
    await one.checkpoint();
    return one;
  };
  const [kept, forked] = [await fork(2), await fork(3)];
  expect((await verifyAudit(forked.source(), forked.key)).sound).toBe(true);
  const { sound, flaw } = await verifyAudit(forked.source(), forked.key, kept.anchored.slice(1));
  expect([sound, flaw?.what, flaw?.checkpoint]).toEqual([false, 'anchor-missing', 2]);
});

test('the first link of a chain stands on its name and on the end of the chain before it', () => {
  const before = Buffer.alloc(32, 5);
  const by = (name: string, end: Uint8Array): Buffer =>
    createHash('sha256')
      .update(Buffer.concat([Buffer.from(`chartgate-audit-v1\n${name}\n`), end]))
      .digest();
  expect(firstLink('a.0', before)).toEqual(by('a.0', before));
  expect(firstLink('a.0', null)).toEqual(by('a.0', Buffer.alloc(32)));
});

test('a chain whose predecessor was cut off behind its last checkpoint does not begin where that ended', async () => {
  const one = makeMemoryAudit();
  one.start('a.0');
  one.append(aDraft(1));
  await one.checkpoint();
  one.append(aDraft(2));
  one.start('b.0');
  one.append(aDraft(3));
  expect((await verifyAudit(one.source(), one.key)).sound).toBe(true);
  one.rows.records.get('a.0')?.pop();
  const { flaw } = await verifyAudit(one.source(), one.key);
  expect([flaw?.what, flaw?.chain]).toEqual(['chain-start', 'a.0']);
});

test('no false alarm over 1,000 crashes and restarts', async () => {
  const often = makeMemoryAudit();
  let n = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('append', 'append', 'append', 'anchored', 'not-anchored'), { maxLength: 6 }),
      async (steps) => {
        // A crash is the end of a run after any step: what was committed stays, what was about to be anchored may not
        // be.
        often.start(`ins_${String(often.rows.chains.length).padStart(5, '0')}.0`);
        for (const step of steps) {
          n += 1;
          if (step === 'append') often.append(aDraft(n));
          else await often.checkpoint(step);
        }
      },
    ),
    { numRuns: howMany(300, 1_000) },
  );
  const { sound, flaw, records } = await verifyAudit(often.source(), often.key, often.anchored);
  expect([sound, flaw]).toEqual([true, null]);
  expect(records).toBe([...often.rows.records.values()].flat().length);
}, 60_000);

test('nothing of a person stands in a record in clear', () => {
  const all = [...log.rows.records.values()].flat().map(({ record }) => record);
  expect(all.some((one) => one.includes('"sealed":"'))).toBe(true);
  expect(all.filter((one) => one.includes('patient=p'))).toEqual([]);
  expect(memoryVault.keyIds).toHaveLength(1);
});
