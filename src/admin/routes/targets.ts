import { fail, fault, ok, type Clock } from '../../kernel/index.ts';
import type { OpenTarget } from '../../ehr/index.ts';
import type { Forwarding, LearntHabits } from '../../forward/index.ts';
import type { ChosenDialect } from '../../judge/index.ts';
import type { LaneReads, LaneWrites } from '../../lanes/index.ts';
import { describeForwarding } from '../../ops/index.ts';
import type { Operate } from '../../store/index.ts';
import { iso } from '../cursor.ts';
import { defineRoute, type AdminContext, type AdminRoute } from '../define-route.ts';

/** There is one. */
export const TARGET_ID = 'ehr';

/**
 * What the EHR was seen to do with what it is given: by type, the parts of the content that it gives back otherwise.
 */
const shownHabits = ({ types, search }: ReturnType<LearntHabits['current']>) => ({
  changes: Object.fromEntries(Object.entries(types).map(([type, { changed }]) => [type, changed])),
  search:
    search === 'delayed' ? ('delayed' as const) : search === 0 ? ('not seen yet' as const) : ('immediate' as const),
});

/** The EHR: what it can, how it is written to and why so, whether it is being left alone, and how much waits for it. */
export function makeTargetRoutes(deps: {
  readonly tenant: string;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly target: Pick<OpenTarget, 'guard' | 'plan' | 'capability' | 'refresh'>;
  readonly dialect: () => ChosenDialect;
  readonly habits: Pick<LearntHabits, 'current'>;
  /** How often it found, for apps, what does not meet a condition that it was sent. */
  readonly unmetConditions: () => Readonly<Record<string, number>>;
  readonly forwarding: () => Forwarding;
  readonly clock: Clock;
  /** Told that the target was paused or goes on; other replicas find out within a second. */
  readonly onChange: () => void;
}): AdminRoute[] {
  const { tenant, lanes, target } = deps;

  async function set(id: string, state: 'paused' | 'running', { actor }: AdminContext) {
    if (id !== TARGET_ID) return fail(fault('target.not-found'));
    const done = await lanes.write('lane.pause', { tenant, at: deps.clock.now(), ...actor, state });
    if (!done.ok) return done;
    deps.onChange();
    return ok({ id: TARGET_ID, state: state === 'paused' ? state : deps.forwarding().state });
  }

  return [
    defineRoute('targets.list', async () => {
      const [row, lag] = [await lanes.read('lane.target', { tenant }), await lanes.read('lane.lag', { tenant })];
      if (!row.ok) return row;
      if (!lag.ok) return lag;
      const { probedAt, fault: failed } = target.capability();
      const { pausedAt, pausedBy } = row.value;
      // How long an exchange takes is shown as what the limit is judged by.
      const { exchangeMs: _exchangeMs, ...shownGuard } = target.guard.state();
      const { state, since } = deps.forwarding();
      const forwarding = describeForwarding({ state, since, waiting: state === 'running' ? 0 : lag.value.jobs });
      return ok({
        targets: [
          {
            id: TARGET_ID,
            state: state === 'running' && pausedAt !== null ? ('paused' as const) : state,
            forwarding,
            pausedAt: pausedAt === null ? null : iso(pausedAt),
            pausedBy,
            ...shownGuard,
            probedAt: probedAt?.toISOString() ?? null,
            probeFault: failed?.code ?? null,
            dialect: deps.dialect(),
            plan: target.plan(),
            habits: { ...shownHabits(deps.habits.current()), unmetConditions: deps.unmetConditions() },
            waiting: {
              lanes: lag.value.lanes.count,
              isExact: lag.value.lanes.isExact,
              jobs: lag.value.jobs,
              retractionsParked: lag.value.retractionsParked,
              leftOut: lag.value.leftOut,
              oldestAt: lag.value.oldestAt === null ? null : iso(lag.value.oldestAt),
            },
          },
        ],
      });
    }),
    defineRoute('targets.pause', ({ params }, context) => set(params.id, 'paused', context)),
    defineRoute('targets.resume', ({ params }, context) => set(params.id, 'running', context)),
  ];
}
