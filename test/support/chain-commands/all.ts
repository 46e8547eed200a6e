import { append } from '../../../src/audit/index.ts';
import { run, type Programs } from '../../../src/store/index.ts';
import type { ChainWrites } from './index.ts';

export const writes: Programs<ChainWrites> = {
  *'chain.append'(context, { drafts, ending }) {
    yield* append(context, drafts);
    if (ending === 'throws') throw new RangeError('on purpose');
    if (ending === 'refused') yield* run`INSERT INTO half (id, other) VALUES (1, 2)`;
    if (ending === 'swallows')
      try {
        yield* run`INSERT INTO half (id, other) VALUES (3, ${null})`;
      } catch {
        // On purpose.
      }
    return null;
  },
};
export const reads = {};
