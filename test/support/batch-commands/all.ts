import { put } from '../../../src/inbox/commands/put.ts';
import { run, type CommandContext, type Programs } from '../../../src/store/index.ts';
import type { BatchWrites } from './index.ts';

const at = (context: CommandContext, place: number): CommandContext =>
  context.engine === 'sqlite' ? { ...context, place } : context;

export const writes: Programs<BatchWrites> = {
  *'batch.put-and-throw'(context, { place, ...args }) {
    yield* put(at(context, place), args);
    throw new RangeError('on purpose');
  },
  *'batch.put-and-swallow'(context, { place, ...args }) {
    const out = yield* put(at(context, place), args);
    try {
      yield* run`INSERT INTO delivery_body (seq, sealed) VALUES (${-1}, ${new Uint8Array(1)})`;
    } catch {
      // On purpose.
    }
    return out;
  },
};

export const reads = {};
