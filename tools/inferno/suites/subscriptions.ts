import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { askJson } from '../ask-json.ts';
import { tokenInfo } from '../auth-info.ts';
import { buildSubscription, topicsOf, type PayloadContent } from '../build-subscription.ts';
import type { Waiting } from '../inferno.ts';
import type { Stand } from '../stand.ts';
import type { SuiteRun } from '../suite-run.ts';
import { systemToken } from '../tokens.ts';

const SUITE = 'subscriptions_r5_backport_r4_server';
const MINUTES = 8;
const DAY_MS = 86_400_000;
const HEARTBEAT_SECONDS = 10;
const EVERY_MS = 500;
/** How long a notification may take on a machine that has other things to do. */
const NOTIFIED_MS = 60_000;
/** What comes behind the one that was waited for. */
const LATE_MS = 2_000;
/** Where no topic is offered there is nothing to subscribe to, and the suite says so. */
const NO_TOPIC = 'https://topics.example/none-is-offered';

/** The topic of measurements, since they are what the run can let the gateway write; else the first one. */
async function findTopic({ gateway }: Stand): Promise<string> {
  const topics = topicsOf((await askJson('GET', `${gateway.fhir}/metadata`)) as Parameters<typeof topicsOf>[0]);
  return topics.find((topic) => /measure|observation/i.test(topic)) ?? topics[0] ?? NO_TOPIC;
}

/** Waits until so many requests have come in; what has not come by then does not come. */
async function waitForRequests(again: () => Promise<Waiting | null>, count: number): Promise<number> {
  const began = performance.now();
  for (;;) {
    const received = (await again())?.received ?? 0;
    if (received >= count || performance.now() - began > NOTIFIED_MS) return received;
    await pause(EVERY_MS);
  }
}

/** Lets something be written, waits for what is told of it, and says that all has come. */
const tellOfWriting =
  ({ writeSomething, patients, gateway }: Stand) =>
  async ({ testId, links }: Waiting, again: () => Promise<Waiting | null>): Promise<void> => {
    const [patient] = patients;
    const done = links.find((link) => !link.startsWith(`${gateway.url}/`));
    if (writeSomething === null || patient === undefined || done === undefined)
      throw new Error(`${testId} waits for a notification, and nothing can be written: see --webhook-secret-file`);
    // The subscription is active after its handshake, and tells of what is written from then on.
    const before = await waitForRequests(again, 1);
    await pause(LATE_MS);
    await writeSomething(patient);
    // The event; and of the one subscription that asks for it, a heartbeat.
    await waitForRequests(again, before + (testId.includes('_workflow-') ? 2 : 1));
    await pause(LATE_MS);
    await fetch(done);
  };

/** Notifications go to Inferno's own listener: the gateway must be allowed to send to that address. */
export const subscriptionRuns: readonly SuiteRun[] = [
  {
    name: 'Subscriptions Backport 1.1.0',
    set: 'subscriptions',
    suite: SUITE,
    sides: 'gateway',
    async go(kit) {
      const { gateway, inferno, patients } = kit;
      const token = randomUUID();
      const topic = await findTopic(kit);
      const of = (content: PayloadContent, heartbeatSeconds?: number): string =>
        JSON.stringify(
          buildSubscription({
            topic,
            filter: `Observation?patient=Patient/${patients[0]?.id ?? ''}`,
            content,
            endpoint: inferno.address(SUITE, 'subscription/channel/notification_listener'),
            token,
            end: new Date(Date.now() + DAY_MS),
            ...(heartbeatSeconds === undefined ? {} : { heartbeatSeconds }),
          }),
        );
      return kit.run({
        suite: SUITE,
        group: SUITE,
        inputs: {
          url: gateway.fhir,
          smart_auth_info: tokenInfo(await systemToken(gateway, 'system/*.rs system/Subscription.cruds')),
          access_token: token,
          subscription_resource: of('id-only', HEARTBEAT_SECONDS),
          empty_subscription_resource: of('empty'),
          id_only_subscription_resource: of('id-only'),
          full_resource_subscription_resource: of('full-resource'),
          unsupported_subscription_topic: 'https://topics.example/nobody-knows',
          unsupported_subscription_filter: 'Observation?nobody-knows=this',
          unsupported_subscription_channel_type: 'sms',
          unsupported_subscription_channel_endpoint: 'ftp://notifications.example/',
          unsupported_subscription_payload_type: 'text/plain',
          unsupported_subscription_channel_payload_combo: JSON.stringify({ channel: 'message', payload: 'text/plain' }),
        },
        minutesMax: MINUTES,
        onWait: tellOfWriting(kit),
      });
    },
  },
];
