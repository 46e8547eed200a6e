import { fail, fault, ok, type Clock, type Result } from '../../kernel/index.ts';
import type { OpenTarget } from '../../ehr/index.ts';
import type { Forwarding } from '../../forward/index.ts';
import type { HistoryReads, HistoryWrites, Noted } from '../../history/index.ts';
import type { LaneReads, LaneWrites, WaitingLane } from '../../lanes/index.ts';
import type { Operate } from '../../store/index.ts';
import { beforeOf, iso, pageOf, toCursor } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';
import { TARGET_ID } from './targets.ts';

/** What keeps every lane from being sent, if anything does. */
type Held = 'paused' | 'shadow' | 'held' | 'breaker' | 'not-probed' | null;

const shownProbe = ({ firstAt, lastAt, count, actor, outcome, faultCode, changes }: Noted) => ({
  firstAt: iso(firstAt),
  lastAt: iso(lastAt),
  count,
  by: actor,
  outcome,
  faultCode,
  changes,
});

/** What is under way goes on whatever holds the others. */
function whyOf(
  { isLeased, isReady, nextAt }: WaitingLane,
  held: Held,
): Exclude<Held, null> | 'sending' | 'retraction' | 'turn' | 'retry' {
  if (isLeased) return 'sending';
  if (held !== null) return held;
  if (!isReady) return 'retraction';
  return nextAt === null ? 'turn' : 'retry';
}

const shownLane = (lane: WaitingLane, held: Held) => ({
  mrn: lane.mrn,
  kind: lane.kind,
  deliveryId: lane.deliveryId,
  since: iso(lane.receivedAt),
  jobs: lane.jobs,
  why: whyOf(lane, held),
  attempts: lane.attempts,
  faultCode: lane.faultCode,
  nextAt: lane.nextAt === null ? null : iso(lane.nextAt),
});

/** What the EHR said when it was asked, and who waits for it. */
export function makeTargetHistoryRoutes(deps: {
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly history: Operate<HistoryWrites, HistoryReads>;
  readonly target: Pick<OpenTarget, 'guard' | 'plan' | 'refresh'>;
  /** What the last probe was noted as; null before the first. */
  readonly noted: () => Promise<Result<Noted>> | null;
  readonly forwarding: () => Forwarding;
  readonly clock: Clock;
}): AdminRoute[] {
  const { tenant, mrnSystem, lanes, history, target } = deps;

  function heldBy(pausedAt: number | null): Held {
    const { state } = deps.forwarding();
    if (state !== 'running') return state;
    if (pausedAt !== null) return 'paused';
    if (target.guard.state().breaker === 'open') return 'breaker';
    return target.plan() === null ? 'not-probed' : null;
  }

  return [
    defineRoute('targets.probe', async ({ params }, { caller, record }) => {
      if (params.id !== TARGET_ID) return fail(fault('target.not-found'));
      await target.refresh(caller.name);
      const noted = await deps.noted();
      if (noted === null) throw new Error('a probe was not noted');
      if (!noted.ok) return noted;
      const recorded = await record({ action: 'E', outcome: noted.value.outcome === 'ok' ? '0' : '8' });
      return recorded.ok ? ok(shownProbe(noted.value)) : recorded;
    }),

    defineRoute('targets.probes', async ({ params, query }) => {
      if (params.id !== TARGET_ID) return fail(fault('target.not-found'));
      const before = beforeOf('p', query.cursor);
      if (!before.ok) return before;
      const asked = { tenant, list: 'probe', before: before.value, limit: query.limit + 1 } as const;
      const found = await history.read('history.list', asked);
      if (!found.ok) return found;
      const { rows, next } = pageOf('p', found.value, query.limit);
      return ok({ probes: rows.map(shownProbe), next });
    }),

    defineRoute('targets.lanes', async ({ params, query }, { caller, record, withheld }) => {
      if (params.id !== TARGET_ID) return fail(fault('target.not-found'));
      const after = beforeOf('w', query.cursor);
      if (!after.ok) return after;
      const [row, lag, found] = await Promise.all([
        lanes.read('lane.target', { tenant }),
        lanes.read('lane.lag', { tenant }),
        lanes.read('lane.waiting', {
          tenant,
          after: after.value,
          limit: query.limit,
          at: deps.clock.now(),
          patients: caller.permissions.has('patients.read') ? 'open' : 'leave',
        }),
      ]);
      if (!row.ok) return row;
      if (!lag.ok) return lag;
      if (!found.ok) return found;
      const held = heldBy(row.value.pausedAt);
      const mrns = [...new Set(found.value.lanes.flatMap(({ mrn }) => (mrn === null ? [] : [mrn])))];
      const all = mrns.map((mrn) => ({ system: mrnSystem, mrn }));
      const hidden = await withheld(all);
      if (!hidden.ok) return hidden;
      // In a list of many, who is restricted is not named.
      const hiddenMrns = new Set<string | null>(hidden.value.map(({ mrn }) => mrn));
      const patients = all.filter(({ mrn }) => !hiddenMrns.has(mrn));
      const recorded = await record({ action: 'R', outcome: '0', count: found.value.lanes.length, patients });
      if (!recorded.ok) return recorded;
      const { lanes: count, jobs, oldestAt } = lag.value;
      return ok({
        waiting: {
          lanes: count.count,
          isExact: count.isExact,
          jobs,
          oldestAt: oldestAt === null ? null : iso(oldestAt),
        },
        lanes: found.value.lanes.map((lane) =>
          shownLane(hiddenMrns.has(lane.mrn) ? { ...lane, mrn: null } : lane, held),
        ),
        next: found.value.next === null ? null : toCursor('w', found.value.next),
      });
    }),
  ];
}
