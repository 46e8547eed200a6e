import { FOR_UPDATE_OF_FREE, LONG_AGO, now, run, type CommandContext, type Program } from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { LaneWrites } from '../commands.ts';

type Free = LaneWrites['lane.free'];

export function* free(context: CommandContext, { tenant, owner, at }: Free['args']): Program<Free['out']> {
  // A lane that somebody is at just now is given its next look by whoever is.
  yield* run`
    UPDATE lane SET next_at = ${now(at)} WHERE (tenant, target, patient_index) IN (
      SELECT tenant, target, patient_index FROM lane
      WHERE tenant = ${tenant} AND target = ${TARGET} AND next_at > ${now(at)} ${FOR_UPDATE_OF_FREE})`;
  // Where several processes are at it, the leases of others hold until they run out.
  if (context.engine !== 'sqlite') return 0;
  return yield* run`
    UPDATE lane SET lease_owner = NULL, lease_until = ${LONG_AGO}
    WHERE tenant = ${tenant} AND target = ${TARGET} AND lease_owner IS NOT NULL AND lease_owner <> ${owner}`;
}
