import { startRig } from '../../flow/delivery/rig.ts';
import { freePort } from '../../clients/whole.ts';
import type { Place } from '../new-store.ts';
import type { Json } from '../payloads/index.ts';
import { makeBackend, type Backend } from './make-backend.ts';

const GUIDE = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition';
export const TOPIC = 'https://chartgate.dev/fhir/SubscriptionTopic';
export const SECRET_EXTENSION = 'https://chartgate.dev/fhir/StructureDefinition/webhook-secret';
export const EVERYTHING =
  'system/Subscription.cruds system/Observation.rs system/DiagnosticReport.rs system/Patient.rs';

export interface Wanted {
  readonly topic?: string;
  readonly endpoint: string;
  readonly content?: string;
  readonly filters?: readonly string[];
  readonly header?: readonly string[];
  readonly channel?: readonly object[];
  readonly more?: object;
}

/** A Subscription by the profile of the guide. */
export const aSubscription = (wanted: Wanted): Json => ({
  resourceType: 'Subscription',
  status: 'requested',
  reason: 'A test wants to be told',
  criteria: `${TOPIC}/${wanted.topic ?? 'measurement'}`,
  ...(wanted.filters === undefined
    ? {}
    : {
        _criteria: {
          extension: wanted.filters.map((valueString) => ({ url: `${GUIDE}/backport-filter-criteria`, valueString })),
        },
      }),
  channel: {
    type: 'rest-hook',
    endpoint: wanted.endpoint,
    payload: 'application/fhir+json',
    _payload: { extension: [{ url: `${GUIDE}/backport-payload-content`, valueCode: wanted.content ?? 'id-only' }] },
    ...(wanted.header === undefined ? {} : { header: wanted.header }),
    ...(wanted.channel === undefined ? {} : { extension: wanted.channel }),
  },
  ...wanted.more,
});

export const extension = (name: string, value: object): object => ({ url: `${GUIDE}/${name}`, ...value });

export type Told = Awaited<ReturnType<typeof startTold>>;

/** A whole gateway with its own authorization server, in front of a demo EHR, whose apps have endpoints on loopback. */
export async function startTold(makePlace: () => Promise<Place>, settings: Record<string, string> = {}) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const rig = await startRig(makePlace, {
    settings: {
      CHARTGATE_PORT: String(port),
      CHARTGATE_PUBLIC_URL: url,
      CHARTGATE_SUBSCRIPTION_PRIVATE_HOSTS: '127.0.0.1',
      ...settings,
    },
  });
  const ask = async (
    method: string,
    path: string,
    token: string,
    body?: unknown,
  ): Promise<{ status: number; body: Json; headers: Headers }> => {
    const answer = await fetch(`${url}/fhir/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': method === 'PATCH' ? 'application/json-patch+json' : 'application/fhir+json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Json), headers: answer.headers };
  };
  return {
    ...rig,
    port,
    base: url,
    ask,
    /** An app that acts for itself, by a key of its own. */
    backend: (scope = EVERYTHING): Promise<Backend> => makeBackend(url, rig.admin, scope),
    /** Makes a subscription that must be taken. */
    async subscribe(token: string, wanted: Wanted): Promise<{ id: string; secret: string; body: Json }> {
      const made = await ask('POST', 'Subscription', token, aSubscription(wanted));
      if (made.status !== 201) throw new Error(`${made.status} ${JSON.stringify(made.body)}`);
      const channel = made.body['channel'] as { extension: { url: string; valueString?: string }[] };
      const secret = channel.extension.find((one) => one.url === SECRET_EXTENSION)?.valueString ?? '';
      return { id: String(made.body['id']), secret, body: made.body };
    },
    stateOf: async (token: string, id: string): Promise<unknown> =>
      (await ask('GET', `Subscription/${id}`, token)).body['status'],
  };
}
