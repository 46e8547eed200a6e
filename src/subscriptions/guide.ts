/** Names of the guide Subscriptions R5 Backport 1.1: http://hl7.org/fhir/uv/subscriptions-backport */
const GUIDE = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition';

export const PROFILE = {
  subscription: `${GUIDE}/backport-subscription`,
  status: `${GUIDE}/backport-subscription-status-r4`,
  notification: `${GUIDE}/backport-subscription-notification-r4`,
} as const;

export const EXTENSION = {
  filter: `${GUIDE}/backport-filter-criteria`,
  heartbeat: `${GUIDE}/backport-heartbeat-period`,
  timeout: `${GUIDE}/backport-timeout`,
  maxCount: `${GUIDE}/backport-max-count`,
  content: `${GUIDE}/backport-payload-content`,
  topic: `${GUIDE}/capabilitystatement-subscriptiontopic-canonical`,
  /** Ours: the secret by which notifications are signed, told once. */
  secret: 'https://chartgate.dev/fhir/StructureDefinition/webhook-secret',
} as const;

export const OPERATION = {
  status: 'http://hl7.org/fhir/uv/subscriptions-backport/OperationDefinition/backport-subscription-status',
  events: 'http://hl7.org/fhir/uv/subscriptions-backport/OperationDefinition/backport-subscription-events',
} as const;
