import { changeLink, lockUser, replacedPatients, revokeLink } from '../../../identity/index.ts';
import { followLinks, orderLinks } from '../../../persons/index.ts';
import type { CommandContext, Program } from '../../../store/index.ts';
import { NOTHING } from '../adjust.ts';
import type { DeliverWrites } from '../commands.ts';
import { adjust } from './adjust.ts';

type Link = DeliverWrites['deliver.link'];

export function* link(context: CommandContext, { wanted, limit, ...act }: Link['args']): Program<Link['out']> {
  const user = yield* lockUser(context, act.tenant, wanted, act.at);
  yield* orderLinks(act.tenant);
  const { change, link: changed } = yield* changeLink(context, act, user, wanted);
  const isMoved = change === 'confirmed' || change === 'changed';
  if (isMoved) yield* followLinks(act.tenant, [changed.mrnIndex, ...(yield* replacedPatients(changed))], act.at);
  const adjusted = isMoved ? yield* adjust(context, act, user, limit) : { ...NOTHING, isSettled: !user.isUnsettled };
  return { change, id: changed.id, status: changed.status, ...adjusted };
}

type Revoke = DeliverWrites['deliver.revoke'];

export function* revoke(
  context: CommandContext,
  { user: who, why, charted = 'keep', limit, ...act }: Revoke['args'],
): Program<Revoke['out']> {
  const user = yield* lockUser(context, act.tenant, who, act.at);
  if (user.isUnsettled) return 'unsettled';
  yield* orderLinks(act.tenant);
  const revoked = yield* revokeLink(context, act, user, why, charted);
  if (revoked === null) return 'not-found';
  const { id, status, mrnIndex } = revoked.link;
  yield* followLinks(act.tenant, [mrnIndex], act.at);
  return { change: revoked.change, id, status, ...(yield* adjust(context, act, user, limit)) };
}
