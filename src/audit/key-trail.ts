import { claimedRotation, readNote, type ReadNote } from './note.ts';
import type { VerifyingKey } from './signing-key.ts';
import type { AuditSource } from './verify.ts';

const NOTES = 500;

/** Checkpoints read in their order, each by the key that signed at that time. */
export interface KeyTrail {
  read(note: string): ReadNote;
  /** All keys that have signed so far, the one that signs now last. */
  readonly keys: readonly [VerifyingKey, ...VerifyingKey[]];
}

function makeTrail(first: VerifyingKey): KeyTrail {
  const keys: [VerifyingKey, ...VerifyingKey[]] = [first];
  return {
    keys,
    read(note) {
      const current = keys.at(-1) ?? first;
      const read = readNote(note, current);
      if ('wrong' in read) return read;
      const { rotated } = read.checkpoint;
      if (rotated === null) return read;
      // A retired key does not return. A checkpoint that it signs afterwards is forged.
      if (rotated.from.text !== current.text || keys.some(({ text }) => text === rotated.to.text))
        return { wrong: 'key' };
      keys.push(rotated.to);
      return read;
    },
  };
}

/**
 * The trail of a log that began with one of these keys, or with one that says that it gave way to another. That it did,
 * and whether any of them leads to a trusted one, is known only when all has been read.
 */
export async function findTrail(
  source: Pick<AuditSource, 'checkpoints'>,
  trusted: readonly VerifyingKey[],
): Promise<KeyTrail | null> {
  const [fallback] = trusted;
  if (fallback === undefined) return null;
  for (let after = 0; ;) {
    const page = await source.checkpoints(after, NOTES);
    const [first] = page;
    if (after === 0) {
      const signer = first === undefined ? fallback : trusted.find((key) => 'checkpoint' in readNote(first.note, key));
      if (signer !== undefined) return makeTrail(signer);
    }
    for (const { note } of page) {
      const claimed = claimedRotation(note);
      if (claimed !== null) return makeTrail(claimed.from);
    }
    const last = page.at(-1);
    if (last === undefined) return null;
    after = last.n;
  }
}

/** The keys before `key`, each with the checkpoint by which it gave way. Only what was signed by both counts. */
export function earlierKeys(
  rotations: readonly { readonly n: number; readonly note: string }[],
): readonly { readonly key: string; readonly until: number }[] {
  return rotations.flatMap(({ n, note }) => {
    const claimed = claimedRotation(note);
    return claimed === null || 'wrong' in readNote(note, claimed.to) ? [] : [{ key: claimed.from.text, until: n }];
  });
}

/**
 * Whether any key of the trail is one that the reader trusts. Each vouches for the next, and what a key signed holds
 * all before it.
 */
export const leadsTo = ({ keys }: KeyTrail, trusted: readonly VerifyingKey[]): boolean =>
  keys.some(({ text }) => trusted.some((one) => one.text === text));
