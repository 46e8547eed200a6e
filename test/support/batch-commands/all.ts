import { put } from '../../../src/inbox/commands/put.ts';
import { run, type Programs } from '../../../src/store/index.ts';
import type { BatchWrites } from './index.ts';

export const writes: Programs<BatchWrites> = {
  *'batch.put-and-throw'(context, args) {
    yield* put(context, args);
    throw new RangeError('on purpose');
  },
  *'batch.put-and-swallow'(context, args) {
    const out = yield* put(context, args);
    try {
      yield* run`INSERT INTO delivery_body (seq, sealed) VALUES (${-1}, ${new Uint8Array(1)})`;
    } catch {
      // On purpose.
    }
    return out;
  },
};

export const reads = {};
