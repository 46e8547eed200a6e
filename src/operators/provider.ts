import type { Configuration, CustomFetch } from 'openid-client';
import { fetchBounded, makeLimitTries, REQUESTS } from '../auth/index.ts';
import {
  fail,
  fault,
  ok,
  shareCalls,
  type Answer,
  type Ask,
  type Result,
  type Route,
  type Secret,
} from '../kernel/index.ts';
import { cookieOf, FLOW_COOKIE, noCookie, readCookie, SESSION_COOKIE } from './cookie.ts';
import { newSecret, SECRET, type OperatorDeps } from './deps.ts';
import { draftSignIn } from './draft-audit.ts';
import { SHOWN_NAME } from './operator.ts';
import { ROLES, type Role } from './permissions.ts';
import { SESSION_MS } from './session.ts';
import { visitOf } from './visit-of.ts';

/** The hospital's own sign-in: who the provider vouches for, and which of its groups have which roles here. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly groupsClaim: string;
  readonly groups: ReadonlyMap<string, readonly Role[]>;
}

/** What must come back with the answer. */
interface Flow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly purpose: 'sign-in' | 'proof';
}

const START = '/operator/provider/start';
const BACK = '/operator/provider/back';
const PAGE = '/operator/sign-in';
const FLOW_MS = 10 * 60_000;
const DISCOVERY_MS = 60 * 60_000;
const AGENT_MAX = 200;

/** Loaded where it is used: a start does not wait for it. */
const load = () => import('openid-client');

const redirect = (location: string): Answer => ({ status: 303, headers: { Location: location }, body: '' });
const saying = (code: string): Result<Answer> => ok(redirect(`${PAGE}?wrong=${code}`));

export function rolesOfGroups(claim: unknown, groups: ProviderSettings['groups']): Role[] {
  const named = (Array.isArray(claim) ? claim : [claim]).filter((one) => typeof one === 'string');
  const given = new Set(named.flatMap((group) => groups.get(group) ?? []));
  return ROLES.filter((role) => given.has(role));
}

const shownAs = (...names: readonly unknown[]): string =>
  names.find((name): name is string => typeof name === 'string' && SHOWN_NAME.test(name)) ?? 'unnamed';

