import { hash } from 'node:crypto';
import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload } from 'jose';
import { fail, fault, isObject, ok, type Clock, type Result, type Secret } from '../kernel/index.ts';
import { fetchBounded } from './fetch-bounded.ts';
import type { Grant, VerifyToken } from './grant.ts';
import { parseFhirUser } from './parse-fhir-user.ts';
import type { Asker, RecordDenial } from './record-denial.ts';
import { makeSteadyNow } from './steady-now.ts';
import { toScopes } from './verify-embedded.ts';

export interface ExternalIssuer {
  readonly issuer: string;
  readonly origins: readonly string[];
  /** The claim that says who the user is: `Practitioner/1`. */
  readonly userClaim: string;
  readonly check:
    | { readonly by: 'keys'; readonly jwksUrl: string }
    | {
        readonly by: 'introspection';
        readonly url: string;
        readonly clientId: string;
        readonly secret: Secret;
        /** `if-sent`: the issuer makes tokens for this server alone, and does not say so. */
        readonly audience: 'required' | 'if-sent';
      };
}

type Claims = Readonly<Record<string, unknown>>;
/** Claims that hold, why they do not, or that nobody could be asked. */
type Checked = { readonly claims: Claims } | { readonly why: string } | { readonly away: unknown };

/** Anybody can send a token that must be asked about; the issuer is not asked about more at once. */
const ASKING_MAX = 64;
/**
 * A signature that held is not computed again for so long; its key may be withdrawn meanwhile. Time is looked at each
 * time.
 */
const REMEMBERED = { keepMs: 30_000, entriesMax: 2_000 } as const;
const TOKEN_LENGTH_MAX = 8_192;
const LIFE_SECONDS_MAX = 3_600;
const SKEW_SECONDS = 5;
const ALGORITHMS = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'];
const REQUIRED = ['exp', 'iat', 'sub', 'scope', 'client_id', 'jti'];
const FHIR_ID = /^(?!\.+$)[A-Za-z0-9\-.]{1,64}$/;

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const idOf = (value: unknown): string | null => (typeof value === 'string' && FHIR_ID.test(value) ? value : null);
const isClaims = (value: unknown): value is Claims => isObject(value);
const isOnly = (aud: unknown, ours: string): boolean =>
  aud === ours || (Array.isArray(aud) && aud.length === 1 && aud[0] === ours);

/** Both keep their order: the first is the oldest. */
function makeRoom(held: Map<string, unknown> | Set<string>): void {
  const [oldest] = held.keys();
  if (oldest !== undefined && held.size >= REMEMBERED.entriesMax) held.delete(oldest);
}

function makeCheckByKeys(of: ExternalIssuer, jwksUrl: string, fhirBase: string, now: () => Date) {
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    cooldownDuration: 30_000,
    timeoutDuration: 3_000,
    cacheMaxAge: 600_000,
    [customFetch]: (url, { headers }) => fetchBounded(url, { headers }),
  });
  const held = new Map<string, { readonly claims: Claims; readonly untilMs: number }>();

  function remember(digest: string, payload: JWTPayload): void {
    makeRoom(held);
    held.set(digest, {
      claims: payload,
      untilMs: Math.min(now().getTime() + REMEMBERED.keepMs, (payload.exp ?? 0) * 1000),
    });
  }

  async function verify(token: string, digest: string): Promise<Checked> {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: of.issuer,
        audience: fhirBase,
        algorithms: ALGORITHMS,
        typ: 'at+jwt',
        requiredClaims: REQUIRED,
        clockTolerance: SKEW_SECONDS,
        maxTokenAge: '1h',
        currentDate: now(),
      });
      // A token for two servers could be taken to the other one by either.
      if (!isOnly(payload.aud, fhirBase)) return { why: 'audience' };
      if ((payload.exp ?? Infinity) - (payload.iat ?? 0) > LIFE_SECONDS_MAX) return { why: 'life' };
      remember(digest, payload);
      return { claims: payload };
    } catch (thrown) {
      const isTheirs =
        thrown instanceof errors.JOSEError &&
        !(thrown instanceof errors.JWKSTimeout || thrown instanceof errors.JWKSInvalid);
      return isTheirs && thrown.code !== 'ERR_JOSE_GENERIC' ? { why: thrown.code.toLowerCase() } : { away: thrown };
    }
  }

  return (token: string): Checked | Promise<Checked> => {
    const digest = hash('sha256', token);
    const known = held.get(digest);
    if (known !== undefined && now().getTime() < known.untilMs) return { claims: known.claims };
    held.delete(digest);
    return verify(token, digest);
  };
}

