import { all, get, words, type CommandContext, type Program } from '../../../store/index.ts';
import { TARGET } from '../../../lanes/index.ts';
import type { ShadowReads, ShadowTotals } from '../commands.ts';
import { EVALUATED, numberOrNull, toOutcome, toResource, toStopped } from '../rows.ts';
import { countWaiting } from './waiting.ts';

const EVALUATED_JOBS = words(EVALUATED);

export function* sinceOf(tenant: string): Program<number | null> {
  const row = yield* get`SELECT shadow_since FROM target WHERE tenant = ${tenant} AND target = ${TARGET}`;
  return numberOrNull(row?.['shadow_since']);
}

function* waitingOf(tenant: string): Program<ShadowTotals['waiting']> {
  const lanes =
    yield* get`SELECT count(*) AS n FROM lane WHERE tenant = ${tenant} AND target = ${TARGET} AND pending > 0`;
  const oldest = yield* get`
    SELECT received_at FROM delivery
    WHERE seq = (
      SELECT min(delivery_seq) FROM job WHERE tenant = ${tenant} AND target = ${TARGET} AND state = 'queued')`;
  return {
    ...(yield* countWaiting(tenant)),
    lanes: Number(lanes?.['n']),
    oldestAt: numberOrNull(oldest?.['received_at']),
  };
}

function* outcomesOf(tenant: string): Program<ShadowTotals['outcomes']> {
  const rows = yield* all`
    SELECT o.kind, o.reason, o.fault_code, o.n, d.id AS example
    FROM (SELECT r.kind, r.reason, r.fault_code, count(*) AS n, min(r.delivery_seq) AS first FROM ${EVALUATED_JOBS}
      WHERE r.tenant = ${tenant} AND r.target = ${TARGET} AND r.kind IS NOT NULL
      GROUP BY r.kind, r.reason, r.fault_code) o
    JOIN delivery d ON d.seq = o.first ORDER BY o.n DESC, o.kind, o.reason`;
  return rows.map(toOutcome);
}

function* resourcesOf(tenant: string): Program<ShadowTotals['resources']> {
  const rows = yield* all`
    SELECT i.resource_type, i.change, count(DISTINCT i.item_index) AS n
    FROM ${EVALUATED_JOBS} JOIN shadow_item i ON i.job_seq = r.job_seq
    WHERE r.tenant = ${tenant} AND r.target = ${TARGET} AND r.kind IN ('write','nothing-to-write')
    GROUP BY i.resource_type, i.change ORDER BY i.resource_type, i.change`;
  return rows.map(toResource);
}

function* stoppedSince(tenant: string, since: number): Program<ShadowTotals['stopped']> {
  const rows = yield* all`
    SELECT o.state, o.reason, o.n, d.id AS example
    FROM (SELECT state, reason, count(*) AS n, min(seq) AS first FROM delivery
      WHERE tenant = ${tenant} AND state IN ('parked','quarantined') AND state_at >= ${since} GROUP BY state, reason) o
    JOIN delivery d ON d.seq = o.first ORDER BY o.state, o.n DESC, o.reason`;
  return rows.map(toStopped);
}

type Report = ShadowReads['shadow.report'];

export function* report(_: CommandContext, { tenant, basis }: Report['args']): Program<Report['out']> {
  const since = yield* sinceOf(tenant);
  const waiting = yield* waitingOf(tenant);
  const evaluated = yield* get`
    SELECT count(*) AS n FROM ${EVALUATED_JOBS}
    WHERE r.tenant = ${tenant} AND r.target = ${TARGET} AND r.basis = ${basis} AND r.kind <> 'not-yet'`;
  const outcomes = yield* outcomesOf(tenant);
  const resources = yield* resourcesOf(tenant);
  const patients = yield* get`
    SELECT count(DISTINCT j.patient_index) AS n FROM ${EVALUATED_JOBS}
    WHERE r.tenant = ${tenant} AND r.target = ${TARGET} AND r.kind = 'write' AND r.reason = 'new-patient'`;
  return {
    since,
    waiting,
    evaluated: Number(evaluated?.['n']),
    outcomes,
    resources,
    newPatients: Number(patients?.['n']),
    stopped: since === null ? [] : yield* stoppedSince(tenant, since),
  };
}
