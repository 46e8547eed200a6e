import { ok } from '../../kernel/index.ts';
import type { IdentityReads, IdentityWrites } from '../../identity/index.ts';
import type { InboxReads, InboxWrites } from '../../inbox/index.ts';
import { detailOf } from '../../judge/index.ts';
import type { DeliverReads, DeliverWrites } from '../../lanes/index.ts';
import type { Operate } from '../../store/index.ts';
import { iso } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';
import { findPatients, maySeePatients } from './show-delivery.ts';

const PARTS_MAX = 50;

interface Part {
  readonly count: number;
  readonly oldestAt: number;
  readonly newestAt: number;
  readonly example: string;
}
const shownPart = ({ count, oldestAt, newestAt, example }: Part) => ({
  deliveries: count,
  oldestAt: iso(oldestAt),
  newestAt: iso(newestAt),
  example,
});

/** What waits for a person: in groups, whose it is, and for which words. */
export const makeDeliveryGroupRoutes = (deps: {
  readonly tenant: string;
  readonly inbox: Operate<InboxWrites, InboxReads>;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly deliver: Operate<DeliverWrites, DeliverReads>;
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
    const asked = { tenant: deps.tenant, state, reason, faultCode, limit: PARTS_MAX };
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
      patients: users.map(({ userId, ...user }) => {
        const mrn = whose.value.mrnOf(user);
        const isShown = isNamed && !hiddenMrns.has(mrn ?? '');
        return {
          userId: isShown ? userId : null,
          mrn: isShown ? mrn : null,
          ...shownPart(user),
        };
      }),
      isWhole,
    });
  }),

  defineRoute('deliveries.groupWords', async ({ query }, { record }) => {
    const { state, reason, fault: faultCode = null } = query;
    const asked = { tenant: deps.tenant, state, reason, faultCode, limit: PARTS_MAX };
    const found = await deps.inbox.read('inbox.group-words', asked);
    if (!found.ok) return found;
    const { words, wordless, isWhole } = found.value;
    const known = await deps.deliver.read('deliver.words', {
      tenant: deps.tenant,
      ids: words.map(({ wordId }) => wordId),
    });
    if (!known.ok) return known;
    const byId = new Map(known.value.map((word) => [word.id, word]));
    const recorded = await record({ action: 'R', outcome: '0', count: words.length });
    if (!recorded.ok) return recorded;
    return ok({
      words: words.flatMap(({ wordId, ...part }) => {
        const word = byId.get(wordId);
        if (word === undefined) return [];
        const { id, kind, what, dataStructure } = word;
        return [{ id, kind, what, dataStructure, ...shownPart(part) }];
      }),
      wordless,
      isWhole,
    });
  }),
];
