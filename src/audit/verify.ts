import type { Dropped, StoredChain, StoredCheckpoint, StoredRecord } from './commands.ts';
import { addLeaves, EMPTY, packFrontier, rootOf, unpackFrontier, type Frontier } from './merkle.ts';
import { noteDigest, readNote, type Checkpoint, type Head } from './note.ts';
import { columnsOf, firstLink, leafOf, linkOf, type AuditRecord, type Columns } from './record.ts';
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
}

/** The first thing that is wrong. `seq` is the first record of which it is known; null where it is about no single one. */
export interface Flaw {
  readonly what:
    | 'record-changed'
    | 'record-missing'
    | 'record-moved'
    | 'link-broken'
    | 'columns-changed'
    | 'chain-missing'
    | 'chain-start'
    | 'rechained'
    | 'checkpoint-missing'
    | 'checkpoint-forged'
    | 'checkpoint-order'
    | 'root'
    | 'anchor-missing';
  readonly chain: string | null;
  readonly seq: number | null;
  readonly checkpoint: number | null;
}

/** `unproven`: written after the last checkpoint. Whole as far as it goes; whether more had followed nobody can tell. */
export interface Verified {
  readonly sound: boolean;
  readonly flaw: Flaw | null;
  readonly records: number;
  readonly proven: number;
  readonly chains: number;
  readonly checkpoints: number;
  readonly lastCheckpointAt: string | null;
  readonly unproven: readonly { readonly chain: string; readonly from: number; readonly to: number }[];
}

const PAGE = 2_000;
const NOTES = 500;

