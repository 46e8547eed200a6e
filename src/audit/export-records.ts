import type { Dropped, StoredChain, StoredCheckpoint, StoredRecord } from './commands.ts';
import type { Head } from './note.ts';
import type { AuditSource } from './verify.ts';

/*
 * An export with proofs: one JSON object a line. Checkpoints come first, then chains, then records, so that an export
 * that is taken while more is written holds at least what its checkpoints cover.
 */

type End = { readonly chain: string; readonly seq: number; readonly link: string };
type Line =
  | { readonly dropped: { readonly checkpoint: number; readonly note: string; readonly ends: readonly End[] } | null }
  | {
      readonly checkpoint: number;
      readonly at: number;
      readonly records: number;
      readonly note: string;
      readonly frontier: string;
    }
  | { readonly chain: string; readonly previous: string | null; readonly firstLink: string }
  | { readonly of: string; readonly seq: number; readonly record: string; readonly link: string };

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const bytes = (text: string): Buffer => Buffer.from(text, 'base64');

const ofCheckpoint = (c: StoredCheckpoint): Line => ({
  checkpoint: c.n,
  at: c.atMs,
  records: c.records,
  note: c.note,
  frontier: base64(c.frontier),
});
const ofDropped = (d: Dropped | null): Line => ({
  dropped: d === null ? null : { ...d, ends: d.ends.map((end) => ({ ...end, link: base64(end.link) })) },
});
const ofChain = (c: StoredChain): Line => ({ chain: c.chain, previous: c.previous, firstLink: base64(c.firstLink) });
const ofRecord =
  (chain: string) =>
  (r: StoredRecord): Line => ({ of: chain, seq: r.seq, record: r.record, link: base64(r.link) });

/** Where an export goes on: at a checkpoint, with the chains, or behind a record of a chain. */
export type ExportPlace =
  | { readonly at: 'checkpoints'; readonly after: number }
  | { readonly at: 'chains' }
  | { readonly at: 'records'; readonly chain: string; readonly after: number };

export const EXPORT_START: ExportPlace = { at: 'checkpoints', after: 0 };

/** A part of the export and where the next one begins; null at the end. */
export async function exportPart(
  source: AuditSource,
  from: ExportPlace,
  limit: number,
): Promise<{ readonly lines: readonly Line[]; readonly next: ExportPlace | null }> {
  if (from.at === 'checkpoints') {
    const head: Line[] = from.after === 0 ? [ofDropped(await source.dropped())] : [];
    const page = await source.checkpoints(from.after, limit);
    const last = page.at(-1);
    return {
      lines: [...head, ...page.map(ofCheckpoint)],
      next: last === undefined || page.length < limit ? { at: 'chains' } : { at: 'checkpoints', after: last.n },
    };
  }
  const chains = await source.chains();
  const [first] = chains;
  if (from.at === 'chains')
    return {
      lines: chains.map(ofChain),
      next: first === undefined ? null : { at: 'records', chain: first.chain, after: 0 },
    };
  const page = await source.records(from.chain, from.after, limit);
  const lines = page.map(ofRecord(from.chain));
  const last = page.at(-1);
  if (last !== undefined && page.length === limit) return { lines, next: { ...from, after: last.seq } };
  const following = chains[chains.findIndex(({ chain }) => chain === from.chain) + 1];
  return { lines, next: following === undefined ? null : { at: 'records', chain: following.chain, after: 0 } };
}

const SEGMENT_PAGE = 2_000;

/**
 * The lines of everything up to a checkpoint that is not exported yet, with every checkpoint until then: proves itself.
 */
export async function* writeSegment(
  source: AuditSource,
  { checkpoint, heads }: { readonly checkpoint: number; readonly heads: readonly Head[] },
  dropped: Dropped | null,
): AsyncGenerator<string> {
  const text = (line: Line): string => `${JSON.stringify(line)}\n`;
  yield text(ofDropped(dropped));
  for (let after = 0; after < checkpoint;) {
    const page = (await source.checkpoints(after, SEGMENT_PAGE)).filter(({ n }) => n <= checkpoint);
    for (const one of page) yield text(ofCheckpoint(one));
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.n;
  }
  const wanted = new Map(heads.map((head) => [head.chain, head.seq]));
  for (const chain of await source.chains()) if (wanted.has(chain.chain)) yield text(ofChain(chain));
  for (const [chain, upto] of wanted)
    for (let after = 0; after < upto;) {
      const page = (await source.records(chain, after, SEGMENT_PAGE)).filter(({ seq }) => seq <= upto);
      for (const one of page) yield text(ofRecord(chain)(one));
      const last = page.at(-1);
      if (last === undefined) break;
      after = last.seq;
    }
}

