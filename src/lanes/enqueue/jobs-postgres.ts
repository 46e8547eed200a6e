import { performPostgres, type PostgresContext } from '../../store/index.ts';
import type { LaneChanges } from './adjust.ts';
import { changeLanes, enqueue } from './commands/jobs.ts';

/** For commands that are still written for one engine. */
export const enqueuePostgres = (context: PostgresContext, ...args: Parameters<typeof enqueue>): Promise<void> =>
  performPostgres(context, enqueue(...args));
export const changeLanesPostgres = (context: PostgresContext, tenant: string, lanes: LaneChanges): Promise<void> =>
  performPostgres(context, changeLanes(tenant, lanes));
