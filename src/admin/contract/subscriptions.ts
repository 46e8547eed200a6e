import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { anyId, cursor, limit, named, taken, time } from './fields.ts';

const STATES = ['requested', 'active', 'error', 'off'] as const;

const Subscription = named(
  'Subscription',
  z.strictObject({
    id: z.string(),
    clientId: z.string().describe('The app whose it is'),
    topic: z.enum(['measurement', 'laboratory-report', 'alert', 'patient-connection']),
    patients: z
      .enum(['any', 'named'])
      .describe('named: it is about one patient, or a few; any: about whoever is linked'),
    content: z.enum(['empty', 'id-only', 'full-resource']),
    state: z.enum(STATES).describe('requested: its endpoint has not answered the handshake yet'),
    because: z
      .string()
      .nullable()
      .describe(
        'Why it is in error or off, or what the endpoint last did wrong, as a word: http-500, timeout, grant-ended',
      ),
    becauseText: z.string().nullable().describe('The same as a sentence'),
    endpoint: z.string().describe('Scheme, host and port; the path may hold a secret of the app and is not shown'),
    madeAt: time,
    endsAt: time.nullable().describe('The end that the app gave it; null: none'),
    lastEvent: z.int().describe('The number of its newest event; 0: none yet'),
    sentEvent: z.int().describe('The number of the newest event that the endpoint has taken'),
    waiting: z.int().describe('How many events its endpoint has not taken yet'),
    sentAt: time.nullable().describe('When the endpoint last took something; null: never'),
    failures: z.int().describe('How many tries in a row have failed'),
    failingSince: time.nullable(),
    nextAt: time.nullable().describe('When it is tried again, or looked at; null where it is in error or off'),
  }),
);

const SubscriptionPage = named(
  'SubscriptionPage',
  z.strictObject({ subscriptions: z.array(Subscription), next: z.string().nullable() }),
);

const list = defineContract({
  id: 'subscriptions.list',
  method: 'get',
  path: '/admin/api/subscriptions',
  summary: 'Subscriptions of apps, newest first',
  group: 'Apps',
  permission: 'apps.read',
  audited: { kind: 'later', name: 'subscriptions' },
  query: z.strictObject({
    state: taken(z.enum(STATES), `one of ${STATES.join(', ')}`).optional(),
    client_id: taken(z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/), 'the id of an app').optional(),
    cursor: cursor.optional(),
    limit: limit(),
  }),
  answer: SubscriptionPage,
  answers: 'A page; next is the cursor of the next one',
  errors: [],
});

const params = z.object({ id: anyId('the id of a subscription') });

const get = defineContract({
  id: 'subscriptions.get',
  method: 'get',
  path: '/admin/api/subscriptions/:id',
  summary: 'One subscription, and how it stands',
  group: 'Apps',
  permission: 'apps.read',
  audited: { kind: 'later', name: 'subscription' },
  params,
  answer: Subscription,
  answers: 'The subscription',
  errors: ['subscription.not-found'],
});

const end = defineContract({
  id: 'subscriptions.end',
  method: 'post',
  path: '/admin/api/subscriptions/:id/end',
  summary: 'End a subscription: nothing more is sent, and its app sees that an operator has ended it',
  group: 'Apps',
  permission: 'apps.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params,
  answer: Subscription,
  answers: 'It is off',
  errors: ['subscription.not-found'],
});

export const subscriptionsContract = {
  'subscriptions.list': list,
  'subscriptions.get': get,
  'subscriptions.end': end,
} as const;
