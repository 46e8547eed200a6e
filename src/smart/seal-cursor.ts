import { createCipheriv, createDecipheriv, createHash, createSecretKey, hkdfSync } from 'node:crypto';
import type { Place } from '../audit/index.ts';
import type { Grant } from '../auth/index.ts';
import type { OwnAddress, Pairs } from '../ehr/index.ts';
import { fail, fault, ok, type Chance, type Clock, type Result, type Secret } from '../kernel/index.ts';
import type { EverythingPlace } from './run-everything.ts';

/** Where a search goes on: what was asked, as it was asked, and the EHR's own next page. */
export type Continuation =
  | { readonly kind: 'search-type'; readonly type: string; readonly params: Pairs; readonly next: OwnAddress }
  | {
      readonly kind: 'history-instance';
      readonly type: string;
      readonly id: string;
      readonly params: Pairs;
      readonly next: OwnAddress;
      /** How many of that page were shown already. */
      readonly skip: number;
    }
  | { readonly kind: 'audit'; readonly type: 'AuditEvent'; readonly params: Pairs; readonly before: Place }
  | { readonly kind: 'everything'; readonly id: string; readonly params: Pairs; readonly place: EverythingPlace };

export interface Cursors {
  seal(of: Continuation, grant: Grant): string;
  /** One fault for a cursor that is foreign, expired or no cursor at all. */
  open(cursor: string, grant: Grant): Result<Continuation>;
}

const KEEP_MS = 30 * 60_000;
const NONCE = 12;
const TAG = 16;
const CURSOR_MAX = 16_384;

/**
 * A cursor is worth something to whoever got it, for the same patient and the same scopes. A refreshed token may go on
 * with it.
 */
const bindingOf = ({ issuer, subject, clientId, patient, scopes }: Grant): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([issuer, subject, clientId, patient, scopes.map(({ text }) => text).sort()]))
    .digest();

/**
 * Sealed by AES-256-GCM under a key of its own, bound to the grant: the EHR's address and the search values stay ours.
 */
export function makeCursors(deps: {
  readonly keys: readonly Secret[];
  readonly chance: Chance;
  readonly clock: Clock;
}): Cursors {
  const ring = deps.keys.map((key) =>
    createSecretKey(
      Buffer.from(hkdfSync('sha256', Buffer.from(key.reveal(), 'base64'), '', 'chartgate read cursor v1', 32)),
    ),
  );
  const [sealing] = ring;
  if (sealing === undefined) throw new Error('a cursor needs a key');

  function tryOpen(bytes: Buffer, grant: Grant): string | null {
    for (const key of ring) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE), { authTagLength: TAG });
        decipher.setAAD(bindingOf(grant));
        decipher.setAuthTag(bytes.subarray(bytes.length - TAG));
        return Buffer.concat([decipher.update(bytes.subarray(NONCE, bytes.length - TAG)), decipher.final()]).toString();
      } catch {
        // Another key may open it; if none does, it is refused.
      }
    }
    return null;
  }

  return {
    seal(of, grant) {
      const nonce = deps.chance(NONCE);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce);
      cipher.setAAD(bindingOf(grant));
      const plain = JSON.stringify({ until: deps.clock.now().getTime() + KEEP_MS, of });
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
    },
    open(cursor, grant) {
      const refused = fail(fault('read.cursor'));
      if (cursor.length > CURSOR_MAX || !/^[A-Za-z0-9_-]+$/.test(cursor)) return refused;
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes.length <= NONCE + TAG) return refused;
      const plain = tryOpen(bytes, grant);
      if (plain === null) return refused;
      const { until, of } = JSON.parse(plain) as { until: number; of: Continuation };
      return deps.clock.now().getTime() > until ? refused : ok(of);
    },
  };
}