function makeCheckByIntrospection(
  of: ExternalIssuer,
  ask: Extract<ExternalIssuer['check'], { by: 'introspection' }>,
  fhirBase: string,
  now: () => Date,
) {
  const encode = (part: string): string => encodeURIComponent(part);
  const credentials = Buffer.from(`${encode(ask.clientId)}:${encode(ask.secret.reveal())}`).toString('base64');
  let asking = 0;
  return async (token: string): Promise<Checked> => {
    let told: unknown;
    if (asking >= ASKING_MAX) return { away: new Error('too many are asked about') };
    asking += 1;
    try {
      const answer = await fetchBounded(ask.url, {
        method: 'POST',
        headers: {
          authorization: `Basic ${credentials}`,
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
      });
      if (answer.status !== 200) return { away: new Error(`status ${answer.status}`) };
      told = await answer.json();
    } catch (thrown) {
      return { away: thrown };
    } finally {
      asking -= 1;
    }
    if (!isClaims(told)) return { away: new Error('no object') };
    if (told['active'] !== true) return { why: 'not-active' };
    if (told['iss'] !== undefined && told['iss'] !== of.issuer) return { why: 'issuer' };
    const isForUs = told['aud'] === undefined ? ask.audience === 'if-sent' : isOnly(told['aud'], fhirBase);
    if (!isForUs) return { why: 'audience' };
    // Some issuers call a refresh token active too.
    const kind = told['token_type'];
    if (kind !== undefined && (typeof kind !== 'string' || !/^bearer$/i.test(kind)))
      return { why: 'not-an-access-token' };
    if (typeof told['exp'] !== 'number' || told['exp'] * 1000 <= now().getTime()) return { why: 'expired' };
    return { claims: told };
  };
}

interface Allowed {
  readonly grant: Grant;
  /** Why scopes of the user were left out; null where none were. */
  readonly lost: string | null;
}

/** What claims allow; null where they do not say to whom or what. */
function readClaims(claims: Claims, token: string, external: ExternalIssuer, bases: readonly string[]): Allowed | null {
  const [clientId, scope] = [text(claims['client_id']), text(claims['scope'])];
  if (clientId === null || scope === null) return null;
  const user = parseFhirUser(Object.hasOwn(claims, external.userClaim) ? claims[external.userClaim] : undefined, bases);
  const { scopes, words } = toScopes(scope);
  // `user/` is what that user may see, and here only clinicians may see the patients of others.
  const held = user.kind === 'clinician' ? scopes : scopes.filter(({ level }) => level !== 'user');
  const why = user.kind === 'unknown' ? user.why : 'not-a-clinician';
  return {
    lost: held.length < scopes.length ? `user-scope:${why}` : null,
    grant: {
      issuer: external.issuer,
      subject: text(claims['sub']) ?? clientId,
      clientId,
      tokenId: `tok_${hash('sha256', text(claims['jti']) ?? token).slice(0, 32)}`,
      scopes: held,
      words,
      patient: idOf(claims['patient']),
      encounter: idOf(claims['encounter']),
      fhirUser: user.kind === 'unknown' ? null : user.reference,
      expiresAt: new Date(Number(claims['exp']) * 1000),
      origins: external.origins,
    },
  };
}

/** Tokens of an issuer elsewhere: JWTs by its keys, or any token by asking it. */
export function makeVerifyExternal(deps: {
  readonly external: ExternalIssuer;
  readonly fhirBase: string;
  /** The EHR's own: an issuer that belongs to it names people there. */
  readonly ehrBase: string;
  readonly clock: Clock;
  readonly deny: RecordDenial;
}): VerifyToken {
  const { external, fhirBase } = deps;
  const bases = [fhirBase, deps.ehrBase];
  /** Tokens of which the audit knows already that they lost scopes. */
  const told = new Set<string>();
  /** What the same claims allow is the same; they are one token's, and gone when that is asked about anew. */
  const allowed = new WeakMap<Claims, Allowed | null>();
  const now = makeSteadyNow(deps.clock);
  const check =
    external.check.by === 'keys'
      ? makeCheckByKeys(external, external.check.jwksUrl, fhirBase, now)
      : makeCheckByIntrospection(external, external.check, fhirBase, now);

  function allowedBy(claims: Claims, token: string): Allowed | null {
    const known = allowed.get(claims);
    if (known !== undefined) return known;
    const read = readClaims(claims, token, external, bases);
    allowed.set(claims, read);
    return read;
  }

  function refuse(why: string, asker: Asker | undefined): Result<Grant> {
    deps.deny(why, asker);
    return fail(fault('smart.unauthenticated'));
  }

  function grantOf(checked: Checked, token: string, asker: Asker | undefined): Result<Grant> {
    if ('away' in checked) return fail(fault('auth.issuer', { cause: checked.away }));
    if ('why' in checked) return refuse(checked.why, asker);
    const read = allowedBy(checked.claims, token);
    if (read === null) return refuse('claims', asker);
    const { grant, lost } = read;
    if (lost !== null && !told.has(grant.tokenId)) {
      makeRoom(told);
      told.add(grant.tokenId);
      deps.deny(lost, asker);
    }
    return ok(grant);
  }

  return (authorization, asker) => {
    const [, token] = /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? '') ?? [];
    if (token === undefined) return refuse(authorization === undefined ? 'no-token' : 'not-a-token', asker);
    if (token.length > TOKEN_LENGTH_MAX) return refuse('too-long', asker);
    const checked = check(token);
    return checked instanceof Promise
      ? checked.then((found) => grantOf(found, token, asker))
      : grantOf(checked, token, asker);
  };
}
