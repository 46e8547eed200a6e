import { FINGERPRINT_BYTES, type Fingerprint } from '../lanes/index.ts';
import { fingerprintOfItem, type Item } from './build-items.ts';
import type { ContentReader } from './content-reader.ts';
import type { Intent } from './judge-chart.ts';

/*
 * What an attempt is about to make of each resource is stored with it before the first byte goes out: eight bytes of
 * the name, then the fingerprint, or ones where it is to be withdrawn. Should its outcome never be learnt, what stands
 * in the chart can be recognised by it.
 */
const NAME_BYTES = 8;
const ROW_BYTES = NAME_BYTES + FINGERPRINT_BYTES;
const WITHDRAW = 'ff'.repeat(FINGERPRINT_BYTES);

const keyOf = (name: string): string => name.slice(0, NAME_BYTES * 2);

export const packIntents = (
  written: readonly { readonly name: string; readonly fingerprint: Fingerprint }[],
  withdrawn: readonly { readonly name: string }[],
): Buffer =>
  Buffer.from(
    [
      ...written.map(({ name, fingerprint }) => keyOf(name) + fingerprint),
      ...withdrawn.map(({ name }) => keyOf(name) + WITHDRAW),
    ].join(''),
    'hex',
  );

/** What an attempt is about to make of each resource. */
export const intentsOf = (
  planned: { readonly items: readonly Item[]; readonly gone: readonly { readonly name: string }[] },
  reader: ContentReader,
): Uint8Array =>
  packIntents(
    planned.items.map((item) => ({ name: item.name, fingerprint: fingerprintOfItem(item, reader) })),
    planned.gone,
  );

/** Finds what several attempts meant to make of a resource. */
export function readIntents(packed: readonly Uint8Array[]): (name: string) => readonly Intent[] {
  const intents = new Map<string, Intent[]>();
  for (const bytes of packed) {
    const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
    for (let at = 0; at + ROW_BYTES * 2 <= hex.length; at += ROW_BYTES * 2) {
      const key = hex.slice(at, at + NAME_BYTES * 2);
      const print = hex.slice(at + NAME_BYTES * 2, at + ROW_BYTES * 2);
      intents.set(key, [...(intents.get(key) ?? []), print === WITHDRAW ? 'withdraw' : (print as Fingerprint)]);
    }
  }
  return (name) => intents.get(keyOf(name)) ?? [];
}
