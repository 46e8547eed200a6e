import { fail, fault, ok, type Clock, type Result } from '../kernel/index.ts';
import type { AuthStore } from './adapter.ts';
import type { FoundToken } from './commands.ts';
import type { Grant, VerifyToken } from './grant.ts';
import { narrowScope } from './narrow-scope.ts';
import type { RecordDenial } from './record-denial.ts';
import { parseResourceScope, splitScopes } from './scope.ts';
import { makeSteadyNow } from './steady-now.ts';

/** 256 bits, as the provider makes them. */
const BEARER = /^Bearer ([A-Za-z0-9_-]{43})$/i;

/** The last use is shown by the minute; it is not written more often. */
const USED_EVERY_MS = 60_000;

interface TokenPayload {
  readonly accountId?: string;
  readonly exp: number;
  readonly aud?: string;
  readonly scope?: string;
  readonly expiresWithSession?: boolean;
  readonly sessionUid?: string;
  readonly extra?: { readonly patient?: string; readonly encounter?: string };
}

export const toScopes = (scope: string): Pick<Grant, 'scopes' | 'words'> => {
  const parsed = splitScopes(scope).map((word) => ({ word, resource: parseResourceScope(word) }));
  return {
    scopes: parsed.flatMap(({ resource }) => resource ?? []),
    words: parsed.filter(({ resource }) => resource === null).map(({ word }) => word),
  };
};

/** What is asked within one second is the same question, whose answer may be kept. */
const toSecond = (at: Date): Date => new Date(Math.floor(at.getTime() / 1000) * 1000);

/** Whether the token was to end with a session that has ended. */
export async function isOver(
  { tenant, store }: { readonly tenant: string; readonly store: AuthStore },
  payload: unknown,
  at: Date,
): Promise<Result<boolean>> {
  const { expiresWithSession, sessionUid } = payload as TokenPayload;
  if (expiresWithSession !== true) return ok(false);
  const session = await store.readKept('auth.find-by-uid', {
    tenant,
    kind: 'Session',
    uid: sessionUid ?? '',
    at: toSecond(at),
  });
  return session.ok ? ok(session.value === null) : session;
}

/**
 * Tokens of our own server: looked up in the store each time, so that what was revoked anywhere is worth nothing at
 * once.
 */
export function makeVerifyEmbedded(deps: {
  readonly tenant: string;
  readonly issuer: string;
  readonly fhirBase: string;
  readonly store: AuthStore;
  readonly isType: (name: string) => boolean;
  readonly clock: Clock;
  readonly deny: RecordDenial;
}): VerifyToken {
  const { tenant, store, issuer } = deps;
  const now = makeSteadyNow(deps.clock);
  /** Of what was looked up: as long as the store gives the same answer, it allows the same. */
  const scopesOf = new WeakMap<object, Pick<Grant, 'scopes' | 'words'>>();

  function allowedScopes(found: FoundToken): Pick<Grant, 'scopes' | 'words'> {
    const known = scopesOf.get(found);
    if (known !== undefined) return known;
    const { scope = '' } = found.payload as TokenPayload;
    // What the app may have was perhaps made less since.
    const scopes = toScopes(narrowScope(scope, found.client.scope, deps.isType).join(' '));
    scopesOf.set(found, scopes);
    return scopes;
  }

  return async (authorization, asked): Promise<Result<Grant>> => {
    const refuse = (why: string): Result<Grant> => {
      deps.deny(why, asked);
      return fail(fault('smart.unauthenticated'));
    };
    const [, token] = BEARER.exec(authorization ?? '') ?? [];
    if (token === undefined) return refuse(authorization === undefined ? 'no-token' : 'not-a-token');
    const exactly = now();
    // The token's own end is looked at to the millisecond below.
    const read = await store.readKept('auth.token', { tenant, token, at: toSecond(exactly) });
    if (!read.ok) return read;
    if (read.value === null) return refuse('unknown-token');
    const { client, tokenId, kind, use } = read.value;
    const payload = read.value.payload as TokenPayload;
    if (payload.exp * 1000 <= exactly.getTime()) return refuse('expired');
    if (payload.aud !== deps.fhirBase) return refuse('audience');
    const over = await isOver(deps, payload, exactly);
    if (!over.ok) return over;
    if (over.value) return refuse('session-ended');
    const user =
      payload.accountId === undefined ? null : await store.readKept('auth.account', { tenant, id: payload.accountId });
    if (user?.ok === false) return user;
    if (exactly.getTime() - (use.usedAtMs ?? 0) >= USED_EVERY_MS)
      void store.writeBehind('auth.use-grant', { tenant, id: use.id, at: exactly });
    const scopes = allowedScopes(read.value);
    const isBound = payload.expiresWithSession === true;
    // Only who was allowed to act while the person is away outlives the token; and a client that acts for itself.
    const isLasting = isBound || kind === 'ClientCredentials' || scopes.words.includes('offline_access');
    return ok({
      issuer,
      subject: payload.accountId ?? client.id,
      clientId: client.id,
      tokenId,
      ...scopes,
      patient: payload.extra?.patient ?? null,
      encounter: payload.extra?.encounter ?? null,
      fhirUser: kind === 'AccessToken' ? (user?.value?.fhirUser ?? null) : null,
      expiresAt: new Date(payload.exp * 1000),
      origins: client.origins,
      standing: {
        issuer,
        clientId: client.id,
        accountId: payload.accountId ?? null,
        subject: payload.accountId ?? client.id,
        grantId: kind === 'AccessToken' ? use.id : null,
        sessionUid: isBound ? (payload.sessionUid ?? '') : null,
        scope: payload.scope ?? '',
        patient: payload.extra?.patient ?? null,
        untilMs: isLasting ? null : payload.exp * 1000,
      },
    });
  };
}
