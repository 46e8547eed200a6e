/** Apps are told what happened: subscriptions by the guide Subscriptions R5 Backport 1.1 for FHIR R4. */
export { BECAUSE, sayBecause } from './show-subscription.ts';
export {
  subscriptionSet,
  type ListedSubscription,
  type SubscriptionReads,
  type SubscriptionWrites,
} from './commands.ts';
export { SUBSCRIPTION_CAPABILITY } from './describe-subscriptions.ts';
export { resolveByDns, type Resolve } from './guard-endpoint.ts';
export { EXTENSION, OPERATION, PROFILE } from './guide.ts';
export { makeSubscriptions, type Subscriptions } from './make-subscriptions.ts';
export { subscriptionSealed } from './rows.ts';
export { SUBSCRIPTION_STATES, type SubscriptionState } from './subscription.ts';
export { TOPICS, topicOfKind, type Topic } from './topics.ts';
