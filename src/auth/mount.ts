import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, type default as Provider } from 'oidc-provider';
import { ICON, ICON_FILE, parseQuery, readBody, type Clock, type Mount, type RequestId } from '../kernel/index.ts';
import type { AuthStore } from './adapter.ts';
import { must } from './adapter.ts';
import type { Visit } from './visit.ts';
import { introspectFor } from './introspect.ts';
import type { LimitTries } from './limit-tries.ts';
import { APP_STYLE, PAGE_STYLE } from './page-style.ts';
import { errorPage } from './pages.ts';
import { isWithin } from './narrow-scope.ts';
import { GRANTS_PATH, PATHS, PROVIDER_BACK_PATH } from './paths.ts';
import type { RecordDenial } from './record-denial.ts';
import { replayRequest } from './replay-request.ts';
import { parseResourceScope, splitScopes } from './scope.ts';
import { sendPage } from './send-page.ts';
import { SIGN_OUT_PATH } from './sign-out.ts';
import type { Federate } from './federation.ts';

const BODY_BYTES_MAX = 64 * 1024;
const FORM = 'application/x-www-form-urlencoded';

/** Another content is another address, so that both may be kept for long. */
const digest = (content: string): string => createHash('sha256').update(content).digest('hex').slice(0, 12);
export const PAGE_STYLE_PATH = `/page-${digest(PAGE_STYLE)}.css`;
export const APP_STYLE_PATH = `/style-${digest(APP_STYLE)}.json`;
const FILES: Readonly<Record<string, readonly [type: string, content: string]>> = {
  [PAGE_STYLE_PATH]: ['text/css; charset=utf-8', PAGE_STYLE],
  [APP_STYLE_PATH]: ['application/json; charset=utf-8', APP_STYLE],
  [`/${ICON_FILE}`]: ['image/svg+xml', ICON],
};

/** What an app calls from a page of its own. */
const FOR_APPS: ReadonlySet<string> = new Set([PATHS.token, PATHS.introspection, PATHS.revocation]);

const OVER = {
  title: 'This cannot go on',
  text: 'The page is no longer valid. Start again from the app.',
  code: 'invalid_request',
};

export interface Caller {
  readonly requestId: RequestId;
  readonly remoteAddress: string;
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(value));
}

/**
 * A JWT, such as an id token, is none of ours to tell of; the provider would call it a wrong request (RFC 7662 2.2: it
 * is not active).
 */
function withOpaqueToken(form: URLSearchParams): URLSearchParams {
  const token = form.get('token');
  if (token !== null && form.getAll('token').length === 1) form.set('token', token.replaceAll('.', '~'));
  return form;
}

/** Each launch shows its own consent, whatever was allowed before. Who asks for no page at all still gets none. */
function withConsent(query: URLSearchParams): URLSearchParams {
  const prompts = new Set((query.get('prompt') ?? '').split(' ').filter((one) => one !== ''));
  if (!prompts.has('none') && query.getAll('prompt').length < 2)
    query.set('prompt', [...prompts.add('consent')].join(' '));
  return query;
}

