import {
  fail,
  fault,
  ok,
  type Chance,
  type Clock,
  type Fault,
  type NewId,
  type Result,
  type Secret,
} from '../kernel/index.ts';
import { basicAuthorizer, bearerAuthorizer, noAuthorizer, type Authorizer } from './authorize.ts';
import { classifyExchange, type Verdict } from './classify-answer.ts';
import { makeDiscoverTokenUrl } from './discover-token-url.ts';
import type { AbandonSignal, Answered, EhrRequest, Exchange } from './exchange.ts';
import { makeFetchToken } from './fetch-token.ts';
import { makeAddressGuard, type AddressGuard } from './guard-address.ts';
import { loadClientKeys } from './load-client-key.ts';
import { EHR_LIMITS, openPool, type EhrLimits, type EhrTls } from './open-pool.ts';
import { publicJwks, type Jwks } from './publish-jwks.ts';
import type { EhrAccess } from './refuse-writes.ts';
import { makeSendOnce } from './send-request.ts';
import { smartBackendAuthorizer } from './smart-backend.ts';

export type EhrAuth =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic'; readonly username: string; readonly password: Secret }
  | { readonly kind: 'bearer'; readonly token: Secret }
  | {
      readonly kind: 'smart-backend';
      readonly clientId: string;
      readonly privateKey: Secret;
      /** Null: discovered once, over https. */
      readonly tokenUrl: string | null;
      readonly scope: string;
    };

export interface EhrTarget {
  readonly url: string;
  readonly auth: EhrAuth;
  readonly tls: EhrTls | null;
}

/**
 * What came of a request, and what it means. `exchange` is null where nothing was sent: no token, an address that is
 * not ours, or a write in shadow mode.
 */
export type Sent =
  | { readonly exchange: Exchange; readonly verdict: Verdict }
  | { readonly exchange: null; readonly verdict: Exclude<Verdict, { readonly kind: 'ok' }> };

export interface Ehr {
  readonly guard: AddressGuard;
  /** Never throws for what an EHR or a network does. */
  send(request: EhrRequest): Promise<Sent>;
  /** The same for who wants an answer or a fault. */
  ask(request: EhrRequest): Promise<Result<Answered>>;
  readonly publicJwks: Jwks;
  close(): Promise<void>;
}

/**
 * A token endpoint that refuses us pauses the target; one that is down is waited for; no FHIR request has left in
 * either case.
 */
function withoutToken(why: Fault): Exclude<Verdict, { kind: 'ok' }> {
  if (why.code === 'ehr.abandoned') return { kind: 'abandoned', effect: 'none', fault: why };
  return why.code === 'ehr.token-unavailable'
    ? { kind: 'retry-later', afterMs: null, patience: 'long', effect: 'none', fault: why }
    : { kind: 'auth', fault: why };
}

/** A caller does not wait for a token longer than it wants to; the token is fetched to its end for the others. */
function orAbandoned<T>(waiting: Promise<Result<T>>, signal: AbandonSignal | undefined): Promise<Result<T>> {
  if (signal === undefined) return waiting;
  return new Promise((resolve, reject) => {
    const abandon = (): void => resolve(fail(fault('ehr.abandoned')));
    if (signal.aborted) abandon();
    signal.addEventListener('abort', abandon);
    waiting.then(resolve, reject).finally(() => signal.removeEventListener('abort', abandon));
  });
}

/** The only way to the EHR. Throws a StartError where key, certificate or base cannot be used. */
export function openEhr(deps: {
  readonly target: EhrTarget;
  /**
   * `read-only`: whatever may change something at the EHR is refused as `ehr.shadow`. Tokens are fetched all the same.
   */
  readonly access?: EhrAccess;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly newId: NewId;
  readonly limits?: Partial<EhrLimits>;
}): Ehr {
  const { target, access = 'read-write', clock, chance, newId } = deps;
  const { auth, tls } = target;
  const limits = { ...EHR_LIMITS, ...deps.limits };
  const guard = makeAddressGuard(target.url);
  const pool = openPool(guard.origin, tls, limits);
  const sendOnce = makeSendOnce({ guard, pool, limits, access });
  const tokens = makeFetchToken({
    openPool: (origin) =>
      openPool(
        origin,
        tls,
        { ...limits, connectionsMax: 1, answerBytesMax: 256 * 1024 },
        origin === guard.origin ? 'own' : 'own-and-public',
      ),
    deadlineMs: Math.min(limits.deadlineMs, 15_000),
  });
  const keys = auth.kind === 'smart-backend' ? loadClientKeys(auth.privateKey) : null;
  const authorizer = makeAuthorizer();

  function makeAuthorizer(): Authorizer {
    switch (auth.kind) {
      case 'none':
        return noAuthorizer();
      case 'basic':
        return basicAuthorizer(auth.username, auth.password);
      case 'bearer':
        return bearerAuthorizer(auth.token);
      case 'smart-backend': {
        const { tokenUrl } = auth;
        const discover = makeDiscoverTokenUrl({ send: sendOnce, now: clock.now, newRequestId: () => newId('req') });
        return smartBackendAuthorizer({
          clientId: auth.clientId,
          scope: auth.scope,
          key: (keys ?? loadClientKeys(auth.privateKey))[0],
          findTokenUrl: tokenUrl === null ? discover : () => Promise.resolve(ok(tokenUrl)),
          fetchToken: tokens.fetchToken,
          clock,
          chance,
        });
      }
    }
  }

  /** Once more with a new token after a 401, which says that nothing was done. */
  async function exchange(request: EhrRequest, mayRenew: 'may-renew' | 'last'): Promise<Sent> {
    const authorized = authorizer.authorize();
    const header = authorized instanceof Promise ? await orAbandoned(authorized, request.signal) : authorized;
    if (!header.ok) return { exchange: null, verdict: withoutToken(header.fault) };
    const sent = await sendOnce(request, header.value);
    if (!sent.ok) return { exchange: null, verdict: { kind: 'rejected', fault: sent.fault } };
    const isRefused = sent.value.kind === 'answered' && sent.value.status === 401 && header.value !== null;
    if (isRefused && mayRenew === 'may-renew' && authorizer.renew(header.value) === 'worth-a-try')
      return exchange(request, 'last');
    return { exchange: sent.value, verdict: classifyExchange(sent.value, request, clock.now()) };
  }

  const send = (request: EhrRequest): Promise<Sent> => exchange(request, 'may-renew');

  return {
    guard,
    send,
    async ask(request) {
      const { exchange: made, verdict } = await send(request);
      if (verdict.kind !== 'ok') return fail(verdict.fault);
      if (made?.kind !== 'answered') throw new Error('an exchange without an answer cannot be good');
      return ok(made);
    },
    publicJwks: publicJwks(keys),
    close: async () => {
      await Promise.all([pool.destroy(), tokens.close()]);
    },
  };
}
