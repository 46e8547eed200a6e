import type { Group } from './run-group.ts';
import type { Stand } from './stand.ts';
import type { Finished } from './test-result.ts';

export const SETS = ['smart', 'granular', 'us-core', 'bulk', 'subscriptions', 'client'] as const;
export type SetName = (typeof SETS)[number];

/** Where the tests are run: the gateway's `/fhir`, or the EHR's own base, which asks for no token. */
export type Side = 'gateway' | 'ehr';

export interface Kit extends Stand {
  /** Runs a group of Inferno's; the one whose id ends with `group` is meant. */
  run(asked: Omit<Group, 'onProgress' | 'signal'>): Promise<Finished>;
}

/** One row of the table. */
export interface SuiteRun {
  readonly name: string;
  readonly set: SetName;
  readonly suite: string;
  /** `both` where the same can be asked of the EHR itself. */
  readonly sides: 'gateway' | 'both';
  go(kit: Kit, side: Side): Promise<Finished>;
}
