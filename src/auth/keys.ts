import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { AuditDraft } from '../audit/index.ts';
import { ok, StartError, type Clock, type Result } from '../kernel/index.ts';
import type { AuthStore } from './adapter.ts';
import type { KeptKey } from './commands.ts';

export interface AuthKeys {
  /** Id tokens: the first signs, the others are shown until what they signed has ended. */
  readonly signing: readonly JWK[];
  readonly cookie: string;
}

/** What a rotation did. */
export interface RotatedKey {
  readonly kid: string;
  /** Keys that sign no more, and until when they are shown. */
  readonly retiring: readonly { readonly kid: string; readonly until: Date }[];
}

export const ID_TOKEN_SECONDS = 3_600;
/** As long as its last token lives, and a little for clocks that differ. */
const RETIRING_MS = (ID_TOKEN_SECONDS + 300) * 1_000;

/** How often at most it is put down that a key signs. */
const NOTED_MS = 300_000;
const SIGNER_KIND = 'SigningKey';

const SIGNING = 'id-token-';
/** Under one name for whoever starts first; later ones have names of their own. */
const FIRST = `${SIGNING}rs256-1`;
const COOKIE = 'cookie-1';

async function newSigningKey(): Promise<{ readonly kid: string; readonly value: string }> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  const kid = randomBytes(8).toString('hex');
  return { kid, value: JSON.stringify({ ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }) };
}

interface Deps {
  readonly tenant: string;
  readonly store: AuthStore;
  readonly clock: Clock;
}

/** Newest first, each with when it is no longer shown; null for the one that signs. */
const inForce = (
  kept: readonly KeptKey[],
  at: Date,
): { readonly jwk: JWK; readonly madeAt: Date; readonly until: Date | null }[] =>
  kept
    .map(({ value, madeAt }, n) => {
      const next = kept[n - 1];
      return {
        jwk: JSON.parse(value) as JWK,
        madeAt,
        until: next === undefined ? null : new Date(next.madeAt.getTime() + RETIRING_MS),
      };
    })
    .filter(({ until }) => until === null || until > at);

/** A key of id tokens, for whoever looks after keys. */
export interface SigningKeyAge {
  readonly kid: string;
  readonly madeAt: Date;
  /** False: it signs no more, and is shown until what it signed has ended. */
  readonly isInUse: boolean;
}

/** Newest first. */
export async function readKeyAges({ tenant, store, clock }: Deps): Promise<Result<readonly SigningKeyAge[]>> {
  const kept = await store.read('auth.keys', { tenant, prefix: SIGNING });
  if (!kept.ok) return kept;
  return ok(
    inForce(kept.value, clock.now()).map(({ jwk, until, madeAt }) => ({
      kid: String(jwk.kid),
      madeAt,
      isInUse: until === null,
    })),
  );
}

/** The keys of id tokens as every replica must have them at this moment. None where none was made yet. */
export async function readSigningKeys({ tenant, store, clock }: Deps): Promise<Result<readonly JWK[]>> {
  const kept = await store.read('auth.keys', { tenant, prefix: SIGNING });
  return kept.ok ? ok(inForce(kept.value, clock.now()).map(({ jwk }) => jwk)) : kept;
}

/**
 * The same for whoever is about to sign with the first of them, which is put down before. The keys are read again after
 * that: a key that is put down only after another has followed it signs nothing.
 */
export function makeKeysToSign(deps: Deps): () => Promise<Result<readonly JWK[]>> {
  const { tenant, store, clock } = deps;
  let noted = { kid: '', untilMs: 0 };
  return async () => {
    for (;;) {
      const keys = await readSigningKeys(deps);
      const kid = keys.ok ? keys.value[0]?.kid : undefined;
      const at = clock.now();
      if (kid === undefined || (noted.kid === kid && noted.untilMs >= at.getTime() + RETIRING_MS)) return keys;
      const untilMs = at.getTime() + RETIRING_MS + NOTED_MS;
      const key = { tenant, kind: SIGNER_KIND, id: kid };
      const expiresAt = new Date(untilMs);
      const put = await store.write('auth.put', {
        ...key,
        payload: {},
        grantId: null,
        uid: null,
        expiresAt,
        at,
        as: 'replacement',
      });
      if (!put.ok) return put;
      noted = { kid, untilMs };
    }
  };
}

/** The keys that signed nothing that is still valid. The newest may be signing at this moment, and is none of them. */
async function spentKeys({ tenant, store, clock }: Deps): Promise<Result<readonly string[]>> {
  const kept = await store.read('auth.keys', { tenant, prefix: SIGNING });
  if (!kept.ok) return kept;
  const spent: string[] = [];
  for (const { name, value } of kept.value.slice(1)) {
    const key = { tenant, kind: SIGNER_KIND, id: String((JSON.parse(value) as JWK).kid) };
    const signer = await store.read('auth.find', { ...key, at: clock.now() });
    if (!signer.ok) return signer;
    if (signer.value === null) spent.push(name);
  }
  return ok(spent);
}

/** Makes a key that signs from now on, at every replica. */
export async function rotateSigningKey(deps: Deps, audit: AuditDraft): Promise<Result<RotatedKey>> {
  const { tenant, store, clock } = deps;
  const { kid, value } = await newSigningKey();
  const name = `${SIGNING}${kid}`;
  const spent = await spentKeys(deps);
  if (!spent.ok) return spent;
  const rotation = { prefix: SIGNING, name, value, keptMs: RETIRING_MS, spent: spent.value, audit };
  const done = await store.write('auth.rotate-key', rotation);
  if (!done.ok) return done;
  const kept = await store.read('auth.keys', { tenant, prefix: SIGNING });
  if (!kept.ok) return kept;
  const retiring = inForce(kept.value, clock.now()).flatMap(({ jwk, until }) =>
    until === null ? [] : [{ kid: String(jwk.kid), until }],
  );
  return ok({ kid, retiring });
}

/** The keys that every replica uses: made by whoever starts first, and sealed in the store. */
export async function loadKeys(deps: Deps): Promise<AuthKeys> {
  const { tenant, store, clock } = deps;
  const must = <T>(result: Result<T>): T => {
    if (result.ok) return result.value;
    throw new StartError(
      result.fault.code,
      'The keys of the authorization server could not be stored.',
      result.fault.cause,
    );
  };
  const keep = async (name: string, value: string): Promise<string> =>
    must(await store.write('auth.keep-key', { tenant, name, value, at: clock.now() }));

  const cookie = must(await store.read('auth.key', { tenant, name: COOKIE }));
  const signing = must(await readSigningKeys(deps));
  return {
    signing: signing.length > 0 ? signing : [JSON.parse(await keep(FIRST, (await newSigningKey()).value)) as JWK],
    cookie: cookie ?? (await keep(COOKIE, randomBytes(32).toString('base64url'))),
  };
}
