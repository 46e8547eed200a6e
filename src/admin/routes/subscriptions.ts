import { actorOf } from '../../audit/index.ts';
import { fail, fault, ok, type Clock } from '../../kernel/index.ts';
import type { Operate } from '../../store/index.ts';
import {
  sayBecause,
  type ListedSubscription,
  type SubscriptionReads,
  type SubscriptionWrites,
} from '../../subscriptions/index.ts';
import { beforeOf, iso, pageOf } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

const shown = (s: ListedSubscription) => ({
  id: s.id,
  clientId: s.clientId,
  topic: s.kind,
  patients: s.patients,
  content: s.content,
  state: s.state,
  because: s.because,
  becauseText: s.because === null ? null : sayBecause(s.because),
  endpoint: s.origin,
  madeAt: iso(s.madeAt),
  endsAt: isoOrNull(s.endAt),
  lastEvent: s.lastNumber,
  sentEvent: s.sentNumber,
  waiting: s.lastNumber - s.sentNumber,
  sentAt: isoOrNull(s.sentAt),
  failures: s.failures,
  failingSince: isoOrNull(s.failingSince),
  nextAt: s.state === 'requested' || s.state === 'active' ? iso(s.nextAt) : null,
});

/** Text that cannot be an id matches no row. */
const isSubscriptionId = (id: string): boolean => /^sub-[0-9a-z]{26}$/.test(id);

/** What apps are told, as the operator sees it: which subscriptions there are, how they stand, and their end. */
export function makeSubscriptionRoutes(deps: {
  readonly tenant: string;
  readonly subscriptions: Operate<SubscriptionWrites, SubscriptionReads>;
  readonly clock: Clock;
}): AdminRoute[] {
  const { tenant, subscriptions } = deps;
  return [
    defineRoute('subscriptions.list', async ({ query }) => {
      const before = beforeOf('s', query.cursor);
      if (!before.ok) return before;
      const found = await subscriptions.read('subscription.list', {
        tenant,
        before: before.value,
        limit: query.limit + 1,
        state: query.state ?? null,
        clientId: query.client_id ?? null,
      });
      if (!found.ok) return found;
      const { rows, next } = pageOf('s', found.value, query.limit);
      return ok({ subscriptions: rows.map(shown), next });
    }),
    defineRoute('subscriptions.get', async ({ params: { id } }) => {
      if (!isSubscriptionId(id)) return fail(fault('subscription.not-found'));
      const found = await subscriptions.read('subscription.show', { tenant, id });
      if (!found.ok) return found;
      return found.value === null ? fail(fault('subscription.not-found')) : ok(shown(found.value));
    }),
    defineRoute('subscriptions.end', async ({ params: { id } }, { actor }) => {
      if (!isSubscriptionId(id)) return fail(fault('subscription.not-found'));
      const ended = await subscriptions.write('subscription.end', {
        id,
        audit: {
          at: deps.clock.now(),
          type: 'admin',
          tenant,
          requestId: actor.requestId,
          action: 'U',
          outcome: '0',
          ...actorOf(actor),
          why: 'subscription.end',
          to: id,
        },
      });
      if (!ended.ok) return ended;
      return ended.value === null ? fail(fault('subscription.not-found')) : ok(shown(ended.value));
    }),
  ];
}
