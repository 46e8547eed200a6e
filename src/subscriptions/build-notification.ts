import { createHash } from 'node:crypto';
import { PROFILE } from './guide.ts';
import { sayBecause } from './show-subscription.ts';
import type { Subscription } from './subscription.ts';
import { topicOfKind } from './topics.ts';

export type NotificationType = 'handshake' | 'heartbeat' | 'event-notification' | 'query-status' | 'query-event';

type Json = Readonly<Record<string, unknown>>;

/** An event as it may be told now. `empty`: nothing but that it was, and when. */
export interface PermittedEvent {
  readonly number: number;
  readonly atMs: number;
  readonly focus:
    | { readonly kind: 'empty' }
    | {
        readonly kind: 'named';
        /** `Observation/1`. */
        readonly reference: string;
        readonly method: 'POST' | 'PUT';
        /** Of a notification that has resources in full. */
        readonly resource: Json | null;
      };
}

interface Asked {
  readonly subscription: Subscription;
  readonly type: NotificationType;
  readonly events: readonly PermittedEvent[];
  readonly ownBase: string;
}

/** The same status has the same id, so that a notification that is repeated is the same to the letter. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

const iso = (ms: number): string => new Date(ms).toISOString();

const eventParameter = ({ number, atMs, focus }: PermittedEvent, ownBase: string): Json => ({
  name: 'notification-event',
  part: [
    { name: 'event-number', valueString: String(number) },
    { name: 'timestamp', valueInstant: iso(atMs) },
    ...(focus.kind === 'empty'
      ? []
      : [{ name: 'focus', valueReference: { reference: `${ownBase}/${focus.reference}` } }]),
  ],
});

/** How a subscription stands: Parameters by the profile of the guide for R4. */
export function statusOf({ subscription: s, type, events, ownBase }: Asked): Json & { readonly id: string } {
  const isTopicNamed = s.content !== 'empty';
  return {
    resourceType: 'Parameters',
    id: uuidOf(JSON.stringify([s.id, type, s.state, s.lastNumber, events.map(({ number }) => number)])),
    meta: { profile: [PROFILE.status] },
    parameter: [
      { name: 'subscription', valueReference: { reference: `${ownBase}/Subscription/${s.id}` } },
      ...(isTopicNamed || type === 'query-status'
        ? [{ name: 'topic', valueCanonical: topicOfKind(s.kind).canonical }]
        : []),
      { name: 'status', valueCode: s.state },
      { name: 'type', valueCode: type },
      { name: 'events-since-subscription-start', valueString: String(s.lastNumber) },
      ...events.map((event) => eventParameter(event, ownBase)),
      ...(s.because === null || (type !== 'query-status' && s.state === 'active')
        ? []
        : [{ name: 'error', valueCodeableConcept: { text: sayBecause(s.because) } }]),
    ],
  };
}

function entryOf({ focus }: PermittedEvent, ownBase: string): Json[] {
  if (focus.kind === 'empty') return [];
  return [
    {
      fullUrl: `${ownBase}/${focus.reference}`,
      ...(focus.resource === null ? {} : { resource: focus.resource }),
      request: { method: focus.method, url: focus.method === 'POST' ? focus.reference.split('/')[0] : focus.reference },
      response: { status: focus.method === 'POST' ? '201' : '200' },
    },
  ];
}

/** A notification: a Bundle of the type `history` whose first entry is the status. */
export function buildNotification(asked: Asked & { readonly at: Date }): Json {
  const { subscription, events, ownBase, at } = asked;
  const status = statusOf(asked);
  const entries = events.flatMap((event) => entryOf(event, ownBase));
  // One resource may have changed twice; a Bundle of a history has it once for each version, and we have the last one.
  const byUrl = new Map(entries.map((entry) => [entry['fullUrl'], entry]));
  return {
    resourceType: 'Bundle',
    id: uuidOf(JSON.stringify([status.id, 'bundle'])),
    meta: { profile: [PROFILE.notification] },
    type: 'history',
    timestamp: at.toISOString(),
    entry: [
      {
        fullUrl: `urn:uuid:${status.id}`,
        resource: status,
        request: { method: 'GET', url: `${ownBase}/Subscription/${subscription.id}/$status` },
        response: { status: '200' },
      },
      ...byUrl.values(),
    ],
  };
}
