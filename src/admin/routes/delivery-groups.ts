import { ok } from '../../kernel/index.ts';
import type { IdentityReads, IdentityWrites } from '../../identity/index.ts';
import type { InboxReads, InboxWrites } from '../../inbox/index.ts';
import { detailOf } from '../../judge/index.ts';
import type { Operate } from '../../store/index.ts';
import { iso } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';
import { findPatients, maySeePatients } from './show-delivery.ts';

const USERS_MAX = 50;

/** What waits for a person: in groups, and whose it is. */
export const makeDeliveryGroupRoutes = (deps: {
  readonly tenant: string;
  readonly inbox: Operate<InboxWrites, InboxReads>;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
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

  defineRoute('deliveries.groupPatients', async ({ query }, { caller, record, withheld }) => {
    const { state, reason, fault: faultCode = null } = query;
    const asked = { tenant: deps.tenant, state, reason, faultCode, limit: USERS_MAX };
    const found = await deps.inbox.read('inbox.group-users', asked);
    if (!found.ok) return found;
    const { users, isWhole } = found.value;
    const whose = await findPatients(deps, users);
    if (!whose.ok) return whose;
    const hidden = await withheld(whose.value.patients);
    if (!hidden.ok) return hidden;
    const hiddenMrns = new Set(hidden.value.map(({ mrn }) => mrn));
    const isNamed = maySeePatients(caller);
    const patients = isNamed ? whose.value.patients.filter(({ mrn }) => !hiddenMrns.has(mrn)) : [];
    const recorded = await record({ action: 'R', outcome: '0', count: users.length, patients });
    if (!recorded.ok) return recorded;
    return ok({
      patients: users.map(({ userId, count, oldestAt, newestAt, example, ...user }) => {
        const mrn = whose.value.mrnOf(user);
        const isShown = isNamed && !hiddenMrns.has(mrn ?? '');
        return {
          userId: isShown ? userId : null,
          mrn: isShown ? mrn : null,
          deliveries: count,
          oldestAt: iso(oldestAt),
          newestAt: iso(newestAt),
          example,
        };
      }),
      isWhole,
    });
  }),
];
