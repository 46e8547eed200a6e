import type { ValueOf } from '../api/ask.ts';

export type Subscription = ValueOf<'subscriptions.get'>;

export const STATES = [
  ['requested', 'Not greeted yet', 'its endpoint has not answered the handshake; nothing is sent before it has'],
  ['active', 'Active', 'its endpoint is told of each event, in order'],
  ['error', 'In error', 'nothing is sent any more; events go on being numbered'],
  ['off', 'Off', 'it is over: nothing is sent, and nothing is numbered'],
] as const satisfies readonly (readonly [Subscription['state'], string, string])[];
export const isState = (value: string | undefined): value is Subscription['state'] =>
  STATES.some(([one]) => one === value);
export const stateMeaning = (state: Subscription['state']): string =>
  STATES.find(([one]) => one === state)?.[2] ?? state;

const TOPICS: Readonly<Record<Subscription['topic'], string>> = {
  measurement: 'Measurements',
  'laboratory-report': 'Laboratory reports',
  alert: 'Alerts',
  'patient-connection': 'Patients connected and disconnected',
};
export const topicWords = ({ topic }: Subscription): string => TOPICS[topic];

const CONTENTS: Readonly<Record<Subscription['content'], string>> = {
  empty: 'that something happened, and no more',
  'id-only': 'what it is about, by its address',
  'full-resource': 'the resource itself, where the app may read it at that moment',
};
export const contentWords = ({ content }: Subscription): string => CONTENTS[content];

const AGAIN = 'The app can subscribe again.';
/** What a person can do about a word of the gateway. */
const ADVICE: Readonly<Record<string, string>> = {
  timeout: 'Ask who runs the app why its endpoint is slow: it should answer first, and work afterwards.',
  unreachable: 'Look whether the endpoint runs, and whether name service and firewall let the gateway reach it.',
  tls: 'The endpoint needs a certificate that is valid for its name and of an authority that the gateway knows.',
  address:
    'It is a private address. Where that is meant, allow its host by `CHARTGATE_SUBSCRIPTION_PRIVATE_HOSTS`; otherwise end the subscription.',
  scheme: 'The endpoint must be https. The app has to subscribe again with such an address.',
  redirect: 'The app has to subscribe again with the address at which it really listens.',
  gone: 'The endpoint wants nothing more. The app has to subscribe again with another one.',
  ehr: 'Nothing is wrong with the app. Look at the EHR; it goes on by itself when the EHR answers.',
  'by-app': `Nothing is to be done. ${AGAIN}`,
  'by-operator': AGAIN,
  ended: AGAIN,
  abandoned: `Ask who runs the app whether it is still used. ${AGAIN}`,
  'client-ended': 'Where the app should be told again, enable or register it; it then subscribes again.',
  'account-ended':
    'Where it should go on, enable the account; the person allows the app anew, and it subscribes again.',
  'grant-ended': 'The person has to allow the app anew; it then subscribes again.',
  'session-ended': 'It begins anew when the person signs in to the app.',
  'token-ended': 'The app has to subscribe again with a newer token.',
  'scope-ended': 'Look at what the app may have at most, and at what it was given.',
};

/** What to do about what went wrong; null where nothing did. */
export function adviceOf({ because }: Subscription): string | null {
  if (because === null) return null;
  const known = ADVICE[because];
  if (known !== undefined) return known;
  const status = /^http-(\d)\d\d$/.exec(because)?.[1];
  if (status === '4')
    return 'The endpoint refuses. Ask who runs the app whether address, headers and secret still fit.';
  if (status === '5') return 'The endpoint itself fails. Ask who runs the app to look at its log.';
  return 'Ask who runs the app to look at its endpoint.';
}

/** Whether somebody has to look at it. */
export const isInTrouble = ({ state, failures }: Subscription): boolean => state === 'error' || failures > 0;

/** An active one whose endpoint does not take what it is sent is not well, though it goes on. */
export const stateWord = ({ state, failures }: Subscription): string =>
  state === 'active' && failures > 0 ? 'active, failing' : state;
