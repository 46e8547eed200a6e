import { fail, fault, ok, type Clock, type Result } from '../../kernel/index.ts';
import {
  LEFT_OUT,
  type ActOutcome,
  type DetailedDelivery,
  type InboxReads,
  type InboxWrites,
} from '../../inbox/index.ts';
import { forwardAgain, type Decision, type LaneReads, type LaneWrites } from '../../lanes/index.ts';
import type { Operate } from '../../store/index.ts';
import { APPROVABLE } from '../contract/states.ts';
import { defineRoute, type AdminContext, type AdminRoute } from '../define-route.ts';
import { deliveryIdOf } from './show-delivery.ts';

const REPLAY_AT_ONCE = 500;

type Parked = Pick<DetailedDelivery, 'state' | 'reason'>;

const isApprovable = ({ state, reason }: Parked): boolean =>
  state === 'parked' && APPROVABLE.some((one) => one === reason);
const isConflict = ({ state, reason }: Parked): boolean => state === 'parked' && reason === 'conflict';
const isAbout = (decision: Decision | 'approve', delivery: Parked): boolean =>
  decision === 'approve' ? isApprovable(delivery) : isConflict(delivery);

function answerAct(result: Result<ActOutcome>, id: string): Result<{ readonly id: string }> {
  if (!result.ok) return result;
  if (result.value === 'done') return ok({ id });
  return fail(fault(result.value === 'not-found' ? 'delivery.not-found' : 'delivery.state'));
}

/** What a person does to deliveries that wait for one. */
export function makeDeliveryActRoutes(deps: {
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

  /** Judged again from their stored bytes, in small commits. */
  async function replayAll(
    context: AdminContext,
    state: 'parked' | 'quarantined',
    reason: string | null,
  ): Promise<Result<{ readonly count: number }>> {
    // By their places: what is judged again meanwhile, and parked once more, is not met twice.
    let count = 0;
    for (let after = 0; ;) {
      const page = { ...who(context), state, reason, after, limit: REPLAY_AT_ONCE };
      const some = await inbox.write('inbox.replay-many', page);
      if (!some.ok) return some;
      count += some.value.count;
      after = some.value.last;
      if (some.value.count < REPLAY_AT_ONCE) break;
    }
    deps.onReplay();
    return ok({ count });
  }

  /** What a reviewer wants is stored first: where the replay behind it fails, any later one carries it out. */
  async function decide(context: AdminContext, id: string, decision: Decision | 'approve'): Promise<Result<null>> {
    const found = await inbox.read('inbox.get', { tenant, id });
    if (!found.ok) return found;
    if (found.value === null) return fail(fault('delivery.not-found'));
    if (!isAbout(decision, found.value)) return fail(fault('delivery.state'));
    if (decision === 'approve') {
      const approved = await deps.lanes.write('lane.approve', { ...who(context), of: { id } });
      return approved.ok ? ok(null) : approved;
    }
    const decided = await deps.lanes.write('lane.decide', { ...who(context), id, decision });
    if (!decided.ok) return decided;
    return decided.value > 0 ? ok(null) : fail(fault('delivery.state'));
  }

  return [
    defineRoute('deliveries.replay', async ({ params }, context) => {
      const id = deliveryIdOf(params.id);
      const found = await inbox.read('inbox.get', { tenant, id });
      if (!found.ok) return found;
      const done = answerAct(await inbox.write('inbox.replay', { ...who(context), id }), id);
      if (!done.ok) return done;
      deps.onReplay();
      return ok({ id, undecided: found.value !== null && (isConflict(found.value) || isApprovable(found.value)) });
    }),

    defineRoute('deliveries.decide', async ({ params, body: { decision } }, context) => {
      const id = deliveryIdOf(params.id);
      const decided = await decide(context, id, decision);
      if (!decided.ok) return decided;
      // What was decided is recorded by the command; why, here.
      const said =
        context.reason === null ? ok(null) : await context.record({ action: 'U', outcome: '0', deliveryId: id });
      if (!said.ok) return said;
      const done = answerAct(await inbox.write('inbox.replay', { ...who(context), id, decision }), id);
      deps.onReplay();
      return done;
    }),

    defineRoute('deliveries.replayMany', async ({ query: { state, reason = null } }, context) =>
      state === 'delivered'
        ? reforward(context, reason === LEFT_OUT ? LEFT_OUT : 'all')
        : replayAll(context, state, reason),
    ),

    defineRoute('deliveries.approveMany', async ({ query }, context) => {
      let count = 0;
      for (const reason of query.reason === undefined ? APPROVABLE : [query.reason]) {
        const approved = await deps.lanes.write('lane.approve', { ...who(context), of: { reason } });
        if (!approved.ok) return approved;
        const replayed = await replayAll(context, 'parked', reason);
        if (!replayed.ok) return replayed;
        count += replayed.value.count;
      }
      return ok({ count });
    }),

    defineRoute('deliveries.discard', async ({ params, body }, context) => {
      const id = deliveryIdOf(params.id);
      return answerAct(await inbox.write('inbox.discard', { ...who(context), id, why: body.reason }), id);
    }),
  ];
}
