import { part, run, type CommandContext, type Program } from '../../store/index.ts';
import type { EnrolWrites } from '../commands.ts';
import { indexOf } from '../rows.ts';
import { lockUser } from './lock-user.ts';
import { wasToldBefore } from './told-before.ts';

const LATER_OF = part('max', 'greatest');

export function* revoke(
  context: CommandContext,
  { tenant, user, at }: EnrolWrites['enrol.revoke']['args'],
): Program<null> {
  const index = yield* lockUser(context, tenant, user);
  const atMs = at.getTime();
  yield* run`
    UPDATE enrolled_user SET revoked_at = ${atMs}, late = 0 WHERE tenant = ${tenant} AND user_index = ${index}`;
  yield* run`
    UPDATE source_connection SET state = 'revoked', changed_at = ${LATER_OF}(changed_at, ${atMs})
    WHERE tenant = ${tenant} AND user_index = ${index} AND state <> 'revoked'`;
  return null;
}

export function* countLate(
  { vault }: CommandContext,
  { tenant, user, deliverySeq }: EnrolWrites['enrol.late']['args'],
): Program<null> {
  if (yield* wasToldBefore(deliverySeq)) return null;
  yield* run`
    UPDATE enrolled_user SET late = late + 1
    WHERE tenant = ${tenant} AND user_index = ${indexOf(vault, user)} AND revoked_at IS NOT NULL`;
  return null;
}
