import type { CapabilityStatementRestResource } from '@medplum/fhirtypes';
import { EXTENSION, OPERATION, PROFILE } from './guide.ts';
import { TOPICS } from './topics.ts';

/** What the CapabilityStatement says of subscriptions. Nothing else can be written through the API. */
export const SUBSCRIPTION_CAPABILITY: CapabilityStatementRestResource = {
  extension: TOPICS.map(({ canonical }) => ({ url: EXTENSION.topic, valueCanonical: canonical })),
  type: 'Subscription',
  supportedProfile: [PROFILE.subscription],
  documentation: [
    'Topic-based subscriptions of the app that asks, by the channel rest-hook, for a token with system/Subscription, user/Subscription or patient/Subscription. Apps create, change and delete nothing else here.',
    'Topics cover what the gateway did, not what others edit in the EHR.',
    ...TOPICS.map(
      ({ canonical, title, type, filters }) => `${canonical}: ${title} (${type}; filters: ${filters.join(', ')}).`,
    ),
  ].join('\n\n'),
  interaction: (['create', 'read', 'update', 'patch', 'delete', 'search-type'] as const).map((code) => ({ code })),
  versioning: 'no-version',
  updateCreate: false,
  searchParam: [
    { name: '_id', type: 'token' },
    { name: 'status', type: 'token' },
    { name: 'url', type: 'uri' },
    { name: 'type', type: 'token' },
    { name: 'payload', type: 'token' },
    { name: 'criteria', type: 'string' },
  ],
  operation: [
    { name: 'status', definition: OPERATION.status },
    { name: 'events', definition: OPERATION.events },
  ],
};
