import { fail, fault, ok, type Clock, type Result } from '../../kernel/index.ts';
import { LEFT_OUT, type ActOutcome, type InboxReads, type InboxWrites } from '../../inbox/index.ts';
import { forwardAgain, type LaneReads, type LaneWrites } from '../../lanes/index.ts';
import type { Operate } from '../../store/index.ts';
import { defineRoute, type AdminContext, type AdminRoute } from '../define-route.ts';
import { deliveryIdOf } from './show-delivery.ts';

const REPLAY_AT_ONCE = 500;

function answerAct(result: Result<ActOutcome>, id: string): Result<{ readonly id: string }> {
  if (!result.ok) return result;
  if (result.value === 'done') return ok({ id });
  return fail(fault(result.value === 'not-found' ? 'delivery.not-found' : 'delivery.state'));
}

export function makeDeliveryRoutes(deps: {
  readonly tenant: string;
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

  return [
    defineRoute('deliveries.replay', async ({ params, body }, context) => {
      const id = deliveryIdOf(params.id);
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
      const id = deliveryIdOf(params.id);
      return answerAct(await inbox.write('inbox.discard', { ...who(context), id, why: body.reason }), id);
    }),
  ];
}