/** Sign-in at an external OpenID provider: authorization code, PKCE, nonce and state; roles are read at every one. */
export function makeProviderRoutes(deps: OperatorDeps & { readonly settings: ProviderSettings | null }): Route[] {
  const { tenant, store, settings, publicUrl, clock, chance } = deps;
  const limit = shareCalls(deps.peers, 'operator-provider', makeLimitTries(clock, REQUESTS));
  const nowMs = (): number => deps.now().getTime();
  const backUrl = new URL(BACK, publicUrl).href;
  let known: { readonly config: Promise<Configuration>; readonly untilMs: number } | null = null;

  async function discover(of: ProviderSettings): Promise<Configuration> {
    const client = await load();
    const { ClientSecretBasic, customFetch, discovery, enableNonRepudiationChecks } = client;
    // The settings take plain http for loopback alone.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- not deprecated but marked, so that it stands out
    const plain = new URL(of.issuer).protocol === 'http:' ? [client.allowInsecureRequests] : [];
    return discovery(new URL(of.issuer), of.clientId, undefined, ClientSecretBasic(of.clientSecret.reveal()), {
      execute: [...plain, enableNonRepudiationChecks],
      [customFetch]: ((url, init) => fetchBounded(url, init as RequestInit)) satisfies CustomFetch,
    });
  }
  async function configuration(of: ProviderSettings): Promise<Configuration> {
    if (known === null || clock.monotonicMs() >= known.untilMs)
      known = { config: discover(of), untilMs: clock.monotonicMs() + DISCOVERY_MS };
    try {
      return await known.config;
    } catch (thrown) {
      known = null;
      throw thrown;
    }
  }

  async function start(ask: Ask, of: ProviderSettings): Promise<Result<Answer>> {
    const visit = visitOf(ask);
    if (!limit.take(visit.address)) {
      deps.deny({ requestId: ask.requestId, why: 'operator-provider:too-many', remoteAddress: visit.address });
      return fail(fault('operator.too-many'));
    }
    const query = new URL(ask.request.url ?? '/', publicUrl).searchParams;
    const purpose = query.get('purpose') ?? 'sign-in';
    if (purpose !== 'sign-in' && purpose !== 'proof')
      return fail(fault('admin.parameter', { at: 'purpose', detail: 'purpose must be sign-in or proof.' }));
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await load();
    const flow: Flow = { state: newSecret(chance), nonce: newSecret(chance), verifier: newSecret(chance), purpose };
    const secret = newSecret(chance);
    const put = { tenant, secret: `flow ${secret}`, payload: flow, expiresAtMs: nowMs() + FLOW_MS, atMs: nowMs() };
    const done = await store.write('operator.put-moment', put);
    if (!done.ok) return done;
    const to = buildAuthorizationUrl(await configuration(of), {
      redirect_uri: backUrl,
      response_type: 'code',
      scope: 'openid profile email',
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
      ...(purpose === 'proof' ? { prompt: 'login', max_age: '0' } : {}),
    });
    ask.setHeader('Set-Cookie', cookieOf(FLOW_COOKIE, secret, FLOW_MS));
    return ok(redirect(to.href));
  }

  /** What the provider says of the person; throws where the answer is not to that question. */
  async function readClaims(ask: Ask, of: ProviderSettings, flow: Flow) {
    const { authorizationCodeGrant, fetchUserInfo } = await load();
    const config = await configuration(of);
    const tokens = await authorizationCodeGrant(config, new URL(ask.request.url ?? '/', publicUrl), {
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      pkceCodeVerifier: flow.verifier,
      idTokenExpected: true,
      ...(flow.purpose === 'proof' ? { maxAge: 0 } : {}),
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('no id token');
    if (claims[of.groupsClaim] !== undefined) return claims;
    return { ...(await fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims };
  }

  async function back(ask: Ask, of: ProviderSettings): Promise<Result<Answer>> {
    const visit = visitOf(ask);
    const secret = readCookie(ask.request, FLOW_COOKIE) ?? '';
    ask.setHeader('Set-Cookie', noCookie(FLOW_COOKIE));
    const refuse = async (why: string): Promise<Result<Answer>> => {
      const audit = draftSignIn(deps, visit, null, `provider:${why}`, '8');
      const done = await store.write('operator.sign-in', { session: null, audit });
      return done.ok ? saying('operator.refused') : done;
    };
    if (!SECRET.test(secret)) return refuse('no-flow');
    const taken = await store.write('operator.take-moment', { tenant, secret: `flow ${secret}`, atMs: nowMs() });
    if (!taken.ok) return taken;
    if (taken.value === null) return refuse('no-flow');
    const flow = taken.value as Flow;
    const claims = await readClaims(ask, of, flow).catch(() => null);
    if (claims === null) return refuse('answer');
    const roles = rolesOfGroups(claims[of.groupsClaim], of.groups);
    if (roles.length === 0) return refuse('no-role');
    const id = deps.newId('opr');
    const atMs = nowMs();
    const session = {
      id: deps.newId('ses'),
      operatorId: id,
      secret: newSecret(chance),
      stage: 'signed-in',
      factor: 'provider',
      wrongTries: 0,
      madeAtMs: atMs,
      seenAtMs: atMs,
      // Somebody whom the provider knew already has not proved anything just now.
      provedAtMs: flow.purpose === 'proof' ? atMs : null,
      expiresAtMs: atMs + SESSION_MS,
      agent: visit.agent.slice(0, AGENT_MAX),
    } as const;
    const name = shownAs(claims['preferred_username'], claims['email'], claims.sub);
    const done = await store.write('operator.provider-sign-in', {
      operator: {
        id,
        name,
        displayName: shownAs(claims['name'], name),
        roles,
        state: 'active',
        proof: { kind: 'provider', issuer: of.issuer, subject: claims.sub },
      },
      session,
      audit: draftSignIn(deps, visit, null, flow.purpose === 'proof' ? 'proof:provider' : 'provider'),
    });
    if (!done.ok) return done;
    if (done.value.state === 'disabled') return saying('operator.refused');
    const cookie = cookieOf(SESSION_COOKIE, session.secret, SESSION_MS);
    return ok({ ...redirect(PAGE), headers: { Location: PAGE, 'Set-Cookie': cookie } });
  }

  const route = (path: string, handle: (ask: Ask, of: ProviderSettings) => Promise<Result<Answer>>): Route => ({
    method: 'get',
    path,
    access: 'open',
    async handle(ask) {
      if (settings === null) return fail(fault('operator.no-provider'));
      try {
        return await handle(ask, settings);
      } catch (thrown) {
        return fail(fault('operator.provider', { cause: thrown }));
      }
    },
  });
  return [route(START, start), route(BACK, back)];
}
