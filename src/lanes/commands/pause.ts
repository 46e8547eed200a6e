import { append } from '../../audit/index.ts';
import { all, run, type CommandContext, type Program } from '../../store/index.ts';
import { makeLaneChanges } from '../enqueue/adjust.ts';
import { TARGET } from '../enqueue/commands.ts';
import { changeLanes } from '../enqueue/commands/jobs.ts';
import type { LaneWrites } from '../commands.ts';
import { auditOfAct } from '../rows.ts';

/** A person has looked: what could not be taken out of a chart is tried again. */
function* retryRetractions(tenant: string): Program<void> {
  const lanes = makeLaneChanges();
  const rows = yield* all`
    UPDATE job SET state = 'queued' WHERE tenant = ${tenant} AND target = ${TARGET} AND state = 'parked'
    RETURNING patient_index`;
  for (const row of rows) lanes.add(row['patient_index'] as Uint8Array, 1);
  yield* changeLanes(tenant, lanes);
}

type Pause = LaneWrites['lane.pause'];

export function* pause(context: CommandContext, { state, ...act }: Pause['args']): Program<Pause['out']> {
  const [at, by] = state === 'paused' ? [act.at.getTime(), act.actor] : [null, null];
  yield* run`
    INSERT INTO target (tenant, target, paused_at, paused_by) VALUES (${act.tenant}, ${TARGET}, ${at}, ${by})
    ON CONFLICT (tenant, target) DO UPDATE SET paused_at = excluded.paused_at, paused_by = excluded.paused_by`;
  if (state === 'running') yield* retryRetractions(act.tenant);
  yield* append(context, [auditOfAct(act, { to: state, why: 'target' })]);
  return null;
}
