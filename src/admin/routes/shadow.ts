import { fail, fault, ok, type Clock } from '../../kernel/index.ts';
import { type OpenTarget } from '../../ehr/index.ts';
import {
  type ListedEvaluation,
  type ShadowChange,
  type ShadowEvaluator,
  type ShadowReads,
  type ShadowTotals,
  type ShadowWatch,
  type ShadowWrites,
} from '../../forward/index.ts';
import { type ChosenDialect } from '../../judge/index.ts';
import { describeForwarding } from '../../ops/index.ts';
import type { Operate } from '../../store/index.ts';
import { beforeOf, iso, pageOf } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';

const AGAIN_AT_ONCE = 500;

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

/** Shadow mode: what would have been written, refused and parked, and the way out of it. */
export function makeShadowRoutes(deps: {
  readonly tenant: string;
  readonly shadow: Operate<ShadowWrites, ShadowReads>;
  readonly target: Pick<OpenTarget, 'guard' | 'plan' | 'capability'>;
  readonly dialect: () => ChosenDialect;
  readonly forwarding: Pick<ShadowWatch, 'mode' | 'state' | 'leave'>;
  readonly evaluator: Pick<ShadowEvaluator, 'basis' | 'wake'>;
  readonly clock: Clock;
}): AdminRoute[] {
  const { tenant, shadow, target, forwarding } = deps;

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
    defineRoute('shadow.report', async () => {
      const totals = await shadow.read('shadow.report', { tenant, basis: deps.evaluator.basis() });
      if (!totals.ok) return totals;
      // By this number it can be left, although more may arrive meanwhile. Where that cannot be stored, the number of
      // that moment counts.
      if (totals.value.since !== null)
        await shadow.write('shadow.reported', { tenant, at: deps.clock.now(), waiting: totals.value.waiting.total });
      return ok(toReport(totals.value));
    }),

    defineRoute('shadow.deliveries', async ({ query }, { record }) => {
      const { kind = null, reason = null, limit } = query;
      const before = beforeOf('s', query.cursor);
      if (!before.ok) return before;
      const found = await shadow.read('shadow.list', { tenant, kind, reason, before: before.value, limit: limit + 1 });
      if (!found.ok) return found;
      const { rows, next } = pageOf('s', found.value, limit);
      const recorded = await record({ action: 'R', outcome: '0', count: rows.length });
      return recorded.ok ? ok({ deliveries: rows.map(shown), next }) : recorded;
    }),

    defineRoute('shadow.evaluate', async ({ query }, { record }) => {
      const { kind = null, reason = null } = query;
      let count = 0;
      for (let after = 0; ;) {
        const some = await shadow.write('shadow.again', { tenant, kind, reason, after, limit: AGAIN_AT_ONCE });
        if (!some.ok) return some;
        count += some.value.count;
        if (some.value.count < AGAIN_AT_ONCE) break;
        after = some.value.last;
      }
      const recorded = await record({ action: 'E', outcome: '0', count });
      if (!recorded.ok) return recorded;
      deps.evaluator.wake();
      return ok({ count });
    }),

    defineRoute('shadow.leave', async ({ body }, { record, actor }) => {
      if (forwarding.mode === 'shadow') {
        const recorded = await record({ action: 'U', outcome: '4' });
        return recorded.ok ? fail(fault('shadow.mode')) : recorded;
      }
      const left = await forwarding.leave({ confirm: body.confirm, ...actor });
      if (!left.ok) return left;
      const { outcome, waiting } = left.value;
      if (outcome === 'unconfirmed') return fail(fault('shadow.unconfirmed', { at: 'confirm', count: waiting }));
      return ok({ state: 'running', outcome, waiting });
    }),
  ];
}
