import { fail, fault, jsonAnswer, ok, type Ask, type Clock, type Result, type Route } from '../kernel/index.ts';
import {
  LEFT_OUT,
  STATES,
  type ActOutcome,
  type InboxReads,
  type InboxWrites,
  type ListedDelivery,
  type State,
} from '../inbox/index.ts';
import { isClientUuid, isUserId } from '../identity/index.ts';
import { detailOf, isFaultCode } from '../judge/index.ts';
import { forwardAgain, type Decision, type LaneReads, type LaneWrites } from '../lanes/index.ts';
import type { Operate } from '../store/index.ts';
import { addsUp } from './adds-up.ts';
import { adminRoute as admin, iso, pageOf, queryOf, REASON, toCursor } from './admin-query.ts';
import { readObject, type Fields } from './read-json.ts';
import type { RecordAct, RecordActLater } from './record-act.ts';

const BODY_BYTES_MAX = 16 * 1024;
const REPLAY_AT_ONCE = 500;

const shown = ({ seq: _seq, receivedAt, stateAt, ...rest }: ListedDelivery) => ({
  ...rest,
  detail: detailOf(rest),
  receivedAt: iso(receivedAt),
  stateAt: iso(stateAt),
});

/** Text that cannot be an id matches no row. */
const idOf = (params: Ask['params']): string => (/^[\w-]{1,64}$/.test(params['id'] ?? '') ? (params['id'] ?? '') : '-');

const DISCARD: Fields = {
  reason: { isRequired: true, isGood: (value) => typeof value === 'string' && REASON.test(value.trim()) },
};
/** Without a word on conflicts, they are not decided. */
const REPLAY: Fields = { conflict: { isGood: (value) => value === 'keep-theirs' || value === 'overwrite' } };

const isState = (text: string): text is State => (STATES as readonly string[]).includes(text);

function answerAct(result: Result<ActOutcome>, id: string): Result<ReturnType<typeof jsonAnswer>> {
  if (!result.ok) return result;
  if (result.value === 'done') return ok(jsonAnswer(200, { id }));
  return fail(fault(result.value === 'not-found' ? 'delivery.not-found' : 'delivery.state'));
}

