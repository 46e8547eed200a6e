import { append } from '../../audit/index.ts';
import { run, type CommandContext, type Program } from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { LaneWrites } from '../commands.ts';
import { auditOfAct } from '../rows.ts';

type Decide = LaneWrites['lane.decide'];

export function* decide(context: CommandContext, { id, decision, ...act }: Decide['args']): Program<Decide['out']> {
  const count = yield* run`
    UPDATE foreign_change SET decision = ${decision}
    WHERE tenant = ${act.tenant} AND target = ${TARGET} AND delivery_seq = (
      SELECT seq FROM delivery
      WHERE tenant = ${act.tenant} AND id = ${id} AND state = 'parked' AND reason = 'conflict')`;
  if (count > 0) yield* append(context, [auditOfAct(act, { why: decision, count, deliveryId: id })]);
  return count;
}
