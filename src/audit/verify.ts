import { gatherPairs, type ReadPairs } from './check-pairs.ts';
import { checkRecord, isSame } from './check-record.ts';
import type { Dropped, StoredChain, StoredCheckpoint, StoredRecord } from './commands.ts';
import { Flawed, type Flaw } from './flaw.ts';
import { findTrail, leadsTo, type KeyTrail } from './key-trail.ts';
import { addLeaves, EMPTY, packFrontier, rootOf, unpackFrontier, type Frontier } from './merkle.ts';
import { noteDigest, readNote, type Checkpoint, type Head } from './note.ts';
import { makeReadAhead } from './read-ahead.ts';
import { firstLink } from './record.ts';
import type { VerifyingKey } from './signing-key.ts';

/** Where records and checkpoints come from: a database or an export. What is not there is simply not answered. */
export interface AuditSource {
  chains(): Promise<readonly StoredChain[]>;
  /** Of one chain, in order, from the one after `after` on. */
  records(chain: string, after: number, limit: number): Promise<readonly StoredRecord[]>;
  checkpoints(after: number, limit: number): Promise<readonly StoredCheckpoint[]>;
  dropped(): Promise<Dropped | null>;
  /** A record whose chain is not known. */
  stray(): Promise<{ readonly chain: string; readonly seq: number } | null>;
  /** In the order of their names; null for a source that has none, such as an export. */
  readonly pairs: ReadPairs | null;
}

/**
 * `unproven`: written after the last checkpoint. Whole as far as it goes; whether more had followed nobody can tell.
 */
export interface Verified {
  readonly sound: boolean;
  readonly flaw: Flaw | null;
  readonly records: number;
  readonly proven: number;
  readonly chains: number;
  readonly checkpoints: number;
  readonly lastCheckpointAt: string | null;
  readonly unproven: readonly { readonly chain: string; readonly from: number; readonly to: number }[];
  /**
   * The last checkpoint that was found elsewhere too; null where none was looked for. Whoever cut off the anchor has
   * made it small.
   */
  readonly anchoredUntil: number | null;
  /** The key that signed the last checkpoint, which after a rotation is not the one that was given. */
  readonly key: string | null;
  /** What was exported by its own word, to be looked for where it was put. */
  readonly segments: readonly { readonly upto: number; readonly digest: string }[];
}

const NOTES = 500;

/** What the next checkpoint will go on from must be what was proven. */
const packedDiffers = (stored: StoredCheckpoint, frontier: Frontier): boolean =>
  !isSame(packFrontier(frontier), stored.frontier);

const isOf = (note: string, keys: readonly VerifyingKey[]): Checkpoint | null => {
  for (const key of keys) {
    const read = readNote(note, key);
    if ('checkpoint' in read) return read.checkpoint;
  }
  return null;
};

const TRIES = 3;

/**
 * Recomputes every record, link, root and signature. `trusted`: one public key, or several; after a rotation any of
 * them will do, the newest being the safest. `anchored`: checkpoints that are kept elsewhere, at least the last one;
 * without any, a database that was replaced by an older copy of itself looks sound.
 */
export async function verifyAudit(
  source: AuditSource,
  trusted: VerifyingKey | readonly VerifyingKey[],
  anchored: readonly string[] = [],
): Promise<Verified> {
  for (let tries = 1; ; tries += 1) {
    const dropped = await source.dropped();
    const verified = await verifyOnce(source, [trusted].flat(), anchored, dropped);
    if (verified.sound || tries === TRIES) return verified;
    // What was exported may go while this runs; then it is looked at again.
    if (JSON.stringify(await source.dropped()) === JSON.stringify(dropped)) return verified;
  }
}

