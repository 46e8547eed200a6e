import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { AuditDraft, AuditReads, AuditWrites } from '../audit/index.ts';
import { makeAskProvider, type AskProvider } from '../factors/index.ts';
import { safeError, type Clock, type Log, type Mount } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import { makeCheckPassword, type CheckPassword } from './account.ts';
import type { AuthStore } from './adapter.ts';
import { makeFederate, type Federate } from './federation.ts';
import { fetchBounded } from './fetch-bounded.ts';
import { makeGrantsPage } from './grants-page.ts';
import { makeInteractions } from './interaction.ts';
import { loadKeys, makeKeysToSign, readSigningKeys, type AuthKeys } from './keys.ts';
import { APP_STYLE_PATH, makeMount, PAGE_STYLE_PATH, type Caller } from './mount.ts';
import { errorPage } from './pages.ts';
import type { PatientDirectory } from './patients.ts';
import { PROVIDER_BACK_PATH } from './paths.ts';
import type { PractitionerDirectory } from './practitioners.ts';
import { makeProvider } from './provider.ts';
import type { RecordDenial } from './record-denial.ts';
import { formPostPolicy, sendPage } from './send-page.ts';
import type { Tries } from './share-tries.ts';
import type { SignInSettings } from './sign-in-settings.ts';
import { makeSignOut } from './sign-out.ts';

