import { append } from '../../audit/index.ts';
import { run, typed, type CommandContext, type Program } from '../../store/index.ts';
import type { LaneWrites } from '../commands.ts';
import { auditOfAct } from '../rows.ts';

type Approve = LaneWrites['lane.approve'];

export function* approve(context: CommandContext, { of, ...act }: Approve['args']): Program<Approve['out']> {
  const [id, reason] = 'id' in of ? [of.id, null] : [null, of.reason];
  const count = yield* run`
    UPDATE job SET approved_at = ${act.at.getTime()}
    WHERE plan_digest IS NOT NULL AND approved_at IS NULL AND delivery_seq IN (
        SELECT seq FROM delivery
        WHERE tenant = ${act.tenant} AND state = 'parked' AND reason IN ('suspicious','ambiguous','identity')
          AND (${typed('text', id)} IS NULL OR id = ${id}) AND (${typed('text', reason)} IS NULL OR reason = ${reason}))
      AND seq = (SELECT max(k.seq) FROM job k WHERE k.delivery_seq = job.delivery_seq AND k.kind = 'deliver')`;
  if (count > 0)
    yield* append(context, [auditOfAct(act, { why: 'approve', count, ...(id === null ? {} : { deliveryId: id }) })]);
  return count;
}
