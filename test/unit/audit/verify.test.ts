import { beforeAll, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { parseVerifyingKey, readNote, verifyAudit, type Flaw } from '../../../src/audit/index.ts';
import type { StoredRecord } from '../../../src/audit/commands.ts';
import { firstLink, leafOf, linkOf } from '../../../src/audit/record.ts';
import { aDraft, auditKey, makeMemoryAudit, memoryVault, sourceOf, type AuditRows } from '../../support/memory-audit.ts';

const CHAINS = ['ins_a.0', 'ins_b.0', 'ins_c.0'] as const;
const EACH = 8;

const log = makeMemoryAudit();
beforeAll(async () => {
  let n = 0;
  for (const chain of CHAINS) {
    log.start(chain);
    for (let i = 0; i < EACH; i += 1) {
      n += 1;
      log.append(
        aDraft(
          n,
          i % 3 === 0 ? { toSeal: { chart: `p${i}`, query: 'Observation?patient=p' }, client: 'app', type: 'fhir.search' } : {},
        ),
      );
      if (n % 9 === 0) await log.checkpoint();
    }
  }
  await log.checkpoint();
});

const copy = (): AuditRows => ({
  chains: [...log.rows.chains],
  checkpoints: [...log.rows.checkpoints],
  records: new Map([...log.rows.records].map(([chain, list]) => [chain, [...list]])),
});
const verify = (rows: AuditRows, anchored: readonly string[] = log.anchored.slice(-1)) =>
  verifyAudit(sourceOf(rows), log.key, anchored);

const listOf = (rows: AuditRows, chain: string): StoredRecord[] => rows.records.get(chain) ?? [];

/** Makes the rest of a chain fit again, as whoever knows the rules would. */
function rechain(rows: AuditRows, chain: string): void {
  let link = rows.chains.find((one) => one.chain === chain)?.firstLink ?? new Uint8Array(32);
  const list = listOf(rows, chain).map((one) => {
    const leaf = leafOf(one.record);
    link = linkOf(link, leaf);
    return { ...one, leaf, link };
  });
  rows.records.set(chain, list);
}

const flip = (bytes: Uint8Array, bit: number): Buffer => {
  const out = Buffer.from(bytes);
  const at = bit % (out.length * 8);
  out[at >> 3] = (out[at >> 3] ?? 0) ^ (1 << (at & 7));
  return out;
};

/** Exchanges one character of a text for another. */
const retouch = (text: string, at: number): string => {
  const i = at % text.length;
  return `${text.slice(0, i)}${text.charAt(i) === 'x' ? 'y' : 'x'}${text.slice(i + 1)}`;
};

interface Chosen {
  readonly chain: string;
  readonly at: number;
  readonly other: number;
  readonly bit: number;
}

type Mutate = (rows: AuditRows, chosen: Chosen) => { chain: string; seq: number } | null;

const change = (rows: AuditRows, { chain, at }: Chosen, make: (one: StoredRecord) => StoredRecord) => {
  const list = listOf(rows, chain);
  const one = list[at];
  if (one === undefined) throw new Error('no such record');
  list[at] = make(one);
  return { chain, seq: at + 1 };
};

/** Each names the first record that is no longer right; null where nobody without the original could name it. */
const MUTATIONS: Readonly<Record<string, Mutate>> = {
  'edit the text': (rows, c) => change(rows, c, (one) => ({ ...one, record: retouch(one.record, c.bit) })),
  'edit the text and its leaf': (rows, c) =>
    change(rows, c, (one) => {
      const record = retouch(one.record, c.bit);
      return { ...one, record, leaf: leafOf(record) };
    }),
  'edit and recompute every hash': (rows, c) => {
    change(rows, c, (one) => ({ ...one, record: one.record.replace('"outcome":"0"', '"outcome":"4"') }));
    rechain(rows, c.chain);
    return null;
  },
  'flip a bit of a leaf': (rows, c) => change(rows, c, (one) => ({ ...one, leaf: flip(one.leaf ?? new Uint8Array(32), c.bit) })),
  'flip a bit of a link': (rows, c) => change(rows, c, (one) => ({ ...one, link: flip(one.link, c.bit) })),
  'edit a column that is searched by': (rows, c) =>
    change(rows, c, (one) => ({ ...one, columns: one.columns === null ? null : { ...one.columns, patient: 'somebody' } })),
  delete: (rows, { chain, at }) => {
    listOf(rows, chain).splice(at, 1);
    return { chain, seq: at + 1 };
  },
  'delete and close the gap': (rows, { chain, at }) => {
    const list = listOf(rows, chain);
    list.splice(at, 1);
    rows.records.set(
      chain,
      list.map((one, i) => ({ ...one, seq: i + 1 })),
    );
    rechain(rows, chain);
    return null;
  },
  insert: (rows, { chain, at }) => {
    const list = listOf(rows, chain);
    const one = list[at];
    if (one === undefined) throw new Error('no such record');
    list.splice(at, 0, { ...one });
    rows.records.set(
      chain,
      list.map((each, i) => ({ ...each, seq: i + 1 })),
    );
    return null;
  },
  'insert beside the chains': (rows, { at, chain }) => {
    const one = listOf(rows, chain)[at];
    if (one === undefined) throw new Error('no such record');
    rows.records.set('ins_nobody.0', [{ ...one, seq: 1 }]);
    return { chain: 'ins_nobody.0', seq: 1 };
  },
  swap: (rows, { chain, at, other }) => {
    const list = listOf(rows, chain);
    const [a, b] = [list[at], list[other === at ? (at + 1) % EACH : other]];
    if (a === undefined || b === undefined) throw new Error('no such record');
    list[a.seq - 1] = { ...b, seq: a.seq };
    list[b.seq - 1] = { ...a, seq: b.seq };
    return { chain, seq: Math.min(a.seq, b.seq) };
  },
  truncate: (rows, { chain, at }) => {
    listOf(rows, chain).splice(at);
    return { chain, seq: at + 1 };
  },
  'remove a whole chain': (rows, { chain }) => {
    rows.records.delete(chain);
    rows.chains = rows.chains.filter((one) => one.chain !== chain);
    return { chain, seq: 1 };
  },
  'edit a checkpoint': (rows, { at, bit }) => {
    const i = at % rows.checkpoints.length;
    const one = rows.checkpoints[i];
    if (one !== undefined) rows.checkpoints[i] = { ...one, note: retouch(one.note, bit) };
    return null;
  },
  'remove a checkpoint': (rows, { at }) => {
    rows.checkpoints.splice(at % rows.checkpoints.length, 1);
    return null;
  },
  'say that more is signed than is': (rows, { chain }) => {
    rows.chains = rows.chains.map((one) => (one.chain === chain ? { ...one, covered: EACH + 1 } : one));
    return { chain, seq: EACH + 1 };
  },
  'go back to an older copy': (rows, { at }) => {
    const kept = rows.checkpoints.slice(0, at % rows.checkpoints.length);
    rows.checkpoints = kept;
    const upto = new Map<string, number>();
    for (const { note } of kept) {
      const read = readNote(note, log.key);
      if ('checkpoint' in read) for (const { chain, seq } of read.checkpoint.heads) upto.set(chain, seq);
    }
    rows.chains = rows.chains.filter(({ chain }) => upto.has(chain));
    rows.records = new Map([...upto].map(([chain, seq]) => [chain, listOf(rows, chain).slice(0, seq)]));
    return null;
  },
};

const NAMES = Object.keys(MUTATIONS);

test('a log as it was written is sound, to its last record', async () => {
  expect(await verify(copy())).toMatchObject({
    sound: true,
    flaw: null,
    records: CHAINS.length * EACH,
    proven: CHAINS.length * EACH,
  });
});

test('of 10,000 single mutations each is found, and the first bad record is named', async () => {
  const counts = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...NAMES),
      fc.record({ chain: fc.constantFrom(...CHAINS), at: fc.nat(EACH - 1), other: fc.nat(EACH - 1), bit: fc.nat(10_000) }),
      async (name, chosen) => {
        const rows = copy();
        const first = MUTATIONS[name]?.(rows, chosen) ?? null;
        const { sound, flaw } = await verify(rows);
        expect([name, sound]).toEqual([name, false]);
        if (first !== null) expect([name, flaw?.chain, flaw?.seq]).toEqual([name, first.chain, first.seq]);
        counts.set(name, (counts.get(name) ?? 0) + 1);
      },
    ),
    { numRuns: 10_000 },
  );
  expect([...counts.keys()].sort()).toEqual([...NAMES].sort());
}, 240_000);

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
    for (const note of [`${lines.slice(0, -1).join('\n')}\n`, `${[...lines.slice(0, -2), lines.at(-1)].join('\n')}\n`]) {
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
        // A crash is the end of a run after any step: what was committed stays, what was about to be anchored may not be.
        often.start(`ins_${String(often.rows.chains.length).padStart(5, '0')}.0`);
        for (const step of steps) {
          n += 1;
          if (step === 'append') often.append(aDraft(n));
          else await often.checkpoint(step);
        }
      },
    ),
    { numRuns: 1_000 },
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
