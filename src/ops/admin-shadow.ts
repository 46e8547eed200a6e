import { fail, fault, jsonAnswer, ok, type Clock, type Result, type Route } from '../kernel/index.ts';
import { type OpenTarget } from '../ehr/index.ts';
import {
  SHADOW_KINDS,
  type ListedEvaluation,
  type ShadowChange,
  type ShadowEvaluator,
  type ShadowKind,
  type ShadowReads,
  type ShadowTotals,
  type ShadowWatch,
  type ShadowWrites,
} from '../forward/index.ts';
import { type ChosenDialect } from '../judge/index.ts';
import type { Operate } from '../store/index.ts';
import { adminRoute as admin, iso, pageOf, queryOf, toCursor } from './admin-query.ts';
import { describeForwarding } from './describe-forwarding.ts';
import { readObject } from './read-json.ts';
import type { RecordAct, RecordActLater } from './record-act.ts';

const BODY_BYTES_MAX = 1_024;
const AGAIN_AT_ONCE = 500;

const isKind = (text: string): text is ShadowKind => (SHADOW_KINDS as readonly string[]).includes(text);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const shown = ({ seq: _seq, receivedAt, evaluatedAt, ...rest }: ListedEvaluation) => ({
  ...rest,
  receivedAt: iso(receivedAt),
  evaluatedAt: iso(evaluatedAt),
});

/** One row a type, with a column for each kind of change. */
function resourcesByType(resources: ShadowTotals['resources']) {
  const types = [...new Set(resources.map(({ resourceType }) => resourceType))];
  return types.map((resourceType) => {
    const of = (change: ShadowChange): number =>
      resources.find((one) => one.resourceType === resourceType && one.change === change)?.count ?? 0;
    return {
      resourceType,
      create: of('create'),
      update: of('update'),
      withdraw: of('withdraw'),
      present: of('present'),
      leftOut: of('left-out'),
    };
  });
}

interface Filter {
  readonly kind: ShadowKind | null;
  readonly reason: string | null;
}

function filterOf(query: ReadonlyMap<string, string>): Result<Filter> {
  const kind = query.get('kind') ?? null;
  const reason = query.get('reason') ?? null;
  if (kind !== null && !isKind(kind)) return fail(fault('admin.parameter', { at: 'kind' }));
  if (reason !== null && !/^[a-z.-]{1,64}$/.test(reason)) return fail(fault('admin.parameter', { at: 'reason' }));
  return ok({ kind, reason });
}

/** Shadow mode: what would have been written, refused and parked, and the way out of it. */
export function makeShadowRoutes(deps: {
  readonly tenant: string;
  readonly shadow: Operate<ShadowWrites, ShadowReads>;
  readonly target: Pick<OpenTarget, 'guard' | 'plan' | 'capability'>;
  readonly dialect: () => ChosenDialect;
  readonly forwarding: Pick<ShadowWatch, 'mode' | 'state' | 'leave'>;
  readonly evaluator: Pick<ShadowEvaluator, 'basis' | 'wake'>;
  readonly clock: Clock;
  readonly record: RecordAct;
  readonly recordLater: RecordActLater;
}): Route[] {
  const { tenant, shadow, target, forwarding, record } = deps;

  function toReport(totals: ShadowTotals) {
    const { since, waiting, evaluated, outcomes, stopped, newPatients } = totals;
    const { probedAt, fault: probeFault } = target.capability();
    const { state } = forwarding.state();
    return {
      mode: forwarding.mode,
      ...describeForwarding({ state, since, waiting: waiting.total }),
      waiting: { ...waiting, oldestAt: waiting.oldestAt === null ? null : iso(waiting.oldestAt) },
      evaluated,
      pending: Math.max(0, waiting.total - evaluated),
      outcomes,
      resources: resourcesByType(totals.resources),
      newPatients,
      parked: stopped.filter((one) => one.state === 'parked').map(({ state: _state, ...rest }) => rest),
      quarantined: stopped.filter((one) => one.state === 'quarantined').map(({ state: _state, ...rest }) => rest),
      ehr: {
        breaker: target.guard.state().breaker,
        probedAt: probedAt?.toISOString() ?? null,
        probeFault: probeFault?.code ?? null,
        dialect: deps.dialect(),
        plan: target.plan(),
      },
    };
  }

  return [
    admin('get', '/admin/api/shadow', async (ask) => {
      const query = queryOf(ask, []);
      if (!query.ok) return query;
      const totals = await shadow.read('shadow.report', { tenant, basis: deps.evaluator.basis() });
      if (!totals.ok) return totals;
      deps.recordLater(ask, 'shadow');
      // By this number it can be left, although more may arrive meanwhile. Where that cannot be stored, the number of
      // that moment counts.
      if (totals.value.since !== null)
        await shadow.write('shadow.reported', { tenant, at: deps.clock.now(), waiting: totals.value.waiting.total });
      return ok(jsonAnswer(200, toReport(totals.value)));
    }),

    admin('get', '/admin/api/shadow/deliveries', async (ask) => {
      const query = queryOf(ask, ['kind', 'reason', 'cursor', 'limit']);
      if (!query.ok) return query;
      const filter = filterOf(query.value);
      if (!filter.ok) return filter;
      const wanted = pageOf(query.value, 's');
      if (!wanted.ok) return wanted;
      const { before, limit } = wanted.value;
      const page = await shadow.read('shadow.list', { tenant, ...filter.value, before, limit: limit + 1 });
      if (!page.ok) return page;
      const listed = page.value.slice(0, limit);
      const last = listed.at(-1);
      const next = page.value.length > limit && last !== undefined ? toCursor('s', last.seq) : null;
      const recorded = await record(ask, { action: 'R', outcome: '0', why: 'shadow deliveries', count: listed.length });
      return recorded.ok ? ok(jsonAnswer(200, { deliveries: listed.map(shown), next })) : recorded;
    }),

    admin('post', '/admin/api/shadow/evaluate', async (ask) => {
      const query = queryOf(ask, ['kind', 'reason']);
      if (!query.ok) return query;
      const filter = filterOf(query.value);
      if (!filter.ok) return filter;
      let count = 0;
      for (let after = 0; ;) {
        const some = await shadow.write('shadow.again', { tenant, ...filter.value, after, limit: AGAIN_AT_ONCE });
        if (!some.ok) return some;
        count += some.value.count;
        if (some.value.count < AGAIN_AT_ONCE) break;
        after = some.value.last;
      }
      const recorded = await record(ask, { action: 'E', outcome: '0', why: 'shadow evaluate', count });
      if (!recorded.ok) return recorded;
      deps.evaluator.wake();
      return ok(jsonAnswer(200, { count }));
    }),

    admin('post', '/admin/api/shadow/leave', async (ask) => {
      const given = await readObject(ask.request, BODY_BYTES_MAX, { confirm: { isRequired: true, isGood: isCount } });
      if (!given.ok) return given;
      const confirm = given.value['confirm'] as number;
      if (forwarding.mode === 'shadow') {
        const recorded = await record(ask, { action: 'U', outcome: '4', why: 'shadow.mode' });
        return recorded.ok ? fail(fault('shadow.mode')) : recorded;
      }
      const left = await forwarding.leave({ confirm, actor: 'operator', requestId: ask.requestId });
      if (!left.ok) return left;
      const { outcome, waiting } = left.value;
      if (outcome === 'unconfirmed') return fail(fault('shadow.unconfirmed', { at: 'confirm', count: waiting }));
      return ok(jsonAnswer(200, { state: 'running', outcome, waiting }));
    }),
  ];
}
