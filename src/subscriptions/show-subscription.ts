import { EXTENSION, PROFILE } from './guide.ts';
import type { Subscription } from './subscription.ts';
import { topicOfKind } from './topics.ts';

/** Why a subscription is in error or off, for its app; words of ours alone. */
export const BECAUSE: Readonly<Record<string, string>> = {
  'by-app': 'The app has turned it off.',
  'by-operator': 'An operator of the gateway has ended it.',
  ended: 'It has come to the end that it was made with.',
  abandoned: 'It was in error for 30 days.',
  'client-ended': 'The app is not registered any more, or is disabled.',
  'account-ended': 'The person for whom it was made has no account any more, or is disabled.',
  'grant-ended': 'What the person has granted to the app has ended.',
  'session-ended': 'The session of the person has ended, and with it what the app was granted.',
  'token-ended': 'The token with which it was made has ended, and nothing allowed the app to outlive it.',
  'scope-ended': 'The app may not subscribe to this any more.',
  timeout: 'The endpoint does not answer in time.',
  unreachable: 'The endpoint cannot be reached.',
  tls: 'The certificate of the endpoint cannot be verified.',
  address: 'The endpoint leads to an address that is not allowed.',
  scheme: 'The endpoint is not https.',
  redirect: 'The endpoint redirects, which is not followed.',
  gone: 'The endpoint says that it is gone.',
  ehr: 'The EHR cannot be read just now.',
};
export const sayBecause = (because: string): string =>
  BECAUSE[because] ?? (/^http-\d{3}$/.test(because) ? `The endpoint answers with ${because.slice(5)}.` : because);

/**
 * A subscription as its own app sees it. `told`: headers and a new secret are in the answer to whoever sent or asked for
 * them, and in no other.
 */
export function showSubscription(
  s: Subscription,
  shown: { readonly headers?: true; readonly secret?: string } = {},
): Readonly<Record<string, unknown>> {
  const { settings } = s;
  const extension = [
    ...(settings.heartbeatMs === null
      ? []
      : [{ url: EXTENSION.heartbeat, valueUnsignedInt: settings.heartbeatMs / 1_000 }]),
    { url: EXTENSION.timeout, valueUnsignedInt: settings.timeoutMs / 1_000 },
    { url: EXTENSION.maxCount, valuePositiveInt: settings.countMax },
    ...(shown.secret === undefined ? [] : [{ url: EXTENSION.secret, valueString: shown.secret }]),
  ];
  return {
    resourceType: 'Subscription',
    id: s.id,
    meta: { lastUpdated: new Date(s.changedAt).toISOString(), profile: [PROFILE.subscription] },
    status: s.state,
    ...(s.endAt === null ? {} : { end: new Date(s.endAt).toISOString() }),
    reason: settings.reason,
    criteria: topicOfKind(s.kind).canonical,
    ...(settings.criteria.length === 0
      ? {}
      : { _criteria: { extension: settings.criteria.map((one) => ({ url: EXTENSION.filter, valueString: one })) } }),
    ...(s.because === null ? {} : { error: sayBecause(s.because) }),
    channel: {
      extension,
      type: 'rest-hook',
      endpoint: settings.endpoint,
      payload: settings.payload,
      _payload: { extension: [{ url: EXTENSION.content, valueCode: s.content }] },
      ...(shown.headers === true && settings.headers.length > 0 ? { header: settings.headers } : {}),
    },
  };
}
