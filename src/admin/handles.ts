import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import type { Secret } from '../kernel/index.ts';
import { HANDLE_PREFIX, type Handled } from './contract/handle-shape.ts';

/** Names for an MRN or a user that may stand in an address: they say nothing, and only this gateway can open them. */
export interface Handles {
  /** Always the same for the same value. */
  make(of: Handled, value: string): string;
  /** Null for whatever this gateway did not make, or made of the other kind. */
  open(of: Handled, handle: string): string | null;
}
export type OpenHandle = Handles['open'];

const TAG = 16;
const KEY = 32;
/** What is sealed is as long as a multiple of this: of most values the length cannot be told. */
const BLOCK = 32;
const LONGEST = 512;

const keyOf = (secret: Buffer, tenant: string, use: string): KeyObject =>
  createSecretKey(
    Buffer.from(hkdfSync('sha256', secret, '', JSON.stringify(['chartgate handle v1', tenant, use]), KEY)),
  );

/** One byte that says how long the value is, the value, and nothing up to a whole block. */
function padded(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  if (bytes.length > 255) throw new Error('no MRN and no user is as long');
  const out = Buffer.alloc(Math.ceil((bytes.length + 1) / BLOCK) * BLOCK);
  out.writeUInt8(bytes.length, 0);
  bytes.copy(out, 1);
  return out;
}

/**
 * Sealed with an initial vector that is made of the value (as RFC 5297 does): the same value gives the same handle, and
 * a handle of which one bit was changed opens to nothing. The key comes of the pseudonym key, which a gateway never
 * changes and all its processes share.
 */
export function makeHandles(deps: { readonly key: Secret; readonly tenant: string }): Handles {
  const secret = Buffer.from(deps.key.reveal(), 'base64');
  const sealing = keyOf(secret, deps.tenant, 'seal');
  const naming = keyOf(secret, deps.tenant, 'name');
  const tagOf = (of: Handled, plain: Buffer): Buffer =>
    createHmac('sha256', naming).update(HANDLE_PREFIX[of]).update(plain).digest().subarray(0, TAG);

  return {
    make(of, value) {
      const plain = padded(value);
      const tag = tagOf(of, plain);
      const cipher = createCipheriv('aes-256-ctr', sealing, tag);
      return HANDLE_PREFIX[of] + Buffer.concat([tag, cipher.update(plain), cipher.final()]).toString('base64url');
    },
    open(of, handle) {
      const prefix = HANDLE_PREFIX[of];
      if (!handle.startsWith(prefix) || handle.length > LONGEST) return null;
      const text = handle.slice(prefix.length);
      const bytes = Buffer.from(text, 'base64url');
      const length = bytes.length - TAG;
      // The last character may hold bits that no byte has: of one value there is one handle.
      if (length < BLOCK || length % BLOCK !== 0 || bytes.toString('base64url') !== text) return null;
      const tag = bytes.subarray(0, TAG);
      const decipher = createDecipheriv('aes-256-ctr', sealing, tag);
      const plain = Buffer.concat([decipher.update(bytes.subarray(TAG)), decipher.final()]);
      if (!timingSafeEqual(tagOf(of, plain), tag)) return null;
      return plain.subarray(1, 1 + plain.readUInt8(0)).toString('utf8');
    },
  };
}
