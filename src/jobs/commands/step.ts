import { actOnSeen } from '../../inbox/index.ts';
import { FOR_UPDATE_OF_FREE, get, run, words, type CommandContext, type Program } from '../../store/index.ts';
import type { BulkJob, JobWrites } from '../commands.ts';
import { fromText, JOB, toJob, toText, type Row } from '../rows.ts';

const JOB_COLUMNS = words(JOB);

/**
 * The oldest job that runs, held until the commit. No lease and no clock: whoever dies lets go of it, and who finds it
 * held leaves it alone.
 */
function* holdJob(tenant: string): Program<Row | undefined> {
  return yield* get`
    SELECT ${JOB_COLUMNS} FROM bulk_job
    WHERE state = 'running' AND seq = (SELECT min(seq) FROM bulk_job WHERE tenant = ${tenant} AND state = 'running')
    ${FOR_UPDATE_OF_FREE}`;
}

/** Done where nothing is left to come. */
function* endOf({ seq }: BulkJob, at: Date): Program<BulkJob | null> {
  const row = yield* get`
    UPDATE bulk_job SET state = 'done', ended_at = ${at.getTime()}
    WHERE seq = ${seq} AND NOT EXISTS (SELECT 1 FROM bulk_page p WHERE p.job_seq = bulk_job.seq)
    RETURNING ${JOB_COLUMNS}`;
  return row === undefined ? null : toJob(row);
}

type Step = JobWrites['jobs.step'];

export function* step(context: CommandContext, { tenant, at }: Step['args']): Program<Step['out']> {
  const row = yield* holdJob(tenant);
  if (row === undefined) return { kind: 'nothing' };
  const job = toJob(row);
  const { seq, act, requestId } = job;
  const who = { actor: job.actor, ...(job.roles === null ? {} : { roles: job.roles }) };
  const page = yield* get`SELECT n, places FROM bulk_page WHERE job_seq = ${seq} ORDER BY n LIMIT 1`;
  if (page === undefined) return { kind: 'stepped', act, moved: 0, ended: yield* endOf(job, at) };
  const seen = fromText(page);
  const why = act === 'replay' ? act : { discard: job.why ?? act };
  const { moved, left } = yield* actOnSeen(context, seen, { tenant, at, requestId, ...who, why });
  if (left.length === seen.length) return { kind: 'busy' };
  const n = Number(page['n']);
  if (left.length === 0) yield* run`DELETE FROM bulk_page WHERE job_seq = ${seq} AND n = ${n}`;
  else yield* run`UPDATE bulk_page SET places = ${toText(left)} WHERE job_seq = ${seq} AND n = ${n}`;
  yield* run`
    UPDATE bulk_job SET moved = moved + ${moved}, skipped = skipped + ${seen.length - left.length - moved}
    WHERE seq = ${seq}`;
  return { kind: 'stepped', act, moved, ended: yield* endOf(job, at) };
}