/** The embedded authorization server, as a part of the surface that answers for itself. */
export async function openEmbedded(deps: {
  readonly tenant: string;
  readonly issuer: string;
  readonly fhirBase: string;
  readonly ehrBase: string;
  readonly signIn: SignInSettings;
  readonly practitioners: PractitionerDirectory;
  readonly store: AuthStore;
  readonly audit: Operate<AuditWrites, AuditReads>;
  readonly patients: PatientDirectory;
  readonly isType: (name: string) => boolean;
  readonly deny: RecordDenial;
  /** What was counted stays counted when the keys change. */
  readonly tries: Tries;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<Mount> {
  const callers = new WeakMap<IncomingMessage, Caller>();
  const narrowed = new WeakMap<IncomingMessage, readonly string[]>();
  const federate = makeFederateAt(deps);
  const kept = { callers, narrowed, checkPassword: makeCheckPassword(), federate, ...deps.tries };
  const first = await loadKeys(deps);
  const keysToSign = makeKeysToSign(deps);
  let now = { keys: first, mount: mountWith(first, { ...deps, ...kept }) };

  /** A key that was rotated at any replica signs here from the next request on: an app may ask us for it at once. */
  async function current(method: string | undefined): Promise<Mount> {
    // Id tokens are answers to a POST.
    const signing = await (method === 'POST' ? keysToSign() : readSigningKeys(deps));
    // Without its store the server says by itself that it cannot answer.
    if (!signing.ok || signing.value.length === 0) return now.mount;
    const kidsOf = (all: AuthKeys['signing']): string => all.map(({ kid }) => kid).join();
    if (kidsOf(signing.value) !== kidsOf(now.keys.signing)) {
      const keys = { ...now.keys, signing: signing.value };
      now = { keys, mount: mountWith(keys, { ...deps, ...kept }) };
    }
    return now.mount;
  }
  return {
    path: now.mount.path,
    handle: async (request, response, asked) => (await current(request.method)).handle(request, response, asked),
  };
}

/** The hospital's own sign-in, where there is one. What it says of itself is read once for all keys of ours. */
function makeFederateAt(
  deps: Parameters<typeof openEmbedded>[0],
): (Federate & Pick<AskProvider, 'endSessionUrl'> & { readonly host: string }) | null {
  const { provider } = deps.signIn;
  if (provider === null) return null;
  const { issuer, clientId, credential, scope, mapping, groups, groupsClaim } = provider;
  const ask = makeAskProvider({
    client: { issuer, clientId, credential, scope, backUrl: `${deps.issuer}${PROVIDER_BACK_PATH}` },
    fetch: fetchBounded,
    chance: (count) => randomBytes(count),
    clock: deps.clock,
  });
  const federation = { issuer, ask, mapping, groups, groupsClaim };
  return {
    ...makeFederate({ ...deps, federation }),
    endSessionUrl: ask.endSessionUrl,
    host: new URL(issuer).host,
  };
}

/** The server with these keys. All its state is in the store, so that another one may go on at any time. */
function mountWith(
  keys: AuthKeys,
  deps: Parameters<typeof openEmbedded>[0] &
    Tries & {
      readonly callers: WeakMap<IncomingMessage, Caller>;
      readonly narrowed: WeakMap<IncomingMessage, readonly string[]>;
      readonly checkPassword: CheckPassword;
      readonly federate: ReturnType<typeof makeFederateAt>;
    },
): Mount {
  const { tenant, issuer, clock, log, callers } = deps;
  const mountPath = new URL(issuer).pathname;
  const pageStyle = `${mountPath}${PAGE_STYLE_PATH}`;
  const { frameAncestors: ancestors } = deps.signIn;
  const styleUrl = deps.signIn.styleUrl ?? `${issuer}${APP_STYLE_PATH}`;
  const provider = makeProvider({
    ...deps,
    frameAncestors: ancestors,
    keys,
    renderError(ctx, out) {
      const told = {
        title: 'This cannot go on',
        text: 'The app asked in a way that is not allowed. Whoever looks after the app can mend it.',
        code: out.error,
      };
      ctx.respond = false;
      sendPage(ctx.res, ctx.status === 404 ? 400 : ctx.status, errorPage(pageStyle, told), { ancestors });
    },
  });
  const audit = async (...drafts: readonly AuditDraft[]): Promise<boolean> =>
    (await deps.audit.write('audit.append-many', drafts)).ok;

  provider.use(async (ctx, next) => {
    await next();
    // Only below a route of the provider is there one.
    const oidc = ctx.oidc as KoaContextWithOIDC['oidc'] | undefined;
    if (oidc?.params?.['response_mode'] === 'form_post' && typeof ctx.body === 'string') {
      ctx.set('Content-Security-Policy', formPostPolicy(ctx.body, String(oidc.params['redirect_uri']), ancestors));
      if (ancestors.length > 0) ctx.remove('X-Frame-Options');
      return;
    }
    const body = ctx.body as Record<string, unknown> | undefined;
    if (oidc?.route !== 'token' || typeof body?.['access_token'] !== 'string') return;
    const { AccessToken: token, ClientCredentials: own, Client: client } = oidc.entities;
    const isRecorded = await audit({
      at: clock.now(),
      type: 'auth.grant',
      tenant,
      requestId: callers.get(ctx.req)?.requestId ?? '(unknown)',
      action: 'E',
      outcome: '0',
      actor: token?.accountId ?? client?.clientId ?? '',
      client: client?.clientId ?? '',
      why: String(oidc.params?.['grant_type']),
    });
    if (!isRecorded) {
      await (token ?? own)?.destroy();
      ctx.status = 503;
      ctx.body = { error: 'temporarily_unavailable' };
      return;
    }
    const { fhirUser: _fhirUser, ...context } = (token?.extra ?? {}) as Record<string, unknown>;
    ctx.body = { ...body, ...context };
  });
  const denyFor =
    (what: string) =>
    (ctx: { req: IncomingMessage }, error: { error: string }): void =>
      deps.deny(`${what}:${error.error}`, callers.get(ctx.req));
  provider.on('grant.error', denyFor('token'));
  provider.on('authorization.error', denyFor('authorization'));
  provider.on('introspection.error', denyFor('introspection'));
  provider.on('revocation.error', denyFor('revocation'));
  provider.on('server_error', (ctx, error) =>
    log.error('auth.failed', { requestId: callers.get(ctx.req)?.requestId ?? '', error: safeError(error) }),
  );

  const pages = { ...deps, ...deps.signIn, styleUrl, pageStyle, mountPath, provider, audit };
  return makeMount({
    ...deps,
    provider,
    frameAncestors: ancestors,
    interactions: makeInteractions(pages),
    signOut: makeSignOut(pages),
    grantsPage: makeGrantsPage({ ...pages, csrfKey: keys.cookie }),
    pageStyle,
  });
}
