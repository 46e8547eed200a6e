export {
  BULK_ACTS,
  BULK_STATES,
  DELIVERIES_MAX,
  jobSet,
  type BulkAct,
  type BulkJob,
  type BulkState,
  type Choice,
  type JobReads,
  type JobWrites,
  type Whose,
} from './commands.ts';
export { runJobs } from './run-jobs.ts';
