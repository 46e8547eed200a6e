import { lockUser } from '../../../identity/index.ts';
import type { Programs } from '../../../store/index.ts';
import type { DeliverWrites } from '../commands.ts';
import { adjust } from './adjust.ts';
import { link, revoke } from './link.ts';
import { settle } from './settle.ts';

export { reads } from './read.ts';

/*
 * The order of locks, the same in every command: the row of the user, then the document, then deliveries in the order
 * of arrival, then lanes. Commands that share a batch may still meet those of another in a circle; run-batch.ts then
 * runs them one by one.
 */

export const writes: Programs<DeliverWrites> = {
  'deliver.settle': settle,
  'deliver.link': link,
  'deliver.revoke': revoke,
  *'deliver.adjust'(context, { user: who, limit, ...act }) {
    return yield* adjust(context, act, yield* lockUser(context, act.tenant, who, act.at), limit);
  },
};
