import type { SourceUser } from '../../identity/index.ts';
import { FOR_UPDATE, get, run, type CommandContext, type Program } from '../../store/index.ts';
import { indexOf, sealUser } from '../rows.ts';

/** Makes sure of the user's row and locks it: what is decided about a user is decided by one at a time. */
export function* lockUser({ vault }: CommandContext, tenant: string, user: SourceUser): Program<Buffer> {
  const index = indexOf(vault, user);
  yield* run`
    INSERT INTO enrolled_user (tenant, user_index, user_sealed, late)
    VALUES (${tenant}, ${index}, ${sealUser(vault, index, user)}, 0) ON CONFLICT (tenant, user_index) DO NOTHING`;
  yield* get`SELECT 1 AS one FROM enrolled_user WHERE tenant = ${tenant} AND user_index = ${index} ${FOR_UPDATE}`;
  return index;
}