export function makeMount(deps: {
  readonly tenant: string;
  readonly issuer: string;
  readonly fhirBase: string;
  readonly provider: Provider;
  readonly store: AuthStore;
  readonly interactions: (visit: Visit) => Promise<void>;
  readonly signOut: (visit: Visit) => Promise<void>;
  readonly grantsPage: (visit: Visit) => Promise<void>;
  readonly federate: Federate | null;
  readonly callers: WeakMap<IncomingMessage, Caller>;
  /** Scopes that a refreshed token is to have instead of those of its family. */
  readonly narrowed: WeakMap<IncomingMessage, readonly string[]>;
  readonly isType: (name: string) => boolean;
  readonly limitRequests: LimitTries;
  readonly deny: RecordDenial;
  /** Address of the pages' own style sheet. */
  readonly pageStyle: string;
  readonly frameAncestors: readonly string[];
  readonly clock: Clock;
}): Mount {
  const { tenant, provider, store, clock } = deps;
  const publicUrl = new URL(deps.issuer);
  const mountPath = publicUrl.pathname;
  const answer = provider.callback();

  /** Some public apps renew their token without saying who they are; the token itself says it. */
  async function withClientId(form: URLSearchParams, request: IncomingMessage): Promise<URLSearchParams> {
    const isSilent =
      form.get('grant_type') === 'refresh_token' &&
      !form.has('client_id') &&
      !form.has('client_assertion') &&
      request.headers.authorization === undefined;
    const id = form.get('refresh_token');
    if (!isSilent || id === null) return form;
    const found = must(await store.read('auth.find', { tenant, kind: 'RefreshToken', id, at: clock.now() }));
    const { clientId } = (found?.payload ?? {}) as { clientId?: string };
    const client = clientId === undefined ? null : must(await store.read('auth.client', { tenant, id: clientId }));
    if (client?.kind === 'public') form.set('client_id', client.id);
    return form;
  }

  /**
   * The provider knows of scopes only whether they are the same text. A scope within one of the family's
   * (`patient/Patient.rs` of `patient/*.rs`) is asked of it by the family's own; the token then has the narrower one.
   * Null: there is nothing to narrow.
   */
  async function narrowRefresh(form: URLSearchParams): Promise<readonly string[] | null> {
    const [asked, id] = [splitScopes(form.get('scope') ?? ''), form.get('refresh_token')];
    if (form.get('grant_type') !== 'refresh_token' || asked.length === 0 || id === null) return null;
    const found = must(await store.read('auth.find', { tenant, kind: 'RefreshToken', id, at: clock.now() }));
    const granted = splitScopes(((found?.payload ?? {}) as { scope?: string }).scope ?? '');
    const isSame = asked.every((one) => granted.includes(one));
    if (isSame || !asked.every((one) => isWithin(one, granted, deps.isType))) return null;
    const words = granted.filter((one) => asked.includes(one) || parseResourceScope(one) !== null);
    form.set('scope', words.join(' '));
    return asked;
  }

  const isOrigin = async (origin: string | undefined): Promise<boolean> =>
    origin !== undefined && must(await store.read('auth.is-origin', { tenant, origin }));

  const isOurPage = ({ headers }: IncomingMessage): boolean =>
    (headers.origin === undefined || headers.origin === publicUrl.origin) &&
    (headers['sec-fetch-site'] === undefined || headers['sec-fetch-site'] === 'same-origin');

  async function handle(request: IncomingMessage, response: ServerResponse, requestId: RequestId): Promise<void> {
    const { pathname, search } = new URL(request.url ?? '/', publicUrl.origin);
    const { method = 'GET' } = request;
    response.setHeader('Pragma', 'no-cache');
    const file = method === 'GET' || method === 'HEAD' ? FILES[pathname] : undefined;
    if (file !== undefined) {
      response.setHeader('Content-Type', file[0]);
      response.setHeader('Cache-Control', 'public, max-age=86400, immutable');
      response.removeHeader('Pragma');
      response.setHeader('Access-Control-Allow-Origin', '*');
      response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
      response.end(file[1]);
      return;
    }
    if (method === 'OPTIONS' && FOR_APPS.has(pathname) && !(await isOrigin(request.headers.origin))) {
      // Which app asks is not said yet; where none lives at the origin, none can.
      response.statusCode = 204;
      response.setHeader('Vary', 'Origin');
      response.end();
      return;
    }
    const remoteAddress = (request as { ip?: string }).ip ?? request.socket.remoteAddress ?? '';
    if (pathname === PATHS.authorization && method === 'GET' && !deps.limitRequests.take(remoteAddress)) {
      deps.deny('authorization:too-many-requests', { requestId, remoteAddress });
      const told = {
        title: 'Not possible at the moment',
        text: 'Try again in a minute.',
        code: 'temporarily_unavailable',
      };
      sendPage(response, 429, errorPage(deps.pageStyle, told), { ancestors: deps.frameAncestors });
      return;
    }
    if (pathname === PROVIDER_BACK_PATH && method === 'GET' && deps.federate !== null) {
      // The cookie by which the browser goes on with the request of the app is sent to the page of that request alone.
      const uid = await deps.federate.requestOf(new URLSearchParams(search));
      if (uid === null) {
        deps.deny('sign-in:provider-answer', { requestId, remoteAddress });
        sendPage(response, 400, errorPage(deps.pageStyle, OVER), { ancestors: deps.frameAncestors });
        return;
      }
      response.statusCode = 303;
      response.setHeader('Location', `${mountPath}/interaction/${uid}${search}`);
      response.end();
      return;
    }
    let form: URLSearchParams | null = null;
    if (method === 'POST') {
      const body = await readBody(request, BODY_BYTES_MAX);
      if (!body.ok) {
        sendJson(response, 400, {
          error: 'invalid_request',
          error_description: 'the body is too large or was cut short',
        });
        return;
      }
      if (request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== FORM) {
        sendJson(response, 400, { error: 'invalid_request', error_description: `the body must be ${FORM}` });
        return;
      }
      const pairs = isUtf8(body.value) ? parseQuery(body.value.toString('utf8')) : null;
      if (pairs === null) {
        sendJson(response, 400, { error: 'invalid_request', error_description: 'the body is not UTF-8' });
        return;
      }
      form = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value]));
    }
    if (pathname === PATHS.authorization && form !== null) {
      // A form from elsewhere comes without our cookies; the browser brings them when it asks again by itself.
      response.statusCode = 303;
      response.setHeader('Location', `${deps.issuer}${PATHS.authorization}?${form.toString()}`);
      response.end();
      return;
    }
    if (pathname === PATHS.introspection && form !== null && /^bearer /i.test(request.headers.authorization ?? '')) {
      const told = await introspectFor(deps, request.headers.authorization ?? '', form.get('token') ?? '');
      if (told === null) {
        response.setHeader('WWW-Authenticate', 'Bearer error="invalid_token"');
        sendJson(response, 401, { error: 'invalid_token' });
      } else sendJson(response, 200, told);
      return;
    }
    if (pathname === PATHS.introspection && form !== null) form = withOpaqueToken(form);
    if (pathname === PATHS.token && form !== null) form = await withClientId(form, request);
    const narrowed = pathname === PATHS.token && form !== null ? await narrowRefresh(form) : null;
    const query = pathname === PATHS.authorization ? `?${withConsent(new URLSearchParams(search)).toString()}` : search;
    const again = replayRequest(request, {
      method,
      url: `${pathname}${query}`,
      publicUrl,
      mountPath,
      body: form === null ? null : Buffer.from(form.toString()),
    });
    deps.callers.set(again, { requestId, remoteAddress });
    if (narrowed !== null) deps.narrowed.set(again, narrowed);
    if (pathname.startsWith('/interaction/') || pathname === SIGN_OUT_PATH || pathname === GRANTS_PATH) {
      if (form !== null && !isOurPage(request)) {
        sendJson(response, 403, { error: 'invalid_request', error_description: 'the form is not from our page' });
        return;
      }
      const visit: Visit = {
        request: again,
        response,
        query: new URLSearchParams(search),
        form,
        requestId,
        remoteAddress,
      };
      if (pathname === GRANTS_PATH) await deps.grantsPage(visit);
      else await (pathname === SIGN_OUT_PATH ? deps.signOut(visit) : deps.interactions(visit));
      return;
    }
    await answer(again, response);
  }

  return {
    path: '/auth',
    async handle(request, response, { requestId }) {
      try {
        await handle(request, response, requestId);
      } catch (thrown) {
        if (!(thrown instanceof errors.OIDCProviderError) || response.headersSent) throw thrown;
        sendJson(response, thrown.statusCode, { error: thrown.error });
      }
    },
  };
}
