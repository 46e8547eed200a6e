import { accountsContract } from './accounts.ts';
import { appsContract } from './apps.ts';
import { auditContract } from './audit.ts';
import { auditCountsContract } from './audit-counts.ts';
import { deliveriesContract } from './deliveries.ts';
import { deliveryActsContract } from './delivery-acts.ts';
import { deliveryGroupsContract } from './delivery-groups.ts';
import { eraseContract } from './erase.ts';
import { exportsContract } from './exports.ts';
import { factorsContract } from './factors.ts';
import { flowContract } from './flow.ts';
import { grantsContract } from './grants.ts';
import { groupsContract } from './groups.ts';
import { handlesContract } from './handles.ts';
import { jobsContract } from './jobs.ts';
import { keysContract } from './keys.ts';
import { linkHistoryContract } from './link-history.ts';
import { linksContract } from './links.ts';
import { mappingDataContract } from './mapping-data.ts';
import { mappingsContract } from './mappings.ts';
import { monitoringContract } from './monitoring.ts';
import { operatorFactorsContract } from './operator-factors.ts';
import { operatorsContract } from './operators.ts';
import { patientListContract } from './patient-list.ts';
import { patientsContract } from './patients.ts';
import { restrictionsContract } from './restrictions.ts';
import { sessionContract } from './session.ts';
import { settingsContract } from './settings.ts';
import { shadowContract } from './shadow.ts';
import { streamContract } from './stream.ts';
import { subscriptionsContract } from './subscriptions.ts';
import { targetHistoryContract } from './target-history.ts';
import { targetsContract } from './targets.ts';

/** Every route of the admin API by its id. Nothing below this folder needs Node: a browser can load it too. */
export const CONTRACTS = {
  ...flowContract,
  ...streamContract,
  ...deliveryGroupsContract,
  ...deliveriesContract,
  ...deliveryActsContract,
  ...jobsContract,
  ...mappingsContract,
  ...mappingDataContract,
  ...targetsContract,
  ...targetHistoryContract,
  ...shadowContract,
  ...auditContract,
  ...auditCountsContract,
  ...eraseContract,
  ...keysContract,
  ...linksContract,
  ...linkHistoryContract,
  ...patientListContract,
  ...patientsContract,
  ...monitoringContract,
  ...restrictionsContract,
  ...groupsContract,
  ...handlesContract,
  ...appsContract,
  ...accountsContract,
  ...grantsContract,
  ...subscriptionsContract,
  ...exportsContract,
  ...operatorsContract,
  ...operatorFactorsContract,
  ...sessionContract,
  ...factorsContract,
  ...settingsContract,
} as const;

export type RouteId = keyof typeof CONTRACTS;
export type ContractOf<Id extends RouteId> = (typeof CONTRACTS)[Id];
/** Those whose answer goes on: they are watched, not called. */
export type StreamId = {
  [Id in RouteId]: ContractOf<Id>['answer'] extends { readonly kind: 'events' } ? Id : never;
}[RouteId];
export type CallId = Exclude<RouteId, StreamId>;
