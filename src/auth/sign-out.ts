import type Provider from 'oidc-provider';
import type { AuditDraft } from '../audit/index.ts';
import type { AskProvider } from '../factors/index.ts';
import type { Clock } from '../kernel/index.ts';
import { must, type AuthStore } from './adapter.ts';
import { endSession, sessionOf } from './end-session.ts';
import { GRANTS_PATH } from './paths.ts';
import type { Visit } from './visit.ts';
import { signedOutPage, signOutPage } from './sign-in-pages.ts';
import { sendPage } from './send-page.ts';

export const SIGN_OUT_PATH = '/sign-out';

/** The page to sign out. To look at it changes nothing: an address that somebody was sent must not. */
export function makeSignOut(deps: {
  readonly tenant: string;
  readonly issuer: string;
  readonly pageStyle: string;
  readonly mountPath: string;
  readonly provider: Provider;
  readonly store: AuthStore;
  /** The hospital's own sign-in, where people may be signed in still. */
  readonly federate: Pick<AskProvider, 'endSessionUrl'> | null;
  readonly audit: (draft: AuditDraft) => Promise<boolean>;
  readonly clock: Clock;
}): (visit: Visit) => Promise<void> {
  const { tenant, provider, store } = deps;
  const frame = { styleUrl: deps.pageStyle, action: `${deps.mountPath}${SIGN_OUT_PATH}` };
  return async (visit) => {
    const { accountId } = await sessionOf(provider, visit);
    const account = accountId === undefined ? null : must(await store.read('auth.account', { tenant, id: accountId }));
    if (visit.form === null && account !== null) {
      sendPage(visit.response, 200, signOutPage(frame, account.name, `${deps.mountPath}${GRANTS_PATH}`));
      return;
    }
    if (visit.form !== null) {
      const actor = await endSession(provider, visit);
      const done = {
        at: deps.clock.now(),
        type: 'auth.sign-in',
        tenant,
        action: 'E',
        outcome: '0',
        why: 'sign-out',
      } as const;
      // The session is over whether or not this can be written.
      if (actor !== null) await deps.audit({ ...done, requestId: visit.requestId, actor });
    }
    const isTheirs = visit.form !== null && account?.origin === 'provider';
    const elsewhere = isTheirs
      ? await deps.federate?.endSessionUrl(deps.issuer + SIGN_OUT_PATH).catch(() => null)
      : null;
    sendPage(visit.response, 200, signedOutPage(frame.styleUrl, elsewhere ?? null));
  };
}
