import { fail, fault, ok, type Clock, type Result } from '../../kernel/index.ts';
import {
  LEFT_OUT,
  type ActOutcome,
  type InboxReads,
  type InboxWrites,
  type ListedDelivery,
} from '../../inbox/index.ts';
import { detailOf, isFaultCode } from '../../judge/index.ts';
import { forwardAgain, type LaneReads, type LaneWrites } from '../../lanes/index.ts';
import { addsUp } from '../../ops/index.ts';
import type { Operate } from '../../store/index.ts';
import { beforeOf, iso, pageOf } from '../cursor.ts';
import { defineRoute, type AdminContext, type AdminRoute } from '../define-route.ts';

const REPLAY_AT_ONCE = 500;

const shown = ({ seq: _seq, receivedAt, stateAt, ...rest }: ListedDelivery) => ({
  ...rest,
  hook: rest.hook as 'data' | 'notification',
  detail: detailOf(rest),
  receivedAt: iso(receivedAt),
  stateAt: iso(stateAt),
});

/** What cannot be an id is nobody's. */
const idOf = (id: string): string => (/^[\w-]{1,64}$/.test(id) ? id : '-');

function answerAct(result: Result<ActOutcome>, id: string): Result<{ readonly id: string }> {
  if (!result.ok) return result;
  if (result.value === 'done') return ok({ id });
  return fail(fault(result.value === 'not-found' ? 'delivery.not-found' : 'delivery.state'));
}

export function makeDeliveryRoutes(deps: {
  readonly tenant: string;
  readonly clientUuid: string | null;
  readonly inbox: Operate<InboxWrites, InboxReads>;
  readonly clock: Clock;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  /** Told that there is something to look at again. */
  readonly onReplay: () => void;
  /** Told that there is something to send again. */
  readonly onReforward: () => void;
}): AdminRoute[] {
  const { tenant, inbox } = deps;
  const who = ({ actor }: AdminContext) => ({ tenant, at: deps.clock.now(), ...actor });

  async function reforward(
    { actor }: AdminContext,
    which: 'all' | 'left-out',
  ): Promise<Result<{ readonly count: number }>> {
    const count = await forwardAgain({ lanes: deps.lanes, clock: deps.clock, act: { tenant, ...actor }, which });
    if (!count.ok) return count;
    deps.onReforward();
    return ok({ count: count.value });
  }

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
      const recorded = await record({ action: 'R', outcome: '0', deliveryId: id });
      if (!recorded.ok) return recorded;
      const taken = steps.map((step) => ({ ...step, at: iso(step.at) }));
      return ok({ ...rest, ...shown(delivery), steps: taken, ...seen.value });
    }),

    defineRoute('deliveries.replay', async ({ params, body }, context) => {
      const id = idOf(params.id);
      const decision = body.conflict;
      if (decision !== undefined) {
        const decided = await deps.lanes.write('lane.decide', { ...who(context), id, decision });
        if (!decided.ok) return decided;
        if (decided.value === 0) {
          const found = await inbox.read('inbox.get', { tenant, id });
          return found.ok ? fail(fault(found.value === null ? 'delivery.not-found' : 'delivery.state')) : found;
        }
      }
      // Whoever replays one delivery has looked at it.
      const approved = await deps.lanes.write('lane.approve', { ...who(context), of: { id } });
      if (!approved.ok) return approved;
      const done = await inbox.write('inbox.replay', { ...who(context), id });
      deps.onReplay();
      return answerAct(done, id);
    }),

    defineRoute('deliveries.replayMany', async ({ query }, context) => {
      const { state, approve, reason = null } = query;
      if (state === 'delivered') return reforward(context, reason === LEFT_OUT ? LEFT_OUT : 'all');
      if (approve) {
        const approved = await deps.lanes.write('lane.approve', { ...who(context), of: { reason } });
        if (!approved.ok) return approved;
      }
      // By their places: what is judged again meanwhile, and parked once more, is not met twice.
      let count = 0;
      for (let after = 0; ;) {
        const some = await inbox.write('inbox.replay-many', {
          ...who(context),
          state,
          reason,
          after,
          limit: REPLAY_AT_ONCE,
        });
        if (!some.ok) return some;
        count += some.value.count;
        after = some.value.last;
        if (some.value.count < REPLAY_AT_ONCE) break;
      }
      deps.onReplay();
      return ok({ count });
    }),

    defineRoute('deliveries.discard', async ({ params, body }, context) => {
      const id = idOf(params.id);
      return answerAct(await inbox.write('inbox.discard', { ...who(context), id, why: body.reason }), id);
    }),
  ];
}
