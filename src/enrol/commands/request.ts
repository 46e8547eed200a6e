import { isErased, run, type CommandContext, type Program } from '../../store/index.ts';
import type { EnrolWrites } from '../commands.ts';
import { indexOf, sealMrn } from '../rows.ts';
import { lockUser } from './lock-user.ts';
import { wasToldBefore } from './told-before.ts';

export function* request(
  context: CommandContext,
  { tenant, user, at, id, kind, mrn }: EnrolWrites['enrol.request']['args'],
): Program<null> {
  const index = yield* lockUser(context, tenant, user);
  yield* run`
    INSERT INTO source_request (tenant, user_index, id, kind, asked_at, mrn_sealed)
    VALUES (${tenant}, ${index}, ${id}, ${kind}, ${at.getTime()}, ${sealMrn(context.vault, index, id, mrn)})
    ON CONFLICT (tenant, user_index, id) DO UPDATE SET asked_at = excluded.asked_at, mrn_sealed = excluded.mrn_sealed`;
  return null;
}

export function* arrive(
  context: CommandContext,
  { tenant, user, at, id, kind, deliveryId, deliverySeq }: EnrolWrites['enrol.arrive']['args'],
): Program<null> {
  if (yield* wasToldBefore(deliverySeq)) return null;
  if (yield* isErased(tenant, indexOf(context.vault, user))) return null;
  const index = yield* lockUser(context, tenant, user);
  const atMs = at.getTime();
  yield* run`
    INSERT INTO source_request (tenant, user_index, id, kind, asked_at, delivery_id, arrived_at)
    VALUES (${tenant}, ${index}, ${id}, ${kind}, ${atMs}, ${deliveryId}, ${atMs})
    ON CONFLICT (tenant, user_index, id) DO UPDATE SET
      delivery_id = coalesce(source_request.delivery_id, excluded.delivery_id),
      arrived_at = coalesce(source_request.arrived_at, excluded.arrived_at)`;
  return null;
}
