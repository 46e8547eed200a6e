import type { SmartClient } from './smart-client.ts';

const GUIDE = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition';
const TOPIC = 'https://chartgate.dev/fhir/SubscriptionTopic/alert';
const SECRET = 'https://chartgate.dev/fhir/StructureDefinition/webhook-secret';
/** No longer than somebody sits in front of it. */
const LASTS_MS = 12 * 3_600_000;

/** A name that nobody can guess. */
const newChannel = (): string =>
  [...crypto.getRandomValues(new Uint8Array(24))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

interface Made {
  readonly channel: { readonly extension?: readonly { readonly url: string; readonly valueString?: string }[] };
}

/**
 * Subscribes to the alerts of the patient: the gateway tells the app's own server, which tells this page. A gateway that
 * does not offer it leaves the page as it is.
 */
export async function beTold(client: SmartClient, onTold: () => void): Promise<void> {
  const channel = newChannel();
  const source = new EventSource(`told/${channel}`);
  source.addEventListener('told', onTold);
  await new Promise((resolve) => source.addEventListener('open', resolve, { once: true }));
  try {
    const made = await client.create<Made>({
      resourceType: 'Subscription',
      status: 'requested',
      reason: 'Shows a new alert without reloading',
      criteria: TOPIC,
      end: new Date(performance.timeOrigin + performance.now() + LASTS_MS).toISOString(),
      channel: {
        type: 'rest-hook',
        endpoint: new URL(`hook/${channel}`, location.href).href,
        payload: 'application/fhir+json',
        _payload: { extension: [{ url: `${GUIDE}/backport-payload-content`, valueCode: 'id-only' }] },
      },
    });
    const secret = made.channel.extension?.find(({ url }) => url === SECRET)?.valueString ?? '';
    await fetch(`told/${channel}`, { method: 'PUT', body: secret });
  } catch {
    source.close();
  }
}
