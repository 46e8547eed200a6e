import type { Config } from '../config/index.ts';
import type { OpenTarget } from '../ehr/index.ts';
import { makeEnrolment } from '../enrol/index.ts';
import { identitySet } from '../identity/index.ts';
import type { Budget, Chance, Clock, NewId } from '../kernel/index.ts';
import type { makeLinkChanger } from '../lanes/index.ts';
import type { Store } from '../store/index.ts';

/** Makes what follows the connections of patients at the health data service. */
export function joinEnrolment(deps: {
  readonly config: Config;
  readonly tenant: string;
  readonly version: string;
  readonly store: Store;
  readonly target: OpenTarget;
  readonly links: ReturnType<typeof makeLinkChanger>;
  readonly newId: NewId;
  readonly chance: Chance;
  readonly budget: Budget;
  readonly clock: Clock;
}): ReturnType<typeof makeEnrolment> {
  const { config, version, store, target, links, ...rest } = deps;
  return makeEnrolment({
    ...rest,
    settings: { ...config.source, clientUuid: config.ingest.clientUuid },
    agent: `chartgate/${version}`,
    mrnSystem: config.identity.mrnSystem,
    store,
    identity: store.use(identitySet),
    checkPatient: target.checkPatient,
    link: links.put,
  });
}
