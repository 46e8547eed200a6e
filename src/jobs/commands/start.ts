import { append } from '../../audit/index.ts';
import {
  get,
  insert,
  insertOne,
  RETURNING_SEQ,
  rowsOf,
  run,
  words,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import type { SeenDelivery } from '../../inbox/index.ts';
import { ENDED_MAX, PAGE, PROPOSED_MAX, RUNNING_MAX, type JobWrites } from '../commands.ts';
import { auditOfJob, JOB, toJob, toText } from '../rows.ts';

const JOB_COLUMNS = words(JOB);
const PAGES = rowsOf('bulk_page', { job_seq: 'bigint', n: 'bigint', places: 'text' });

const pagesOf = (all: readonly SeenDelivery[]): readonly (readonly SeenDelivery[])[] =>
  Array.from({ length: Math.ceil(all.length / PAGE) }, (_, n) => all.slice(n * PAGE, (n + 1) * PAGE));

/** What nobody has started for long enough makes room. */
function* forgetProposed(tenant: string): Program<void> {
  const oldest = yield* get`
    SELECT seq FROM bulk_job WHERE tenant = ${tenant} AND state = 'proposed'
    ORDER BY seq DESC LIMIT 1 OFFSET ${PROPOSED_MAX - 1}`;
  if (oldest === undefined) return;
  const upTo = Number(oldest['seq']);
  yield* run`
    DELETE FROM bulk_page WHERE job_seq IN (
      SELECT seq FROM bulk_job WHERE tenant = ${tenant} AND state = 'proposed' AND seq <= ${upTo})`;
  yield* run`DELETE FROM bulk_job WHERE tenant = ${tenant} AND state = 'proposed' AND seq <= ${upTo}`;
}

type Propose = JobWrites['jobs.propose'];

export function* propose(_: CommandContext, p: Propose['args']): Program<Propose['out']> {
  yield* forgetProposed(p.tenant);
  const jobSeq = yield* insertOne`
    INSERT INTO bulk_job (tenant, id, act, chosen, why, state, total, patients, actor, roles, request_id,
      started_at)
    VALUES (${p.tenant}, ${p.id}, ${p.act}, ${JSON.stringify(p.choice)}, ${p.why}, 'proposed', ${p.deliveries.length},
      ${p.patients}, ${p.actor}, ${p.roles === undefined ? null : JSON.stringify(p.roles)}, ${p.requestId}, ${p.at.getTime()})
    ${RETURNING_SEQ}`;
  yield* insert(
    PAGES,
    pagesOf(p.deliveries).map((page, n) => ({ job_seq: jobSeq, n, places: toText(page) })),
  );
  return null;
}

/** Those that ended long ago make room. */
function* forgetEnded(tenant: string): Program<void> {
  yield* run`
    DELETE FROM bulk_job WHERE tenant = ${tenant} AND state IN ('done','stopped') AND seq <= (
      SELECT seq FROM bulk_job WHERE tenant = ${tenant} AND state IN ('done','stopped')
      ORDER BY seq DESC LIMIT 1 OFFSET ${ENDED_MAX - 1})`;
}

type Start = JobWrites['jobs.start'];

export function* start(context: CommandContext, { confirm, ...act }: Start['args']): Program<Start['out']> {
  const { tenant, id, actor, at, requestId } = act;
  const shown = yield* get`
    SELECT total FROM bulk_job WHERE tenant = ${tenant} AND id = ${id} AND actor = ${actor} AND state = 'proposed'`;
  if (shown === undefined) return { kind: 'not-found' };
  const count = Number(shown['total']);
  if (count !== confirm) return { kind: 'unconfirmed', count };
  const running = yield* get`SELECT count(*) AS n FROM bulk_job WHERE tenant = ${tenant} AND state = 'running'`;
  if (Number(running?.['n']) >= RUNNING_MAX) return { kind: 'too-many' };
  yield* forgetEnded(tenant);
  const row = yield* get`
    UPDATE bulk_job SET state = 'running', started_at = ${at.getTime()}, request_id = ${requestId}
    WHERE tenant = ${tenant} AND id = ${id} AND state = 'proposed' RETURNING ${JOB_COLUMNS}`;
  // Started twice at once: the other one has it.
  if (row === undefined) return { kind: 'not-found' };
  const job = toJob(row);
  yield* append(context, [auditOfJob(act, 'job.start', job.act, job.total)]);
  return { kind: 'started', job };
}

type Stop = JobWrites['jobs.stop'];

export function* stop(context: CommandContext, act: Stop['args']): Program<Stop['out']> {
  const { tenant, id, at } = act;
  const row = yield* get`
    UPDATE bulk_job SET state = 'stopped', ended_at = ${at.getTime()}
    WHERE tenant = ${tenant} AND id = ${id} AND state = 'running' RETURNING ${JOB_COLUMNS}`;
  if (row === undefined) {
    const found = yield* get`
      SELECT 1 AS found FROM bulk_job WHERE tenant = ${tenant} AND id = ${id} AND state <> 'proposed'`;
    return found === undefined ? 'not-found' : 'not-running';
  }
  const job = toJob(row);
  yield* run`DELETE FROM bulk_page WHERE job_seq = ${job.seq}`;
  yield* append(context, [auditOfJob(act, 'job.stop', job.act, job.total - job.moved - job.skipped)]);
  return job;
}