async function verifyOnce(
  source: AuditSource,
  trusted: readonly VerifyingKey[],
  anchored: readonly string[],
  dropped: Dropped | null,
): Promise<Verified> {
  const heads = new Map<string, Head>();
  const starts = new Map<string, StoredChain>();
  const unproven: { chain: string; from: number; to: number }[] = [];
  const notes = new Set<string>();
  const segments: { upto: number; digest: string }[] = [];
  const pairs = await gatherPairs(source.pairs);
  const read = makeReadAhead(source);
  let anchoredUntil: number | null = null;
  let trail: KeyTrail | null = null;
  const counts = { records: 0, proven: 0, checkpoints: 0 };
  let last: Checkpoint | null = null;
  let lastNote: string | null = null;

  /** Chains open while this runs, so the list is asked for once more before one is missed. */
  const startOf = async (chain: string, checkpoint: number | null): Promise<StoredChain> => {
    if (!starts.has(chain)) for (const start of await source.chains()) starts.set(start.chain, start);
    const start = starts.get(chain);
    if (start === undefined) throw new Flawed('chain-missing', { chain, seq: 1, checkpoint });
    return start;
  };
  const headOf = async (chain: string, checkpoint: number | null): Promise<Head> =>
    heads.get(chain) ?? { chain, seq: 0, link: (await startOf(chain, checkpoint)).firstLink };

  /** Goes on in a chain, to a certain record or to its end. */
  async function follow(head: Head, to: number | null, onLeaf: (leaf: Buffer) => void): Promise<Head> {
    let { seq, link } = head;
    while (to === null || seq < to) {
      const page = await read(head.chain, seq, to === null ? Infinity : to - seq);
      if (page.length === 0) {
        if (to === null) break;
        throw new Flawed('record-missing', { chain: head.chain, seq: seq + 1 });
      }
      for (const stored of page) {
        onLeaf(checkRecord(head.chain, seq + 1, link, stored));
        pairs.see(head.chain, stored);
        seq += 1;
        ({ link } = stored);
        counts.records += 1;
      }
    }
    return { chain: head.chain, seq, link };
  }

  function checkNote(stored: StoredCheckpoint): Checkpoint {
    const at = { checkpoint: counts.checkpoints + 1 };
    const read = trail?.read(stored.note);
    if (read === undefined || 'wrong' in read) throw new Flawed('checkpoint-forged', at);
    const { checkpoint } = read;
    if (stored.n !== at.checkpoint || checkpoint.n !== at.checkpoint) throw new Flawed('checkpoint-missing', at);
    const previous = lastNote === null ? null : noteDigest(lastNote);
    const follows =
      previous === null
        ? checkpoint.previous === null
        : checkpoint.previous !== null && isSame(previous, checkpoint.previous);
    if (!follows) throw new Flawed('checkpoint-order', at);
    if (stored.records !== checkpoint.records || stored.atMs !== checkpoint.at.getTime())
      throw new Flawed('checkpoint-forged', at);
    counts.checkpoints += 1;
    notes.add(stored.note);
    if (checkpoint.exported !== null) segments.push(checkpoint.exported);
    last = checkpoint;
    lastNote = stored.note;
    return checkpoint;
  }

  /**
   * Only a signed checkpoint of this very log can say that records were exported and may be gone; in a segment it comes
   * later.
   */
  function checkDropped({ checkpoint, note }: Dropped): void {
    const named = isOf(note, [...(trail?.keys ?? []), ...trusted]);
    const isOurs = named !== null && (named.n > counts.checkpoints || notes.has(note));
    if (!isOurs || named.exported?.upto !== checkpoint) throw new Flawed('record-missing', { checkpoint });
  }

  /** Of what was exported, some may still be here. It leads from where the removed ones ended to what was signed. */
  async function checkLeft({ ends, checkpoint }: Dropped): Promise<void> {
    for (const head of [...heads.values()]) {
      const { chain } = head;
      const end = ends.find((one) => one.chain === chain) ?? {
        chain,
        seq: 0,
        link: (await startOf(chain, checkpoint)).firstLink,
      };
      if (end.seq > head.seq) throw new Flawed('record-missing', { chain, seq: head.seq + 1, checkpoint });
      const [first] = await source.records(chain, 0, 1);
      if (first !== undefined && first.seq <= end.seq)
        throw new Flawed('record-moved', { chain, seq: first.seq, checkpoint });
      const reached = await follow(end, head.seq, () => void (counts.proven += 1));
      if (!isSame(reached.link, head.link)) throw new Flawed('rechained', { chain, seq: end.seq + 1, checkpoint });
    }
  }

  async function checkCheckpoints(gone: Dropped | null): Promise<void> {
    const upto = gone?.checkpoint ?? 0;
    let frontier: Frontier = EMPTY;
    for (let after = 0; ;) {
      const page = await source.checkpoints(after, NOTES);
      for (const stored of page) {
        const checkpoint = checkNote(stored);
        const { n } = checkpoint;
        const before = frontier.size;
        if (gone !== null && n <= upto) {
          // Their records stand in an export; the signed root tells whether what the tree goes on from is theirs.
          for (const head of checkpoint.heads) heads.set(head.chain, head);
          if (n < upto) continue;
          const kept = unpackFrontier(checkpoint.records, stored.frontier);
          if (kept === null) throw new Flawed('root', { checkpoint: n });
          frontier = kept;
          await checkLeft(gone);
        } else
          for (const head of checkpoint.heads) {
            const from = await headOf(head.chain, n);
            if (head.seq <= from.seq) throw new Flawed('checkpoint-order', { chain: head.chain, checkpoint: n });
            const leaves: Buffer[] = [];
            const reached = await follow(from, head.seq, (leaf) => void leaves.push(leaf));
            if (!isSame(reached.link, head.link))
              throw new Flawed('rechained', { chain: head.chain, seq: from.seq + 1, checkpoint: n });
            frontier = addLeaves(frontier, leaves);
            heads.set(head.chain, head);
          }
        if (frontier.size !== checkpoint.records || !isSame(rootOf(frontier), checkpoint.root)) {
          const [first] = checkpoint.heads;
          throw new Flawed('root', { chain: first?.chain ?? null, checkpoint: n });
        }
        counts.proven += n <= upto ? 0 : frontier.size - before;
        if (n > upto && packedDiffers(stored, frontier)) throw new Flawed('checkpoint-forged', { checkpoint: n });
      }
      const end = page.at(-1);
      if (end === undefined) break;
      after = end.n;
    }
  }

  /** A chain begins at the end of the one before it; one whose end was cut off no longer fits. */
  function checkStart({ chain, previous, firstLink: stored }: StoredChain): void {
    const before = previous === null ? null : (heads.get(previous) ?? null);
    if (previous !== null && before === null) throw new Flawed('chain-missing', { chain: previous });
    if (!isSame(firstLink(chain, before?.link ?? null), stored))
      throw new Flawed('chain-start', { chain: previous ?? chain, seq: before === null ? null : before.seq });
  }

  const result = (flaw: Flaw | null): Verified => ({
    sound: flaw === null,
    flaw,
    ...counts,
    chains: starts.size,
    lastCheckpointAt: last === null ? null : last.at.toISOString(),
    unproven,
    anchoredUntil,
    key: trail?.keys.at(-1)?.text ?? null,
    segments,
  });

  try {
    for (const start of await source.chains()) starts.set(start.chain, start);
    trail = await findTrail(source, trusted);
    await checkCheckpoints(dropped);
    if (trail === null || !leadsTo(trail, trusted)) throw new Flawed('checkpoint-forged');
    if (dropped !== null) checkDropped(dropped);
    const stray = await source.stray();
    if (stray !== null) throw new Flawed('record-moved', stray);
    for (const { chain, covered } of starts.values()) {
      const from = await headOf(chain, null);
      // Who says that more is signed than is keeps the rest from ever being signed.
      if (covered !== null && covered > from.seq) throw new Flawed('withheld', { chain, seq: from.seq + 1 });
      const end = await follow(from, null, () => undefined);
      heads.set(chain, end);
      if (end.seq > from.seq) unproven.push({ chain, from: from.seq + 1, to: end.seq });
    }
    for (const start of starts.values()) checkStart(start);
    await pairs.check(dropped === null ? 'all' : 'dropped');
    for (const note of anchored) {
      const named = isOf(note, trail.keys);
      if (named === null) throw new Flawed('checkpoint-forged');
      if (!notes.has(note)) throw new Flawed('anchor-missing', { checkpoint: named.n });
      anchoredUntil = Math.max(anchoredUntil ?? 0, named.n);
    }
    return result(null);
  } catch (thrown) {
    if (thrown instanceof Flawed) return result(thrown.flaw);
    throw thrown;
  }
}
