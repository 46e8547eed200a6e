import { createHash, createPrivateKey, createPublicKey, hkdfSync, sign, verify, type KeyObject } from 'node:crypto';
import type { Secret } from '../kernel/index.ts';

/** The name under which checkpoints are signed, and their first line. */
export const ORIGIN = 'chartgate/audit';

const ED25519 = 1;
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

const VKEY = /^chartgate\/audit\+([0-9a-f]{8})\+([\w+/=]{44})$/;

/** Four bytes that tell keys apart, as C2SP's signed-note has them. https://c2sp.org/signed-note */
const hashOf = (publicKey: Uint8Array): Buffer =>
  createHash('sha256')
    .update(`${ORIGIN}\n`)
    .update(Buffer.from([ED25519]))
    .update(publicKey)
    .digest()
    .subarray(0, 4);

/** Whoever has it can check what was signed, and sign nothing. */
export interface VerifyingKey {
  /** The text that is given out: name, hash and key, as C2SP's `vkey`. */
  readonly text: string;
  readonly hash: Buffer;
  verifies(text: string, signature: Uint8Array): boolean;
}

export interface SigningKey extends VerifyingKey {
  sign(text: string): Buffer;
}

function makeVerifying(raw: Uint8Array, key: KeyObject): VerifyingKey {
  const hash = hashOf(raw);
  return {
    text: `${ORIGIN}+${hash.toString('hex')}+${Buffer.concat([Buffer.from([ED25519]), raw]).toString('base64')}`,
    hash,
    verifies: (text, signature) => verify(null, Buffer.from(text), key, signature),
  };
}

/** Null where the text is no public key of an audit. */
export function parseVerifyingKey(text: string): VerifyingKey | null {
  const [, hash, encoded = ''] = VKEY.exec(text.trim()) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length !== 33 || bytes[0] !== ED25519) return null;
  const raw = bytes.subarray(1);
  const key = makeVerifying(raw, createPublicKey({ key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' }));
  return key.hash.toString('hex') === hash ? key : null;
}

/** Ed25519 from CHARTGATE_AUDIT_KEY: the same setting, the same key, so that nothing else needs to be kept. */
export function makeSigningKey(auditKey: Secret): SigningKey {
  const seed = hkdfSync('sha256', Buffer.from(auditKey.reveal(), 'base64'), '', 'chartgate audit ed25519 v1', 32);
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, Buffer.from(seed)]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key);
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(SPKI.length);
  return { ...makeVerifying(raw, publicKey), sign: (text) => sign(null, Buffer.from(text), key) };
}
