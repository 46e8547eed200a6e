import { run, type CommandContext, type Program } from '../../store/index.ts';
import type { EnrolWrites } from '../commands.ts';
import { indexOf } from '../rows.ts';
import { TABLES } from './tables.ts';

export function* erase(
  { vault }: CommandContext,
  { tenant, user, claims }: EnrolWrites['enrol.erase']['args'],
): Program<null> {
  const index = indexOf(vault, user);
  for (const { name } of TABLES) yield* run`DELETE FROM ${name} WHERE tenant = ${tenant} AND user_index = ${index}`;
  for (const claim of claims)
    yield* run`DELETE FROM enrolled_patient WHERE tenant = ${tenant} AND mrn_index = ${claim}`;
  return null;
}
