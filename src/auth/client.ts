import { createHash, randomBytes } from 'node:crypto';
import { fail, isObject, ok, type Result } from '../kernel/index.ts';
import { isEmptyPromise, WORDS } from './narrow-scope.ts';
import { parseResourceScope, splitScopes } from './scope.ts';

/**
 * How a client proves who it is. `public` cannot; `symmetric` by a secret; `asymmetric` by a signed assertion;
 * `backend` by that too, and for itself, with no user.
 */
export const CLIENT_KINDS = ['public', 'symmetric', 'asymmetric', 'backend'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

export interface Client {
  readonly id: string;
  readonly name: string;
  readonly kind: ClientKind;
  readonly scope: string;
  readonly redirectUris: readonly string[];
  /** Where an EHR launch sends the user. */
  readonly launchUrl: string | null;
  /** Origins from which a browser may call for it: those of its redirect URIs, and any more that were registered. */
  readonly origins: readonly string[];
  readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] } | null;
  readonly jwksUri: string | null;
  /** SHA-256 of a secret of 256 random bits: nothing slower is needed for such. */
  readonly secretHash: string | null;
}
/** As the operator sees it: whoever is disabled is there for nobody else. */
export interface RegisteredClient extends Client {
  readonly state: 'active' | 'disabled';
}
export type ShownClient = Omit<RegisteredClient, 'secretHash'>;

const NAME = /^[^\p{Cc}<>]{1,100}$/u;
const LIST_MAX = 20;
const URL_MAX = 500;
const LOOPBACKS = new Set(['localhost', '127.0.0.1', '[::1]']);

export const hashSecret = (text: string): string => createHash('sha256').update(text).digest('base64url');
/** Without characters that some clients encode and others do not. */
export const newSecret = (): string => randomBytes(32).toString('hex');

/**
 * https, or http on this machine for development, or a scheme of an app's own; whole, without fragment or credentials.
 */
function isRedirectUri(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || text.length > URL_MAX || text.includes('#') || /[\s*]/.test(text)) return false;
  if (url.username + url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol === 'http:') return LOOPBACKS.has(url.hostname);
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol);
}
const isWebAddress = (text: string): boolean => isRedirectUri(text) && /^https?:/.test(text);
const isOriginText = (text: string): boolean => isWebAddress(text) && URL.parse(text)?.origin === text;

function isJwks(value: unknown): value is NonNullable<Client['jwks']> {
  if (typeof value !== 'object' || value === null || !('keys' in value) || !Array.isArray(value.keys)) return false;
  const keys = value.keys as unknown[];
  return (
    keys.length > 0 &&
    keys.length <= LIST_MAX &&
    keys.every((key) => {
      if (typeof key !== 'object' || key === null) return false;
      const { kty, kid, crv, n, d } = key as Record<string, unknown>;
      if (typeof kid !== 'string' || kid === '' || d !== undefined) return false;
      return kty === 'EC' ? crv === 'P-384' : kty === 'RSA' && typeof n === 'string' && n.length >= 342;
    })
  );
}

const texts = (value: unknown, isGood: (text: string) => boolean): readonly string[] | null =>
  Array.isArray(value) && value.length <= LIST_MAX && value.every((one) => typeof one === 'string' && isGood(one))
    ? [...new Set(value as string[])]
    : null;

const isScope = (scope: string, kind: ClientKind, isType: (name: string) => boolean): boolean => {
  const words = splitScopes(scope);
  return (
    words.length > 0 &&
    words.every((word) => {
      const resource = parseResourceScope(word);
      if (resource !== null && resource.type !== '*' && !isType(resource.type)) return false;
      if (resource !== null && isEmptyPromise(resource)) return false;
      if (kind === 'backend') return resource?.level === 'system';
      return resource === null ? (WORDS as readonly string[]).includes(word) : resource.level !== 'system';
    })
  );
};

/** Where the app's own pages live. */
const originsOf = (redirectUris: readonly string[]): string[] =>
  redirectUris.filter(isWebAddress).flatMap((uri) => URL.parse(uri)?.origin ?? []);

/** An id of the operator's choice: apps that move here may keep theirs. */
const CHOSEN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{2,63}$/;

/**
 * The client that a registration describes, but for its secret and an id that nobody chose; or the field that is wrong.
 */
export function parseRegistration(
  value: unknown,
  isType: (name: string) => boolean,
): Result<Omit<Client, 'id' | 'secretHash'> & { id: string | null }, string> {
  if (!isObject(value)) return fail('');
  const {
    id = null,
    name,
    kind,
    scope,
    redirectUris = [],
    launchUrl = null,
    origins = [],
    jwks = null,
    jwksUri = null,
    ...odd
  } = value;
  const [surplus] = Object.keys(odd);
  if (surplus !== undefined) return fail('');
  if (id !== null && (typeof id !== 'string' || !CHOSEN_ID.test(id))) return fail('id');
  if (typeof name !== 'string' || !NAME.test(name)) return fail('name');
  if (!CLIENT_KINDS.includes(kind as ClientKind)) return fail('kind');
  const of = kind as ClientKind;
  if (typeof scope !== 'string' || scope.length > 4_000 || !isScope(scope, of, isType)) return fail('scope');
  const redirects = texts(redirectUris, isRedirectUri);
  if (redirects === null || (redirects.length === 0) !== (of === 'backend')) return fail('redirectUris');
  if (launchUrl !== null && (typeof launchUrl !== 'string' || !isWebAddress(launchUrl) || of === 'backend'))
    return fail('launchUrl');
  const more = texts(origins, isOriginText);
  if (more === null) return fail('origins');
  const isSigning = of === 'asymmetric' || of === 'backend';
  if (jwks !== null && (!isSigning || !isJwks(jwks))) return fail('jwks');
  if (jwksUri !== null && (!isSigning || typeof jwksUri !== 'string' || !isWebAddress(jwksUri))) return fail('jwksUri');
  if (isSigning && (jwks === null) === (jwksUri === null)) return fail('jwks');
  return ok({
    id,
    name,
    kind: of,
    scope: splitScopes(scope).join(' '),
    redirectUris: redirects,
    launchUrl,
    origins: [...new Set([...originsOf(redirects), ...more])],
    jwks,
    jwksUri,
  });
}

/**
 * A registered client with some fields as somebody wants them; the others, its id, kind and secret stay. Or the field
 * that is wrong.
 */
export function parseChange(
  client: Client,
  change: Readonly<Record<string, unknown>>,
  isType: (name: string) => boolean,
): Result<Client, string> {
  const { id, kind, secretHash, name, scope, redirectUris, launchUrl, jwks, jwksUri } = client;
  const own = originsOf(redirectUris);
  const origins = client.origins.filter((one) => !own.includes(one));
  // Keys are given by value or by address: who gives one takes the other back.
  const keys = 'jwks' in change || 'jwksUri' in change ? {} : { jwks, jwksUri };
  const parsed = parseRegistration(
    { name, scope, redirectUris, launchUrl, origins, ...keys, ...change, id: null, kind },
    isType,
  );
  return parsed.ok ? ok({ ...parsed.value, id, secretHash }) : parsed;
}
