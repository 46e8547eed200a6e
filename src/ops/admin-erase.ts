import { fail, fault, jsonAnswer, ok, type Clock, type Route } from '../kernel/index.ts';
import { isClientUuid, isUserId } from '../identity/index.ts';
import { adminRoute as admin, queryOf } from './admin-query.ts';
import type { EraseUser } from './erase-user.ts';
import type { RecordAct } from './record-act.ts';

/** Erasing a source user. Without `preview=false` it only tells what would be destroyed. */
export function makeEraseRoutes(deps: {
  readonly tenant: string;
  readonly clientUuid: string | null;
  readonly eraser: EraseUser;
  readonly record: RecordAct;
  readonly clock: Clock;
}): Route[] {
  const { tenant, eraser, record } = deps;
  return [
    admin('post', '/admin/api/users/:user_id/erase', async (ask) => {
      const query = queryOf(ask, ['client_uuid', 'preview']);
      if (!query.ok) return query;
      const user = ask.params['user_id'] ?? '';
      if (!isUserId(user)) return fail(fault('erase.not-found'));
      const client = query.value.get('client_uuid') ?? deps.clientUuid;
      if (client === null) return fail(fault('link.client', { at: 'client_uuid' }));
      if (!isClientUuid(client)) return fail(fault('admin.parameter', { at: 'client_uuid' }));
      const preview = query.value.get('preview') ?? 'true';
      if (preview !== 'true' && preview !== 'false') return fail(fault('admin.parameter', { at: 'preview' }));
      if (preview === 'true') {
        const shown = await eraser.preview({ client, user });
        if (!shown.ok) return shown;
        const recorded = await record(ask, { action: 'R', outcome: '0', why: 'erase preview' });
        return recorded.ok ? ok(jsonAnswer(200, shown.value)) : recorded;
      }
      // The record of it is in the commit that destroys the key.
      const act = { tenant, at: deps.clock.now(), requestId: ask.requestId, actor: 'operator' };
      const done = await eraser.erase(act, { client, user });
      return done.ok ? ok(jsonAnswer(200, done.value)) : done;
    }),
  ];
}
