import { run, type CommandContext, type Program } from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { LaneWrites } from '../commands.ts';

type Learn = LaneWrites['lane.learn'];

export function* learn(_: CommandContext, { tenant, habits }: Learn['args']): Program<Learn['out']> {
  yield* run`
    INSERT INTO target (tenant, target, habits) VALUES (${tenant}, ${TARGET}, ${habits})
    ON CONFLICT (tenant, target) DO UPDATE SET habits = excluded.habits`;
  return null;
}
