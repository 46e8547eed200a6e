import type { Claimed, Fence } from '../lanes/index.ts';
import { deliverJob } from './deliver-job.ts';
import type { JobDeps, JobEnd } from './job.ts';
import { retractJob } from './retract-job.ts';

/** Carries out the head of a lane. What it did is told also where it came only half way. */
export const runJob = (claimed: Claimed, fence: Fence, deps: JobDeps): Promise<JobEnd> =>
  claimed.job.kind === 'deliver' ? deliverJob(claimed, fence, deps) : retractJob(claimed, fence, deps);
