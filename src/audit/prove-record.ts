import type { Result } from '../kernel/index.ts';
import type { AuditReads, StoredCheckpoint, StoredRecord } from './commands.ts';
import { earlierKeys } from './key-trail.ts';
import { readNote, type Checkpoint, type Head } from './note.ts';
import { leafOf, linkOf } from './record.ts';
import { parseVerifyingKey, type VerifyingKey } from './signing-key.ts';
import { SourceLost, type ReadAudit } from './store-source.ts';

/** Checkpoints after the time of a record that are looked through: it is under the first or the second of them. */
const LOOK_MAX = 200;
const PAGE = 1_000;

/**
 * `proven`: its hash and those of all that follow it lead to a head that a checkpoint signed. `waiting`: it fits into
 * its chain, and no checkpoint covers it yet. `broken`: something of that does not fit.
 */
export interface RecordProof {
  readonly state: 'proven' | 'waiting' | 'broken';
  readonly record: string;
  /** SHA-256 of the record, of its place in the chain, and of the place before it. */
  readonly leaf: Uint8Array;
  readonly link: Uint8Array;
  readonly previous: Uint8Array | null;
  /** `root`: null where none of our keys signed it. */
  readonly checkpoint: (Omit<StoredCheckpoint, 'frontier'> & { readonly root: Uint8Array | null }) | null;
}

const isEqual = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** What one record stands on, and which signed checkpoint holds it; null where there is no such record of the tenant. */
export async function proveRecord(
  audit: ReadAudit,
  key: VerifyingKey,
  { tenant, chain, seq }: { readonly tenant: string; readonly chain: string; readonly seq: number },
): Promise<RecordProof | null> {
  async function read<K extends keyof AuditReads>(name: K, args: AuditReads[K]['args']): Promise<AuditReads[K]['out']> {
    const result: Result<AuditReads[K]['out']> = await audit.read(name, args);
    if (!result.ok) throw new SourceLost(result);
    return result.value;
  }
  const checkpointAt = async (n: number): Promise<StoredCheckpoint | null> =>
    (await read('audit.checkpoints', { after: n - 1, limit: 1 }))[0] ?? null;

  /** What the chain had come to before this record. Null where that was exported and is gone. */
  async function before(stored: readonly StoredRecord[]): Promise<Uint8Array | null> {
    if (seq === 1) return (await read('audit.chains', null)).find((one) => one.chain === chain)?.firstLink ?? null;
    const last = stored.find((one) => one.seq === seq - 1)?.link;
    if (last !== undefined) return last;
    const dropped = await read('audit.dropped', null);
    return dropped?.ends.find((end) => end.chain === chain && end.seq === seq - 1)?.link ?? null;
  }

  /** The number of the first checkpoint that is not older than the record: they are numbered in the order of time. */
  async function firstAfter(atMs: number): Promise<number> {
    const { last } = await read('audit.uncovered', { limit: 1 });
    let [low, high] = [1, (last?.n ?? 0) + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const found = await checkpointAt(middle);
      if (found !== null && found.atMs < atMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Read by the key that signs now, or by one that gave way to it. */
  async function readSigned(note: string): Promise<Checkpoint | null> {
    const earlier = earlierKeys(await read('audit.rotations', null)).map(({ key: text }) => parseVerifyingKey(text));
    for (const one of [key, ...earlier]) {
      const found = one === null ? null : readNote(note, one);
      if (found !== null && 'checkpoint' in found) return found.checkpoint;
    }
    return null;
  }

  async function covering(atMs: number): Promise<StoredCheckpoint | null> {
    const after = (await firstAfter(atMs)) - 1;
    const some = await read('audit.checkpoints', { after: Math.max(0, after - 1), limit: LOOK_MAX });
    const head = new RegExp(`^chain ${chain.replaceAll('.', '\\.')} (\\d+) `, 'm');
    return some.find(({ note }) => Number(head.exec(note)?.[1] ?? 0) >= seq) ?? null;
  }

  /** Every link from this record to the head, computed again. */
  async function leadsTo(head: Head, from: Uint8Array): Promise<boolean> {
    let link = from;
    for (let after = seq; after < head.seq;) {
      const some = await read('audit.chain', { chain, after, limit: Math.min(PAGE, head.seq - after) });
      for (const one of some) link = linkOf(link, leafOf(one.record));
      const last = some.at(-1);
      if (last === undefined) return false;
      after = last.seq;
    }
    return isEqual(link, head.link);
  }

  const stored = await read('audit.chain', { chain, after: Math.max(0, seq - 2), limit: 2 });
  const own = stored.find((one) => one.seq === seq);
  if (own?.columns?.tenant !== tenant) return null;
  const previous = await before(stored);
  const leaf = leafOf(own.record);
  const link = previous === null ? Buffer.from(own.link) : linkOf(previous, leaf);
  const shown = { record: own.record, leaf, link, previous };
  const fits = isEqual(own.leaf ?? leaf, leaf) && isEqual(own.link, link);
  const found = await covering(own.columns.atMs);
  if (found === null) return { ...shown, state: fits ? 'waiting' : 'broken', checkpoint: null };
  const signed = await readSigned(found.note);
  const head = signed?.heads.find((one) => one.chain === chain);
  const isProven = fits && head !== undefined && (await leadsTo(head, link));
  const { n, atMs, records, note } = found;
  return {
    ...shown,
    state: isProven ? 'proven' : 'broken',
    checkpoint: { n, atMs, records, note, root: signed?.root ?? null },
  };
}
