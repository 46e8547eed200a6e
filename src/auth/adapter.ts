import { errors, type Adapter, type AdapterPayload, type ClientMetadata } from 'oidc-provider';
import type { Clock, Result } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { Client } from './client.ts';
import { PAGE_CLIENT_ID, pageClientOf } from './page-client.ts';
import type { AuthReads, AuthWrites, FoundRecord } from './commands.ts';

export type AuthStore = Operate<AuthWrites, AuthReads>;

/**
 * Nothing is kept for longer than a family of refresh tokens: ONC's three months (170.315(g)(10)), however long those
 * are.
 */
export const LIFE_MAX_SECONDS = 92 * 86_400;

const CODE = 'AuthorizationCode';
/** A used code is kept for a day, though it is good for a minute: who comes with it again takes back what it gave. */
const CODE_KEPT_SECONDS = 86_400;

/** Under this name the provider's client carries ours. */
export const OWN_CLIENT = 'chartgate_client';

/** Inside the provider a store that is away is an error of OAuth's own words. */
export function must<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new errors.TemporarilyUnavailable('try again later', result.fault.code);
}

/** The provider looks at prototypes: what came from another thread is made anew here. */
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const AUTHENTICATION = {
  public: 'none',
  symmetric: 'client_secret_basic',
  asymmetric: 'private_key_jwt',
  backend: 'private_key_jwt',
} as const;

const toMetadata = (client: Client): ClientMetadata => ({
  client_id: client.id,
  client_name: client.name,
  redirect_uris: [...client.redirectUris],
  // A scheme of an app's own is for native apps alone; ours match to the letter either way.
  application_type: client.redirectUris.every((uri) => uri.startsWith('https:')) ? 'web' : 'native',
  token_endpoint_auth_method: AUTHENTICATION[client.kind],
  grant_types: client.kind === 'backend' ? ['client_credentials'] : ['authorization_code', 'refresh_token'],
  response_types: client.kind === 'backend' ? [] : ['code'],
  id_token_signed_response_alg: 'RS256',
  ...(client.secretHash === null ? {} : { client_secret: client.secretHash }),
  ...(client.jwks === null ? {} : { jwks: copy(client.jwks) }),
  ...(client.jwksUri === null ? {} : { jwks_uri: client.jwksUri }),
  [OWN_CLIENT]: client,
});

function toPayload(kind: string, found: FoundRecord | null, at: Date): AdapterPayload | undefined {
  if (found === null) return undefined;
  const payload = copy(found.payload as AdapterPayload);
  if (found.consumedAt === null) return payload;
  const consumed = Math.floor(found.consumedAt / 1000);
  // The provider looks at the expiry first and would not see that the code was used.
  return kind === CODE ? { ...payload, consumed, exp: Math.floor(at.getTime() / 1000) + 60 } : { ...payload, consumed };
}

/** The provider's state in the store, where every replica finds it. */
export const makeAdapter =
  (deps: { readonly tenant: string; readonly issuer: string; readonly store: AuthStore; readonly clock: Clock }) =>
  (kind: string): Adapter => {
    const { tenant, store, clock } = deps;
    const at = (): Date => clock.now();
    return {
      async upsert(id, payload, expiresIn) {
        const stored = await store.write('auth.put', {
          tenant,
          kind,
          id,
          payload: copy(payload),
          grantId: payload.grantId ?? null,
          uid: payload.uid ?? null,
          expiresAt: new Date(
            at().getTime() + (kind === CODE ? CODE_KEPT_SECONDS : (expiresIn ?? LIFE_MAX_SECONDS)) * 1000,
          ),
          at: at(),
          as: kind === 'ReplayDetection' ? 'first' : 'replacement',
        });
        // The provider looks first and writes then; between the two another replica may have been asked the same.
        if (must(stored) === 'already-there')
          throw new errors.InvalidClientAuth('client assertions must only be used once');
      },
      async find(id) {
        if (kind === 'Client' && id === PAGE_CLIENT_ID) return toMetadata(pageClientOf(deps.issuer));
        if (kind === 'Client') {
          const client = must(await store.read('auth.client', { tenant, id }));
          return client === null ? undefined : toMetadata(client);
        }
        return toPayload(kind, must(await store.read('auth.find', { tenant, kind, id, at: at() })), at());
      },
      findByUserCode: () => Promise.resolve(undefined),
      async findByUid(uid) {
        return toPayload(kind, must(await store.read('auth.find-by-uid', { tenant, kind, uid, at: at() })), at());
      },
      async consume(id) {
        if (must(await store.write('auth.consume', { tenant, kind, id, at: at() })) === 'repeated')
          throw new errors.InvalidGrant('already used');
      },
      async destroy(id) {
        must(await store.write('auth.remove', { tenant, kind, id }));
      },
      async revokeByGrantId(grantId) {
        must(await store.write('auth.remove-of-grant', { tenant, kind, grantId }));
      },
    };
  };
