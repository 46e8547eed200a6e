import type { Budget, Chance, Clock, NewId } from '../kernel/index.ts';
import type { IdentityReads, IdentityWrites } from '../identity/index.ts';
import { openSource, type SourceSettings } from '../source/index.ts';
import type { Operate, Store } from '../store/index.ts';
import { enrolSet } from './commands.ts';
import { makeFindUser, type CheckPatient, type LinkUser } from './find-user.ts';
import { followDeliveries } from './follow-deliveries.ts';
import { makeEnrol } from './make-enrol.ts';

/**
 * Everything of the enrolment, joined: what follows deliveries, who a patient is at the source, and what can be asked
 * of it.
 */
export function makeEnrolment(deps: {
  readonly tenant: string;
  readonly settings: SourceSettings;
  readonly agent: string;
  readonly mrnSystem: string;
  readonly store: Store;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly checkPatient: CheckPatient;
  readonly link: LinkUser;
  readonly newId: NewId;
  readonly chance: Chance;
  readonly budget: Budget;
  readonly clock: Clock;
}) {
  const { tenant, settings, clock, chance } = deps;
  const enrolment = deps.store.use(enrolSet);
  const follower = followDeliveries({ tenant, enrolment, clock });
  const source = openSource({ settings, agent: deps.agent, budget: deps.budget, clock, chance });
  return {
    follow: follower.follow,
    users: makeFindUser({ ...deps, enrolment, client: settings.clientUuid }),
    enrol: makeEnrol({ tenant, enrolment, source, clock, chance, onRevoked: follower.refresh }),
    start: follower.start,
    async stop(): Promise<void> {
      follower.stop();
      await source.close();
    },
  };
}
