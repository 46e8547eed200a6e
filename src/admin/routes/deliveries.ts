import { fail, fault, ok } from '../../kernel/index.ts';
import type { InboxReads, InboxWrites, ListedDelivery } from '../../inbox/index.ts';
import { detailOf, isFaultCode } from '../../judge/index.ts';
import type { LaneReads, LaneWrites } from '../../lanes/index.ts';
import type { OperatorReads, OperatorWrites } from '../../operators/index.ts';
import { addsUp } from '../../ops/index.ts';
import type { Operate } from '../../store/index.ts';
import { beforeOf, iso, pageOf } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';
import { idOf } from './delivery-acts.ts';
import { readWork } from './delivery-work.ts';

const shown = ({ seq: _seq, receivedAt, stateAt, ...rest }: ListedDelivery) => ({
  ...rest,
  hook: rest.hook as 'data' | 'notification',
  detail: detailOf(rest),
  receivedAt: iso(receivedAt),
  stateAt: iso(stateAt),
});

export function makeDeliveryRoutes(deps: {
  readonly tenant: string;
  readonly clientUuid: string | null;
  readonly inbox: Operate<InboxWrites, InboxReads>;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly operators: Operate<OperatorWrites, OperatorReads>;
}): AdminRoute[] {
  const { tenant, inbox } = deps;

  /**
   * What a person needs who decides on a delivery: what somebody else changed of it, or what it would take out of the
   * chart.
   */
  async function seenOf({ id, state, reason }: Pick<ListedDelivery, 'id' | 'state' | 'reason'>) {
    if (state !== 'parked' || (reason !== 'conflict' && reason !== 'suspicious')) return ok({});
    const found = await deps.lanes.read('lane.foreign', { tenant, deliveryId: id });
    if (!found.ok) return found;
    const seen = found.value.map(({ name, resourceType, versionId, seenAt, sides }) => ({
      of: { resourceType, name, versionId, seenAt: iso(seenAt) },
      ours: sides?.ours ?? null,
      theirs: sides?.theirs ?? null,
    }));
    return ok(
      reason === 'conflict'
        ? { conflicts: seen.map(({ of, ours, theirs }) => ({ ...of, ours, theirs })) }
        : { withdrawals: seen.map(({ of, theirs }) => ({ ...of, chart: theirs })) },
    );
  }

  return [
    defineRoute('flow.ledger', async () => {
      const counts = await inbox.read('inbox.ledger', { tenant });
      return counts.ok ? ok({ tenant, ...counts.value, addsUp: addsUp(counts.value) }) : counts;
    }),

    defineRoute('deliveries.list', async ({ query }, { record }) => {
      const { state = null, reason = null, fault: faultCode = null, user_id: user = null, limit } = query;
      if (faultCode !== null && !isFaultCode(faultCode)) return fail(fault('admin.parameter', { at: 'fault' }));
      const before = beforeOf('d', query.cursor);
      if (!before.ok) return before;
      // A user id means nothing without its client, and a client alone is no filter.
      const client = query.client_uuid ?? deps.clientUuid;
      if (user !== null && client === null) return fail(fault('admin.parameter', { at: 'client_uuid' }));
      if (query.client_uuid !== undefined && user === null) return fail(fault('admin.parameter', { at: 'user_id' }));
      const found = await inbox.read('inbox.list', {
        tenant,
        state,
        reason,
        faultCode,
        dataStructure: query.data_structure ?? null,
        client: user === null ? null : client,
        user,
        before: before.value,
        limit: limit + 1,
      });
      if (!found.ok) return found;
      const { rows, next } = pageOf('d', found.value, limit);
      const recorded = await record({ action: 'R', outcome: '0', count: rows.length });
      return recorded.ok ? ok({ deliveries: rows.map(shown), next }) : recorded;
    }),

    defineRoute('deliveries.get', async ({ params }, { record }) => {
      const id = idOf(params.id);
      const found = await inbox.read('inbox.get', { tenant, id });
      if (!found.ok) return found;
      if (found.value === null) return fail(fault('delivery.not-found'));
      const { steps, ...delivery } = found.value;
      const { seq: _seq, ...rest } = delivery;
      const seen = await seenOf(rest);
      if (!seen.ok) return seen;
      const work = await readWork(deps, id);
      if (!work.ok) return work;
      const recorded = await record({ action: 'R', outcome: '0', deliveryId: id });
      if (!recorded.ok) return recorded;
      const taken = steps.map((step) => ({ ...step, at: iso(step.at) }));
      return ok({ ...rest, ...shown(delivery), steps: taken, ...seen.value, ...work.value });
    }),
  ];
}