class Flawed extends Error {
  readonly flaw: Flaw;
  constructor(what: Flaw['what'], at: Partial<Flaw> = {}) {
    super(what);
    this.flaw = { what, chain: null, seq: null, checkpoint: null, ...at };
  }
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

const isEqual = (a: Columns, b: Columns): boolean => (Object.keys(a) as (keyof Columns)[]).every((name) => a[name] === b[name]);

/** What the next checkpoint will go on from must be what was proven. */
const packedDiffers = (stored: StoredCheckpoint, frontier: Frontier): boolean => !isSame(packFrontier(frontier), stored.frontier);

function parse(text: string): AuditRecord | null {
  try {
    return JSON.parse(text) as AuditRecord;
  } catch {
    return null;
  }
}

/** Checks one record against the one before it, and answers its leaf. */
function checkRecord(chain: string, seq: number, previous: Uint8Array, stored: StoredRecord): Buffer {
  const at = { chain, seq };
  if (stored.seq > seq) throw new Flawed('record-missing', at);
  if (stored.seq < seq) throw new Flawed('record-moved', at);
  const leaf = leafOf(stored.record);
  if (stored.leaf !== null && !isSame(leaf, stored.leaf)) throw new Flawed('record-changed', at);
  if (!isSame(linkOf(previous, leaf), stored.link)) throw new Flawed(stored.leaf === null ? 'record-changed' : 'link-broken', at);
  const record = parse(stored.record);
  if (record === null) throw new Flawed('record-changed', at);
  if (record.chain !== chain || record.seq !== seq) throw new Flawed('record-moved', at);
  if (stored.columns !== null && !isEqual(columnsOf(record), stored.columns)) throw new Flawed('columns-changed', at);
  return leaf;
}

/**
 * Recomputes every record, link, root and signature. `anchored`: checkpoints that are kept elsewhere, at least the last one; without any,
 * a database that was replaced by an older copy of itself looks sound.
 */
export async function verifyAudit(source: AuditSource, key: VerifyingKey, anchored: readonly string[] = []): Promise<Verified> {
  const heads = new Map<string, Head>();
  const starts = new Map<string, StoredChain>();
  const unproven: { chain: string; from: number; to: number }[] = [];
  const notes = new Set<string>();
  const counts = { records: 0, proven: 0, checkpoints: 0 };
  let last: Checkpoint | null = null;
  let lastNote: string | null = null;

  /** Chains open while this runs, so the list is asked for once more before one is missed. */
  const headOf = async (chain: string, checkpoint: number | null): Promise<Head> => {
    const known = heads.get(chain);
    if (known !== undefined) return known;
    if (!starts.has(chain)) for (const start of await source.chains()) starts.set(start.chain, start);
    const start = starts.get(chain);
    if (start === undefined) throw new Flawed('chain-missing', { chain, seq: 1, checkpoint });
    return { chain, seq: 0, link: start.firstLink };
  };

  /** Goes on in a chain, to a certain record or to its end. */
  async function follow(head: Head, to: number | null, onLeaf: (leaf: Buffer) => void): Promise<Head> {
    let { seq, link } = head;
    while (to === null || seq < to) {
      const page = await source.records(head.chain, seq, to === null ? PAGE : Math.min(PAGE, to - seq));
      if (page.length === 0) {
        if (to === null) break;
        throw new Flawed('record-missing', { chain: head.chain, seq: seq + 1 });
      }
      for (const stored of page) {
        onLeaf(checkRecord(head.chain, seq + 1, link, stored));
        seq += 1;
        ({ link } = stored);
        counts.records += 1;
      }
    }
    return { chain: head.chain, seq, link };
  }

  function checkNote(stored: StoredCheckpoint): Checkpoint {
    const at = { checkpoint: counts.checkpoints + 1 };
    const read = readNote(stored.note, key);
    if ('wrong' in read) throw new Flawed('checkpoint-forged', at);
    const { checkpoint } = read;
    if (stored.n !== at.checkpoint || checkpoint.n !== at.checkpoint) throw new Flawed('checkpoint-missing', at);
    const previous = lastNote === null ? null : noteDigest(lastNote);
    const follows =
      previous === null ? checkpoint.previous === null : checkpoint.previous !== null && isSame(previous, checkpoint.previous);
    if (!follows) throw new Flawed('checkpoint-order', at);
    if (stored.records !== checkpoint.records || stored.atMs !== checkpoint.at.getTime())
      throw new Flawed('checkpoint-forged', at);
    counts.checkpoints += 1;
    notes.add(stored.note);
    last = checkpoint;
    lastNote = stored.note;
    return checkpoint;
  }

  /** Only a signed checkpoint can say that records were exported and may be gone. */
  function checkDropped({ checkpoint, note }: Dropped): void {
    const read = readNote(note, key);
    if ('wrong' in read || read.checkpoint.exported?.upto !== checkpoint) throw new Flawed('record-missing', { checkpoint });
  }

  async function checkCheckpoints(dropped: number): Promise<void> {
    let frontier: Frontier = EMPTY;
    for (let after = 0; ;) {
      const page = await source.checkpoints(after, NOTES);
      for (const stored of page) {
        const checkpoint = checkNote(stored);
        const { n } = checkpoint;
        const before = frontier.size;
        if (n <= dropped) {
          // Their records stand in an export; the signed root tells whether what the tree goes on from is theirs.
          for (const head of checkpoint.heads) heads.set(head.chain, head);
          if (n < dropped) continue;
          const kept = unpackFrontier(checkpoint.records, stored.frontier);
          if (kept === null) throw new Flawed('root', { checkpoint: n });
          frontier = kept;
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
        counts.proven += n <= dropped ? 0 : frontier.size - before;
        if (n > dropped && packedDiffers(stored, frontier)) throw new Flawed('checkpoint-forged', { checkpoint: n });
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
  });

  try {
    for (const start of await source.chains()) starts.set(start.chain, start);
    const dropped = await source.dropped();
    if (dropped !== null) checkDropped(dropped);
    await checkCheckpoints(dropped?.checkpoint ?? 0);
    const stray = await source.stray();
    if (stray !== null) throw new Flawed('record-moved', stray);
    for (const { chain } of starts.values()) {
      const from = await headOf(chain, null);
      const end = await follow(from, null, () => undefined);
      heads.set(chain, end);
      if (end.seq > from.seq) unproven.push({ chain, from: from.seq + 1, to: end.seq });
    }
    for (const start of starts.values()) checkStart(start);
    for (const note of anchored) {
      const read = readNote(note, key);
      if ('wrong' in read) throw new Flawed('checkpoint-forged');
      if (!notes.has(note)) throw new Flawed('anchor-missing', { checkpoint: read.checkpoint.n });
    }
    return result(null);
  } catch (thrown) {
    if (thrown instanceof Flawed) return result(thrown.flaw);
    throw thrown;
  }
}