export function makeDeliveryRoutes(deps: {
  readonly tenant: string;
  readonly clientUuid: string | null;
  readonly inbox: Operate<InboxWrites, InboxReads>;
  readonly clock: Clock;
  readonly record: RecordAct;
  readonly recordLater: RecordActLater;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  /** Called when a delivery is to be judged again. */
  readonly onReplay: () => void;
  /** Called when a delivery is to be sent again. */
  readonly onReforward: () => void;
}): Route[] {
  const { tenant, inbox, record, recordLater } = deps;
  const who = ({ requestId }: Ask) => ({ tenant, at: deps.clock.now(), requestId, actor: 'operator' });

  async function reforward(
    { requestId }: Ask,
    which: 'all' | 'left-out',
  ): Promise<Result<ReturnType<typeof jsonAnswer>>> {
    const act = { tenant, actor: 'operator', requestId };
    const count = await forwardAgain({ lanes: deps.lanes, clock: deps.clock, act, which });
    if (!count.ok) return count;
    deps.onReforward();
    return ok(jsonAnswer(200, { count: count.value }));
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
    admin('get', '/admin/api/ledger', async (ask) => {
      const counts = await inbox.read('inbox.ledger', { tenant });
      recordLater(ask, 'ledger');
      return counts.ok ? ok(jsonAnswer(200, { tenant, ...counts.value, addsUp: addsUp(counts.value) })) : counts;
    }),

    admin('get', '/admin/api/deliveries', async (ask) => {
      const query = queryOf(ask, [
        'state',
        'reason',
        'fault',
        'user_id',
        'client_uuid',
        'data_structure',
        'cursor',
        'limit',
      ]);
      if (!query.ok) return query;
      const get = (name: string): string | null => query.value.get(name) ?? null;
      const state = get('state');
      const faultCode = get('fault');
      const wanted = pageOf(query.value, 'd');
      const client = get('client_uuid') ?? deps.clientUuid;
      if (state !== null && !isState(state)) return fail(fault('admin.parameter', { at: 'state' }));
      if (faultCode !== null && !isFaultCode(faultCode)) return fail(fault('admin.parameter', { at: 'fault' }));
      if (!wanted.ok) return wanted;
      const { before, limit } = wanted.value;
      // A user id means nothing without its client, and a client alone is no filter.
      const user = get('user_id');
      if (user !== null && !isUserId(user)) return fail(fault('admin.parameter', { at: 'user_id' }));
      if (client !== null && !isClientUuid(client)) return fail(fault('admin.parameter', { at: 'client_uuid' }));
      if (user !== null && client === null) return fail(fault('admin.parameter', { at: 'client_uuid' }));
      if (get('client_uuid') !== null && user === null) return fail(fault('admin.parameter', { at: 'user_id' }));
      const page = await inbox.read('inbox.list', {
        tenant,
        state,
        reason: get('reason'),
        faultCode,
        dataStructure: get('data_structure'),
        client: user === null ? null : client,
        user,
        before,
        limit: limit + 1,
      });
      if (!page.ok) return page;
      const deliveries = page.value.slice(0, limit);
      const last = deliveries.at(-1);
      const next = page.value.length > limit && last !== undefined ? toCursor('d', last.seq) : null;
      const recorded = await record(ask, { action: 'R', outcome: '0', why: 'deliveries', count: deliveries.length });
      return recorded.ok ? ok(jsonAnswer(200, { deliveries: deliveries.map(shown), next })) : recorded;
    }),

    admin('get', '/admin/api/deliveries/:id', async (ask) => {
      const id = idOf(ask.params);
      const found = await inbox.read('inbox.get', { tenant, id });
      if (!found.ok) return found;
      if (found.value === null) return fail(fault('delivery.not-found'));
      const { steps, ...rest } = found.value;
      const seen = await seenOf(rest);
      if (!seen.ok) return seen;
      const recorded = await record(ask, { action: 'R', outcome: '0', why: 'delivery', deliveryId: id });
      if (!recorded.ok) return recorded;
      return ok(
        jsonAnswer(200, {
          ...shown(rest),
          steps: steps.map((step) => ({ ...step, at: iso(step.at) })),
          ...seen.value,
        }),
      );
    }),

    admin('post', '/admin/api/deliveries/:id/replay', async (ask) => {
      const id = idOf(ask.params);
      const given = await readObject(ask.request, BODY_BYTES_MAX, REPLAY);
      if (!given.ok) return given;
      const decision = given.value['conflict'] as Decision | undefined;
      if (decision !== undefined) {
        const decided = await deps.lanes.write('lane.decide', { ...who(ask), id, decision });
        if (!decided.ok) return decided;
        if (decided.value === 0) {
          const found = await inbox.read('inbox.get', { tenant, id });
          return found.ok ? fail(fault(found.value === null ? 'delivery.not-found' : 'delivery.state')) : found;
        }
      }
      // Whoever replays one delivery has looked at it.
      const approved = await deps.lanes.write('lane.approve', { ...who(ask), of: { id } });
      if (!approved.ok) return approved;
      const done = await inbox.write('inbox.replay', { ...who(ask), id });
      deps.onReplay();
      return answerAct(done, id);
    }),

    admin('post', '/admin/api/replay', async (ask) => {
      const query = queryOf(ask, ['state', 'reason', 'approve']);
      if (!query.ok) return query;
      const state = query.value.get('state');
      const approve = query.value.get('approve') ?? 'false';
      if (approve !== 'false' && (approve !== 'true' || state !== 'parked'))
        return fail(fault('admin.parameter', { at: 'approve' }));
      if (state === 'delivered') return reforward(ask, query.value.get('reason') === LEFT_OUT ? LEFT_OUT : 'all');
      if (state !== 'parked' && state !== 'quarantined') return fail(fault('admin.parameter', { at: 'state' }));
      const reason = query.value.get('reason') ?? null;
      if (approve === 'true') {
        const approved = await deps.lanes.write('lane.approve', { ...who(ask), of: { reason } });
        if (!approved.ok) return approved;
      }
      // By their places: what is judged again meanwhile, and parked once more, is not met twice.
      let count = 0;
      for (let after = 0; ;) {
        const some = await inbox.write('inbox.replay-many', {
          ...who(ask),
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
      return ok(jsonAnswer(200, { count }));
    }),

    admin('post', '/admin/api/deliveries/:id/discard', async (ask) => {
      const given = await readObject(ask.request, BODY_BYTES_MAX, DISCARD);
      if (!given.ok) return given;
      const why = (given.value['reason'] as string).trim();
      const id = idOf(ask.params);
      return answerAct(await inbox.write('inbox.discard', { ...who(ask), id, why }), id);
    }),
  ];
}