type Fields = Readonly<Record<string, 'text' | 'number' | 'text or null'>>;
const SHAPES: readonly (readonly [name: string, Fields])[] = [
  ['dropped', {}],
  ['checkpoint', { checkpoint: 'number', at: 'number', records: 'number', note: 'text', frontier: 'text' }],
  ['chain', { chain: 'text', previous: 'text or null', firstLink: 'text' }],
  ['of', { of: 'text', seq: 'number', record: 'text', link: 'text' }],
];
const END: Fields = { chain: 'text', seq: 'number', link: 'text' };

function hasShape(line: Partial<Record<string, unknown>>, fields: Fields): boolean {
  const isRight = ([name, kind]: readonly [string, Fields[string]]): boolean => {
    const value = line[name];
    return kind === 'number'
      ? Number.isSafeInteger(value)
      : typeof value === 'string' || (kind === 'text or null' && value === null);
  };
  if (!Object.entries(fields).every(isRight)) return false;
  const dropped = line['dropped'] as Partial<Record<string, unknown>> | null | undefined;
  if (dropped === undefined || dropped === null) return true;
  const { ends } = dropped;
  return (
    hasShape({ ...dropped, dropped: null }, { checkpoint: 'number', note: 'text' }) &&
    Array.isArray(ends) &&
    (ends as Partial<Record<string, unknown>>[]).every((end) => hasShape(end, END))
  );
}

/** Null where a line is not of an export. */
function parseLine(text: string): Line | null {
  try {
    const line = JSON.parse(text) as Partial<Record<string, unknown>>;
    const shape = SHAPES.find(([name]) => name in line)?.[1];
    return shape !== undefined && hasShape(line, shape) ? (line as Line) : null;
  } catch {
    return null;
  }
}

/** Reads an export back, whole, into memory. `bad` is the number of the first line that cannot be read. */
export async function readExport(
  lines: AsyncIterable<string>,
): Promise<{ readonly source: AuditSource } | { readonly bad: number }> {
  const chains: StoredChain[] = [];
  const checkpoints: StoredCheckpoint[] = [];
  const records = new Map<string, StoredRecord[]>();
  let dropped: Dropped | null = null;
  let n = 0;
  for await (const text of lines) {
    n += 1;
    if (text === '') continue;
    const line = parseLine(text);
    if (line === null) return { bad: n };
    if ('dropped' in line)
      dropped =
        line.dropped === null
          ? null
          : { ...line.dropped, ends: line.dropped.ends.map((end) => ({ ...end, link: bytes(end.link) })) };
    else if ('checkpoint' in line)
      checkpoints.push({
        n: line.checkpoint,
        atMs: line.at,
        records: line.records,
        note: line.note,
        frontier: bytes(line.frontier),
      });
    else if ('chain' in line)
      chains.push({
        chain: line.chain,
        previous: line.previous,
        firstLink: bytes(line.firstLink),
        covered: null,
      });
    else {
      const list = records.get(line.of) ?? [];
      records.set(line.of, list);
      list.push({ seq: line.seq, record: line.record, leaf: null, columns: null, link: bytes(line.link) });
    }
  }
  const known = new Set(chains.map(({ chain }) => chain));
  const stray = [...records].find(([chain]) => !known.has(chain));
  for (const list of records.values()) list.sort((a, b) => a.seq - b.seq);
  return {
    source: memorySource({
      chains,
      checkpoints,
      records,
      dropped,
      stray: stray === undefined ? null : { chain: stray[0], seq: 1 },
    }),
  };
}

/** A source whose rows are all in memory. */
export function memorySource(all: {
  readonly chains: readonly StoredChain[];
  readonly checkpoints: readonly StoredCheckpoint[];
  /** By chain, in order. */
  readonly records: ReadonlyMap<string, readonly StoredRecord[]>;
  readonly dropped?: Dropped | null;
  readonly stray?: { readonly chain: string; readonly seq: number } | null;
}): AuditSource {
  const from = <T>(list: readonly T[], isAfter: (one: T) => boolean, limit: number): readonly T[] => {
    let low = 0;
    for (let high = list.length; low < high;) {
      const middle = (low + high) >> 1;
      if (isAfter(list[middle] as T)) high = middle;
      else low = middle + 1;
    }
    return list.slice(low, low + limit);
  };
  return {
    chains: () => Promise.resolve(all.chains),
    records: (chain, after, limit) =>
      Promise.resolve(from(all.records.get(chain) ?? [], ({ seq }) => seq > after, limit)),
    checkpoints: (after, limit) => Promise.resolve(from(all.checkpoints, ({ n }) => n > after, limit)),
    dropped: () => Promise.resolve(all.dropped ?? null),
    pairs: null,
    stray: () => Promise.resolve(all.stray ?? null),
  };
}
