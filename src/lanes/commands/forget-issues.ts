import { run, type CommandContext, type Program } from '../../store/index.ts';
import type { LaneWrites } from '../commands.ts';

type ForgetIssues = LaneWrites['lane.forget-issues'];

export function* forgetIssues(
  _: CommandContext,
  { tenant, before }: ForgetIssues['args'],
): Program<ForgetIssues['out']> {
  return yield* run`
    UPDATE attempt SET issues = NULL
    WHERE tenant = ${tenant} AND issues IS NOT NULL AND ended_at < ${before.getTime()}`;
}
