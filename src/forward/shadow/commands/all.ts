import type { Programs } from '../../../store/index.ts';
import type { ShadowWrites } from '../commands.ts';
import { again, put, sweep, take } from './evaluate.ts';
import { enter, leave, report } from './hold.ts';

export { reads } from './read.ts';

export const writes: Programs<ShadowWrites> = {
  'shadow.enter': enter,
  'shadow.leave': leave,
  'shadow.reported': (_, { tenant, waiting, at }) => report(tenant, waiting, at),
  'shadow.take': take,
  'shadow.put': put,
  'shadow.again': again,
  'shadow.sweep': sweep,
};
