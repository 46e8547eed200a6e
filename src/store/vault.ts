import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type Cipheriv,
  type Decipheriv,
  type KeyObject,
} from 'node:crypto';
import { dropBytes, makePooledChance, type Chance } from '../kernel/index.ts';

/**
 * The keys of the vault as they travel to the writer thread: 32 bytes each. The first data key seals, all of them open.
 */
export interface VaultKeys {
  readonly data: readonly Uint8Array[];
  readonly pseudonym: Uint8Array;
}

/** Keys that are stored, sealed by a data key, and opened at the start: see `kept-keys.ts`. */
export interface KeptKeys {
  readonly particulars: Uint8Array;
  /** Data keys that sealed particulars themselves, before those had a key of their own. */
  readonly earlier: readonly Uint8Array[];
}

/** Encryption at rest. `place` names the table, column and row, so that a sealed value cannot be moved to another. */
export interface Sealer {
  seal(plain: Uint8Array, place: string): Buffer;
  /** Throws where the key is not known or the value was tampered with or moved. */
  open(sealed: Uint8Array, place: string): Buffer;
}

export interface Vault extends Sealer {
  /** A key for a part of what is stored, to be stored sealed: who destroys it destroys all that it sealed. */
  makeKey(): Buffer;
  /** Seals and opens by such a key alone. */
  under(key: Uint8Array): Sealer;
  /** Whether a value is sealed by a data key, and not by one of those. */
  isOwn(sealed: Uint8Array): boolean;
  /** The id of the key that a value is sealed by; null for what is no sealed value. */
  sealedBy(value: Uint8Array): string | null;
  /**
   * For what a chain of the audit keeps sealed: it can never be sealed anew, so that no data key may stand in the way
   * of its end.
   */
  particulars(chain: string): Sealer;
  /** Finds a sealed value again: equal values of one field have equal indexes, and nothing can be read from them. */
  index(field: string, value: string): Buffer;
  /** Tells keys apart without telling them: the one that seals, and all that open. */
  readonly keyId: string;
  readonly keyIds: readonly string[];
}

const VERSION = 1;
const HEAD = 1 + 4;
const NONCE = 12;
const TAG = 16;
const KEY = 32;
const INDEXES_MAX = 5_000;
const CHAINS_MAX = 1_000;

const ID_BYTES = 4;
const ID_OF = Buffer.from('chartgate key id\n');
/** One for all: it is filled, hashed and emptied without a pause. */
const identified = Buffer.concat([ID_OF, Buffer.alloc(KEY)]);
export function idOf(key: Uint8Array): Buffer {
  if (key.byteLength !== KEY) throw new RangeError('a key has 32 bytes');
  identified.set(key, ID_OF.length);
  const id = hash('sha256', identified, 'buffer').subarray(0, ID_BYTES);
  identified.fill(0, ID_OF.length);
  return id;
}

const bytesOf = (sealed: Uint8Array): Buffer => Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
const keyIdOf = (sealed: Buffer): string => sealed.subarray(1, HEAD).toString('hex');

const SLICE = 256 * 1024;

/** A body is large, and a second copy of it would live until the collector comes by. */
function inSlices(cipher: Cipheriv | Decipheriv, from: Buffer, to: Buffer): void {
  for (let at = 0; at < from.length; at += SLICE) {
    const part = cipher.update(from.subarray(at, at + SLICE));
    part.copy(to, at);
    dropBytes(part);
  }
}

/**
 * Sealed form: version, key id (4), nonce (12), ciphertext, tag (16). A fresh nonce a value: 2^32 values a key are
 * safe.
 */
