import { get, isErased, run, type CommandContext, type Program } from '../../store/index.ts';
import type { EnrolWrites } from '../commands.ts';
import { decideConnection, withoutAhead } from '../decide-connection.ts';
import { indexOf, sealFailure, toKept } from '../rows.ts';
import { lockUser } from './lock-user.ts';
import { wasToldBefore } from './told-before.ts';

export function* putNews(
  context: CommandContext,
  { tenant, user, at, heardAt, news, deliverySeq }: EnrolWrites['enrol.news']['args'],
): Program<null> {
  const { vault } = context;
  if (yield* wasToldBefore(deliverySeq)) return null;
  if (yield* isErased(tenant, indexOf(vault, user))) return null;
  const index = yield* lockUser(context, tenant, user);
  const { dataSource } = news;
  const [atMs, heardMs] = [at.getTime(), heardAt.getTime()];
  const before = yield* get`
    SELECT state, asked_at, changed_at FROM source_connection
    WHERE tenant = ${tenant} AND user_index = ${index} AND data_source = ${dataSource}`;
  const { state, askedAt, changedAt } = decideConnection(withoutAhead(toKept(before), atMs, heardMs), news, atMs);
  yield* run`
    INSERT INTO source_connection (tenant, user_index, data_source, state, asked_at, changed_at)
    VALUES (${tenant}, ${index}, ${dataSource}, ${state}, ${askedAt}, ${changedAt})
    ON CONFLICT (tenant, user_index, data_source)
    DO UPDATE SET state = excluded.state, asked_at = excluded.asked_at, changed_at = excluded.changed_at`;
  const failure = sealFailure(vault, index, dataSource, news.failure);
  if (failure !== null)
    yield* run`
      UPDATE source_connection SET failed_at = ${atMs}, failure_sealed = ${failure}
      WHERE tenant = ${tenant} AND user_index = ${index} AND data_source = ${dataSource}
        AND (failed_at IS NULL OR failed_at NOT BETWEEN ${atMs + 1} AND ${heardMs})`;
  if (news.state === 'connected' && state === 'connected')
    yield* run`
      UPDATE enrolled_user SET revoked_at = NULL
      WHERE tenant = ${tenant} AND user_index = ${index} AND revoked_at NOT BETWEEN ${atMs + 1} AND ${heardMs}`;
  return null;
}
