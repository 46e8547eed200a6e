import type { Programs } from '../../store/index.ts';
import type { LaneWrites } from '../commands.ts';
import { alive } from './alive.ts';
import { approve } from './approve.ts';
import { begin } from './begin.ts';
import { claim } from './claim.ts';
import { decide } from './decide.ts';
import { finish } from './finish.ts';
import { forgetIssues } from './forget-issues.ts';
import { forgetSides } from './forget-sides.ts';
import { free } from './free.ts';
import { learn } from './learn.ts';
import { pause } from './pause.ts';
import { reforward } from './reforward.ts';
import { renew } from './renew.ts';
import { rewind } from './rewind.ts';

export { reads } from './read.ts';

/*
 * Leases are counted by the database's clock where it has one. A claim touches lanes alone; what follows locks the
 * user, the delivery and the lane in that order, as everything else does (see ../enqueue/commands/all.ts).
 */

export const writes: Programs<LaneWrites> = {
  'lane.claim': claim,
  'lane.begin': begin,
  'lane.finish': finish,
  'lane.renew': renew,
  'lane.free': free,
  'lane.alive': alive,
  'lane.rewind': rewind,
  'lane.learn': learn,
  'lane.forget-sides': forgetSides,
  'lane.forget-issues': forgetIssues,
  'lane.approve': approve,
  'lane.decide': decide,
  'lane.pause': pause,
  'lane.reforward': reforward,
};