function makeSealer(
  /** By what a sealed value begins with; null where there is no key for it. */
  keyOf: (sealed: Buffer) => KeyObject | null,
  head: Buffer,
  sealing: KeyObject,
  chance: Chance,
): Sealer {
  return {
    seal(plain, place) {
      const nonce = chance(NONCE);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce);
      cipher.setAAD(Buffer.from(place));
      const sealed = Buffer.allocUnsafe(HEAD + NONCE + plain.byteLength + TAG);
      head.copy(sealed);
      sealed.set(nonce, HEAD);
      inSlices(cipher, bytesOf(plain), sealed.subarray(HEAD + NONCE));
      cipher.final();
      cipher.getAuthTag().copy(sealed, sealed.length - TAG);
      return sealed;
    },
    open(sealed, place) {
      const bytes = bytesOf(sealed);
      const key = bytes[0] === VERSION ? keyOf(bytes) : null;
      if (key === null) throw new Error('sealed with a key that this vault does not have');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(HEAD, HEAD + NONCE), { authTagLength: TAG });
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(bytes.subarray(bytes.length - TAG));
      const plain = Buffer.allocUnsafe(bytes.length - HEAD - NONCE - TAG);
      inSlices(decipher, bytes.subarray(HEAD + NONCE, bytes.length - TAG), plain);
      // GCM keeps nothing back; what this says is that nobody has changed it.
      decipher.final();
      return plain;
    },
  };
}

function headOf(key: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD, VERSION);
  idOf(key).copy(head, 1);
  return head;
}

const ringOf = (keys: readonly Uint8Array[]): Map<string, KeyObject> =>
  new Map(keys.map((key) => [idOf(key).toString('hex'), createSecretKey(key)]));

const inRing =
  (ring: ReadonlyMap<string, KeyObject>) =>
  (sealed: Buffer): KeyObject | null =>
    ring.get(keyIdOf(sealed)) ?? null;

/** A key a chain: a chain is one life of one writer, and holds far less than a key can seal. */
function makeParticulars(kept: KeptKeys, others: ReadonlyMap<string, KeyObject>, chance: Chance): Vault['particulars'] {
  const sealers = new Map<string, Sealer>();
  const ring = new Map([...others, ...ringOf(kept.earlier)]);
  return (chain) => {
    const known = sealers.get(chain);
    if (known !== undefined) return known;
    const info = `chartgate audit particulars v1\n${chain}`;
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', kept.particulars, '', info, KEY)));
    const id = idOf(kept.particulars).toString('hex');
    const sealer = makeSealer(inRing(new Map([...ring, [id, key]])), headOf(kept.particulars), key, chance);
    if (sealers.size >= CHAINS_MAX) sealers.clear();
    sealers.set(chain, sealer);
    return sealer;
  };
}

/** Without kept keys, particulars are sealed by the data key. */
export function makeVault(keys: VaultKeys, kept: KeptKeys | null = null): Vault {
  // Key objects: raw bytes would be made into one at every call.
  const ring = ringOf(keys.data);
  const [first] = keys.data;
  if (first === undefined) throw new Error('a vault needs a data key');
  const sealing = createSecretKey(first);
  // Its own key, so that an index and an audit pseudonym of one value have nothing in common.
  const chance = makePooledChance();
  const indexKey = createSecretKey(Buffer.from(hkdfSync('sha256', keys.pseudonym, '', 'chartgate index v1', 32)));

  /** The same few people and lanes are asked for again and again. */
  const indexes = new Map<string, Buffer>();

  const own = makeSealer(inRing(ring), headOf(first), sealing, chance);
  return {
    ...own,
    particulars: kept === null ? () => own : makeParticulars(kept, ring, chance),
    sealedBy: (value) => (value.byteLength > HEAD && value[0] === VERSION ? keyIdOf(bytesOf(value)) : null),
    keyId: idOf(first).toString('hex'),
    keyIds: [...ring.keys()],
    makeKey: () => Buffer.from(chance(KEY)),
    under(key) {
      const object = createSecretKey(key);
      const head = headOf(key);
      const isSealedByIt = (sealed: Buffer): boolean => head.compare(sealed, 0, HEAD) === 0;
      return makeSealer((sealed) => (isSealedByIt(sealed) ? object : null), head, object, chance);
    },
    isOwn: (sealed) => ring.has(keyIdOf(bytesOf(sealed))),
    index(field, value) {
      if (typeof (value as unknown) !== 'string') throw new TypeError('an index is made of a text');
      const text = `${field}\0${value}`;
      const known = indexes.get(text);
      if (known !== undefined) return known;
      const made = createHmac('sha256', indexKey).update(text).digest().subarray(0, 16);
      if (indexes.size >= INDEXES_MAX) indexes.clear();
      indexes.set(text, made);
      return made;
    },
  };
}
