import type { Claimed, Fence } from '../lanes/index.ts';
import { deliverJob } from './deliver-job.ts';
import type { JobDeps, JobEnd } from './job.ts';
import { noteIssues } from './note-issues.ts';
import { retractJob } from './retract-job.ts';

/** Carries out the head of a lane. What it did is told also where it came only half way. */
export async function runJob(claimed: Claimed, fence: Fence, deps: JobDeps): Promise<JobEnd> {
  const carryOut = claimed.job.kind === 'deliver' ? deliverJob : retractJob;
  const { target, issues } = noteIssues(deps.target);
  const end = await carryOut(claimed, fence, { ...deps, target });
  return end.kind === 'lease-lost' || issues().length === 0 ? end : { ...end, done: { ...end.done, issues: issues() } };
}
