import { all, allOf, fragment, get, words, type Programs } from '../../store/index.ts';
import type { JobReads, JobWrites } from '../commands.ts';
import { JOB, toJob } from '../rows.ts';
import { choose } from './choose.ts';
import { propose, start, stop } from './start.ts';
import { step } from './step.ts';

const JOB_COLUMNS = words(JOB);

export const writes: Programs<JobWrites> = {
  'jobs.propose': propose,
  'jobs.start': start,
  'jobs.stop': stop,
  'jobs.step': step,
};

export const reads: Programs<JobReads> = {
  'jobs.choose': choose,
  *'jobs.list'(_, { tenant, before, limit }) {
    const conditions = [
      fragment`tenant = ${tenant} AND state <> 'proposed'`,
      ...(before === null ? [] : [fragment`seq < ${before}`]),
    ];
    const rows = yield* all`
      SELECT ${JOB_COLUMNS} FROM bulk_job WHERE ${allOf(conditions)} ORDER BY seq DESC LIMIT ${limit}`;
    return rows.map(toJob);
  },
  *'jobs.get'(_, { tenant, id }) {
    const row = yield* get`
      SELECT ${JOB_COLUMNS} FROM bulk_job WHERE tenant = ${tenant} AND id = ${id} AND state <> 'proposed'`;
    return row === undefined ? null : toJob(row);
  },
};
