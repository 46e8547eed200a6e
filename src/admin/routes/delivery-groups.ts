import { ok } from '../../kernel/index.ts';
import type { InboxReads, InboxWrites } from '../../inbox/index.ts';
import { detailOf } from '../../judge/index.ts';
import type { Operate } from '../../store/index.ts';
import { iso } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';

export const makeDeliveryGroupRoutes = (deps: {
  readonly tenant: string;
  readonly inbox: Operate<InboxWrites, InboxReads>;
}): AdminRoute[] => [
  defineRoute('deliveries.groups', async () => {
    const found = await deps.inbox.read('inbox.groups', { tenant: deps.tenant });
    if (!found.ok) return found;
    const groups = found.value.map(({ count, isExact, oldestAt, newestAt, ...group }) => ({
      ...group,
      detail: detailOf(group),
      deliveries: { count, isExact },
      oldestAt: iso(oldestAt),
      newestAt: iso(newestAt),
    }));
    return ok({ groups });
  }),
];
