import { run, type CommandContext, type Program } from '../../store/index.ts';
import type { LaneWrites } from '../commands.ts';

type ForgetSides = LaneWrites['lane.forget-sides'];

export function* forgetSides(_: CommandContext, { tenant }: ForgetSides['args']): Program<ForgetSides['out']> {
  return yield* run`
    UPDATE foreign_change SET sides_sealed = NULL
    WHERE tenant = ${tenant} AND sides_sealed IS NOT NULL AND delivery_seq IN (
      SELECT seq FROM delivery WHERE state NOT IN ('parked','queued','sending','unknown'))`;
}
