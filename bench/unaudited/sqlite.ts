import type { PutDelivery } from '../../src/inbox/commands.ts';
import { keepDelivery } from '../../src/inbox/commands/put.ts';
import type { CommandContext } from '../../src/store/index.ts';

/**
 * Receives a delivery as `inbox.put` does, but for its audit record. The product has no such switch: this is the other
 * side of a figure.
 */
export const writes = {
  'bench.put-unaudited': (context: CommandContext, d: PutDelivery) => keepDelivery(context, d),
};
export const reads = {};
