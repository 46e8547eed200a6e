import { SignJWT } from 'jose';
import type { Chance } from '../kernel/index.ts';
import type { ClientKey } from './load-client-key.ts';

/** SMART allows five minutes; the rest is for clocks that differ. */
const ASSERTION_SECONDS = 240;

/** A one-time proof of who we are, for one token endpoint. */
export function signAssertion(
  key: ClientKey,
  said: { readonly clientId: string; readonly tokenUrl: string; readonly now: Date; readonly chance: Chance },
): Promise<string> {
  const issuedAt = Math.floor(said.now.getTime() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT' })
    .setIssuer(said.clientId)
    .setSubject(said.clientId)
    .setAudience(said.tokenUrl)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ASSERTION_SECONDS)
    .setJti(Buffer.from(said.chance(16)).toString('hex'))
    .sign(key.privateKey);
}
