import { readNote } from '../../src/audit/index.ts';
import type { StoredRecord } from '../../src/audit/commands.ts';
import { leafOf, linkOf } from '../../src/audit/record.ts';
import { aDraft, makeMemoryAudit, type AuditRows } from './memory-audit.ts';

export const CHAINS = ['ins_a.0', 'ins_b.0', 'ins_c.0'] as const;
export const EACH = 8;

type Log = ReturnType<typeof makeMemoryAudit>;

/** Three processes, one after the other, with a checkpoint now and then. */
export async function aWrittenLog(): Promise<Log> {
  const log = makeMemoryAudit();
  let n = 0;
  for (const chain of CHAINS) {
    log.start(chain);
    for (let i = 0; i < EACH; i += 1) {
      n += 1;
      log.append(
        aDraft(
          n,
          i % 3 === 0
            ? { toSeal: { chart: `p${i}`, query: 'Observation?patient=p' }, client: 'app', type: 'fhir.search' }
            : {},
        ),
      );
      if (n % 9 === 0) await log.checkpoint();
    }
  }
  await log.checkpoint();
  return log;
}

export const copyOf = ({ rows }: Log): AuditRows => ({
  chains: [...rows.chains],
  checkpoints: [...rows.checkpoints],
  records: new Map([...rows.records].map(([chain, list]) => [chain, [...list]])),
});
export const listOf = (rows: AuditRows, chain: string): StoredRecord[] => rows.records.get(chain) ?? [];

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

export interface Chosen {
  readonly chain: string;
  readonly at: number;
  readonly other: number;
  readonly bit: number;
}

type Mutate = (rows: AuditRows, chosen: Chosen, log: Log) => { chain: string; seq: number } | null;

const change = (rows: AuditRows, { chain, at }: Chosen, make: (one: StoredRecord) => StoredRecord) => {
  const list = listOf(rows, chain);
  const one = list[at];
  if (one === undefined) throw new Error('no such record');
  list[at] = make(one);
  return { chain, seq: at + 1 };
};

/** Each names the first record that is no longer right; null where nobody without the original could name it. */
export const MUTATIONS: Readonly<Record<string, Mutate>> = {
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
  'flip a bit of a leaf': (rows, c) =>
    change(rows, c, (one) => ({ ...one, leaf: flip(one.leaf ?? new Uint8Array(32), c.bit) })),
  'flip a bit of a link': (rows, c) => change(rows, c, (one) => ({ ...one, link: flip(one.link, c.bit) })),
  'edit a column that is searched by': (rows, c) =>
    change(rows, c, (one) => ({
      ...one,
      columns: one.columns === null ? null : { ...one.columns, patient: 'somebody' },
    })),
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
  'go back to an older copy': (rows, { at }, log) => {
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
