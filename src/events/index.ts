/** What the gateway did, as apps may be told of it: a queue that is written in the commit of what happened. */
export {
  CHART_ACTS,
  EVENT_KINDS,
  packItems,
  type ChartAct,
  type EventItem,
  type EventKind,
  type Label,
  type NewEvent,
  type PackedItems,
  type QueuedEvent,
} from './event.ts';
export { forgetEvents, noteSubscription, putEvents, queuedEvents } from './queue.ts';
export { eventsSealed } from './rows.ts';
