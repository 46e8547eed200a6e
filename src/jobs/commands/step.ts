import { discard, replay, STUCK, type ActOutcome } from '../../inbox/index.ts';
import {
  all,
  among,
  FOR_UPDATE_OF_FREE,
  get,
  run,
  words,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import type { BulkJob, JobWrites, Place } from '../commands.ts';
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

const isStuck = (state: unknown): boolean => STUCK.some((one) => one === state);

function* actOn(context: CommandContext, job: Row, delivery: Row, tenant: string, at: Date): Program<ActOutcome> {
  const { act, why, actor } = toJob(job);
  const args = { tenant, id: String(delivery['id']), at, requestId: String(job['request_id']), actor };
  return act === 'replay' ? yield* replay(context, args) : yield* discard(context, { ...args, why: why ?? '' });
}

/** Those of a page that are as they were shown are moved; those that somebody else holds are left for later. */
function* movePage(
  context: CommandContext,
  job: Row,
  places: readonly Place[],
  { tenant, at }: Step['args'],
): Program<{ readonly moved: number; readonly left: readonly Place[] }> {
  const rows = yield* all`
    SELECT seq, id, state, state_at FROM delivery
    WHERE tenant = ${tenant} AND seq ${among(
      'bigint',
      places.map(([seq]) => seq),
    )} ORDER BY seq ${FOR_UPDATE_OF_FREE}`;
  const free = new Map(rows.map((row) => [Number(row['seq']), row]));
  let moved = 0;
  for (const [seq, stateAt] of places) {
    const row = free.get(seq);
    if (row === undefined || !isStuck(row['state']) || Number(row['state_at']) !== stateAt) continue;
    if ((yield* actOn(context, job, row, tenant, at)) === 'done') moved += 1;
  }
  return { moved, left: places.filter(([seq]) => !free.has(seq)) };
}

/** Done where nothing is left to come. */
function* endOf(job: Row, at: Date): Program<BulkJob | null> {
  const row = yield* get`
    UPDATE bulk_job SET state = 'done', ended_at = ${at.getTime()}
    WHERE seq = ${Number(job['seq'])} AND NOT EXISTS (SELECT 1 FROM bulk_page p WHERE p.job_seq = bulk_job.seq)
    RETURNING ${JOB_COLUMNS}`;
  return row === undefined ? null : toJob(row);
}

type Step = JobWrites['jobs.step'];

export function* step(context: CommandContext, args: Step['args']): Program<Step['out']> {
  const job = yield* holdJob(args.tenant);
  if (job === undefined) return { kind: 'nothing' };
  const { seq, act } = toJob(job);
  const page = yield* get`SELECT n, places FROM bulk_page WHERE job_seq = ${seq} ORDER BY n LIMIT 1`;
  if (page === undefined) return { kind: 'stepped', act, moved: 0, ended: yield* endOf(job, args.at) };
  const places = fromText(page);
  const { moved, left } = yield* movePage(context, job, places, args);
  if (left.length === places.length) return { kind: 'busy' };
  const n = Number(page['n']);
  if (left.length === 0) yield* run`DELETE FROM bulk_page WHERE job_seq = ${seq} AND n = ${n}`;
  else yield* run`UPDATE bulk_page SET places = ${toText(left)} WHERE job_seq = ${seq} AND n = ${n}`;
  yield* run`
    UPDATE bulk_job SET moved = moved + ${moved}, skipped = skipped + ${places.length - left.length - moved}
    WHERE seq = ${seq}`;
  return { kind: 'stepped', act, moved, ended: yield* endOf(job, args.at) };
}
