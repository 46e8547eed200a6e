import { fail, fault, type Clock } from '../../kernel/index.ts';
import { isUserId } from '../../identity/index.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';
import type { EraseUser } from '../erase-user.ts';

/** Erasing a source user. Without `preview=false` it only tells what would be destroyed. */
export const makeEraseRoutes = (deps: {
  readonly tenant: string;
  readonly clientUuid: string | null;
  readonly eraser: EraseUser;
  readonly clock: Clock;
}): AdminRoute[] => [
  defineRoute('users.erase', async ({ params, query }, { record, actor }) => {
    const user = params.user_id;
    if (!isUserId(user)) return fail(fault('erase.not-found'));
    const client = query.client_uuid ?? deps.clientUuid;
    if (client === null) return fail(fault('link.client', { at: 'client_uuid' }));
    if (query.preview) {
      const shown = await deps.eraser.preview({ client, user });
      if (!shown.ok) return shown;
      const recorded = await record({ action: 'R', outcome: '0' });
      return recorded.ok ? shown : recorded;
    }
    // The record of it is in the commit that destroys the key.
    return deps.eraser.erase({ tenant: deps.tenant, at: deps.clock.now(), ...actor }, { client, user });
  }),
];
