import { putEvents } from '../../../src/events/index.ts';
import type { Programs } from '../../../src/store/index.ts';
import type { EventWrites } from './index.ts';

export const writes: Programs<EventWrites> = {
  *'event-test.put'(context, events) {
    yield* putEvents(context, events);
    return null;
  },
};
export const reads = {};
