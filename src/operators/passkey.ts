import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Factor, PasskeyData } from './operator.ts';

/** Loaded where it is used: a start does not wait for it. */
const load = () => import('@simplewebauthn/server');

type Passkey = Extract<Factor, { kind: 'passkey' }>;
/** Whom a passkey is for: the host of our own address, on pages of our own origin. */
const siteOf = (publicUrl: string) => {
  const { hostname, origin } = new URL(publicUrl);
  return { rpID: hostname, origin };
};
const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64url'));
const TIMEOUT_MS = 120_000;

/** What a browser is asked to make a passkey by. */
export async function askForNewPasskey(
  publicUrl: string,
  person: { readonly id: string; readonly name: string; readonly displayName: string },
  known: readonly Passkey[],
) {
  const { generateRegistrationOptions } = await load();
  return generateRegistrationOptions({
    rpName: 'Chartgate',
    rpID: siteOf(publicUrl).rpID,
    userID: new Uint8Array(Buffer.from(person.id)),
    userName: person.name,
    userDisplayName: person.displayName,
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
    authenticatorSelection: { userVerification: 'required', residentKey: 'preferred' },
  });
}

/** Null for whatever is no answer to that challenge. */
export async function readNewPasskey(
  publicUrl: string,
  challenge: string,
  response: unknown,
): Promise<(PasskeyData & { readonly counter: number }) | null> {
  const { rpID, origin } = siteOf(publicUrl);
  try {
    const { verifyRegistrationResponse } = await load();
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
    });
    if (!verified) return null;
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    return { credentialId: id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports };
  } catch {
    // The library throws for every answer that does not fit.
    return null;
  }
}

/** What a browser is asked to sign. */
export async function askForPasskey(publicUrl: string, known: readonly Passkey[]) {
  const { generateAuthenticationOptions } = await load();
  return generateAuthenticationOptions({
    rpID: siteOf(publicUrl).rpID,
    timeout: TIMEOUT_MS,
    userVerification: 'required',
    allowCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
  });
}

/** Which passkey signed the challenge, and its count; null for whatever is no such signature. */
export async function readPasskey(
  publicUrl: string,
  challenge: string,
  response: unknown,
  known: readonly Passkey[],
): Promise<{ readonly factorId: string; readonly counter: number } | null> {
  const { rpID, origin } = siteOf(publicUrl);
  const given = response as AuthenticationResponseJSON;
  const factor = known.find(({ credentialId }) => credentialId === given.id);
  if (factor === undefined) return null;
  try {
    const { verifyAuthenticationResponse } = await load();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: given,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      credential: { id: factor.credentialId, publicKey: bytes(factor.publicKey), counter: factor.counter },
      requireUserVerification: true,
    });
    return verified ? { factorId: factor.id, counter: authenticationInfo.newCounter } : null;
  } catch {
    // The library throws for every answer that does not fit.
    return null;
  }
}
