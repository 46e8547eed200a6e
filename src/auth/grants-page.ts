import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type Provider from 'oidc-provider';
import type { AuditDraft } from '../audit/index.ts';
import type { Clock } from '../kernel/index.ts';
import { must, type AuthStore } from './adapter.ts';
import { sessionOf } from './end-session.ts';
import { makeGrants } from './grants.ts';
import { grantsListPage, notSignedInPage } from './grants-list-page.ts';
import { PAGE_CLIENT_ID } from './page-client.ts';
import { GRANTS_PATH, PATHS } from './paths.ts';
import { sendPage } from './send-page.ts';
import { textOf, type Visit } from './visit.ts';

const LIMIT = 50;
const DONE: Readonly<Record<string, string>> = {
  ended: 'Ended. The app has no access by it any more.',
  gone: 'That had ended already, or is not yours.',
  refused: 'That did not come from this page as it was shown last. Look again, then end it.',
};

/** The page on which a person sees and ends what apps may do. */
export function makeGrantsPage(deps: {
  readonly tenant: string;
  readonly issuer: string;
  readonly fhirBase: string;
  readonly pageStyle: string;
  readonly mountPath: string;
  readonly provider: Provider;
  readonly store: AuthStore;
  readonly csrfKey: string;
  readonly clock: Clock;
}): (visit: Visit) => Promise<void> {
  const { tenant, store, provider, clock } = deps;
  const grants = makeGrants(deps);
  const at = `${deps.mountPath}${GRANTS_PATH}`;
  /** Of the session and nothing else, so that it ends with it and is stored nowhere. */
  const csrfOf = (session: string): string =>
    createHmac('sha256', deps.csrfKey).update(`chartgate grants csrf v1 ${session}`).digest('base64url');
  const isSame = (given: string, expected: string): boolean =>
    timingSafeEqual(createHash('sha256').update(given).digest(), createHash('sha256').update(expected).digest());

  const redirect = ({ response }: Visit, to: string): void => {
    response.statusCode = 303;
    response.setHeader('Location', to);
    response.end();
  };
  /** Asks ourselves for a sign-in, as an app would. The code that nobody fetches is bound to a secret nobody has. */
  const signInUrl = (): string =>
    `${deps.issuer}${PATHS.authorization}?${new URLSearchParams({
      response_type: 'code',
      client_id: PAGE_CLIENT_ID,
      redirect_uri: `${deps.issuer}${GRANTS_PATH}`,
      scope: 'openid',
      aud: deps.fhirBase,
      code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString()}`;

  async function end(visit: Visit, form: URLSearchParams, accountId: string, csrf: string): Promise<void> {
    if (!isSame(textOf(form.get('csrf')), csrf)) {
      redirect(visit, `${at}?done=refused`);
      return;
    }
    const audit: AuditDraft = {
      at: clock.now(),
      type: 'auth.grant',
      tenant,
      requestId: visit.requestId,
      action: 'D',
      outcome: '0',
      why: 'ended-by-person',
      actor: accountId,
    };
    const done = await grants.end(textOf(form.get('grant')), accountId, audit);
    if (!done.ok && done.fault.code !== 'grant.not-found') must(done);
    redirect(visit, `${at}?done=${done.ok ? 'ended' : 'gone'}`);
  }

  return async (visit) => {
    const session = await sessionOf(provider, visit);
    const id = session.accountId ?? '';
    const account = id === '' ? null : must(await store.read('auth.account', { tenant, id }));
    if (account === null) {
      // Who did not want to sign in is not asked again at once.
      if (!visit.query.has('error')) {
        redirect(visit, signInUrl());
        return;
      }
      sendPage(visit.response, 200, notSignedInPage(deps.pageStyle, at));
      return;
    }
    const csrf = csrfOf(session.uid);
    if (visit.form !== null) return end(visit, visit.form, account.id, csrf);
    const of = { kind: 'account', id: account.id } as const;
    const found = await grants.list({ of, cursor: visit.query.get('cursor') ?? undefined, limit: LIMIT });
    const page = found.ok || found.fault.code !== 'admin.parameter' ? must(found) : { grants: [], next: null };
    const apps = page.grants.filter(({ kind }) => kind === 'grant');
    const names = new Map<string, string>();
    for (const { clientId } of apps) {
      if (clientId === null || names.has(clientId)) continue;
      names.set(clientId, must(await store.read('auth.client', { tenant, id: clientId }))?.name ?? clientId);
    }
    const shown = {
      action: at,
      csrf,
      user: account.name,
      grants: apps.map((one) => ({ ...one, app: names.get(one.clientId ?? '') ?? 'An app' })),
      next: page.next === null ? null : `${at}?${new URLSearchParams({ cursor: page.next }).toString()}`,
      done: DONE[visit.query.get('done') ?? ''] ?? null,
      signOutUrl: `${deps.mountPath}/sign-out`,
    };
    sendPage(visit.response, 200, grantsListPage(deps.pageStyle, shown));
  };
}
