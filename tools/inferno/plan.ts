import { bulkRuns } from './suites/bulk.ts';
import { clientRuns } from './suites/client.ts';
import { granularRuns } from './suites/granular.ts';
import { smartRuns } from './suites/smart.ts';
import { subscriptionRuns } from './suites/subscriptions.ts';
import { usCoreRuns } from './suites/us-core.ts';
import type { SetName, SuiteRun } from './suite-run.ts';

/** Everything that can be run, in the order of the table. */
export const PLAN: readonly SuiteRun[] = [
  ...smartRuns,
  ...granularRuns,
  ...usCoreRuns,
  ...bulkRuns,
  ...subscriptionRuns,
  ...clientRuns,
];

/** The runs of these sets, all where none is named, whose names `only` matches. */
export const chooseRuns = (plan: readonly SuiteRun[], sets: readonly SetName[], only: RegExp): SuiteRun[] =>
  plan.filter(({ set, name }) => (sets.length === 0 || sets.includes(set)) && only.test(name));
