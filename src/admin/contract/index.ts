import { accountsContract } from './accounts.ts';
import { appsContract } from './apps.ts';
import { auditContract } from './audit.ts';
import { deliveriesContract } from './deliveries.ts';
import { eraseContract } from './erase.ts';
import { flowContract } from './flow.ts';
import { keysContract } from './keys.ts';
import { linkHistoryContract } from './link-history.ts';
import { linksContract } from './links.ts';
import { mappingDataContract } from './mapping-data.ts';
import { mappingsContract } from './mappings.ts';
import { monitoringContract } from './monitoring.ts';
import { patientListContract } from './patient-list.ts';
import { patientsContract } from './patients.ts';
import { shadowContract } from './shadow.ts';
import { targetHistoryContract } from './target-history.ts';
import { targetsContract } from './targets.ts';

/** Every route of the admin API by its id. Nothing below this folder needs Node: a browser can load it too. */
export const CONTRACTS = {
  ...flowContract,
  ...deliveriesContract,
  ...mappingsContract,
  ...mappingDataContract,
  ...targetsContract,
  ...targetHistoryContract,
  ...shadowContract,
  ...auditContract,
  ...eraseContract,
  ...keysContract,
  ...linksContract,
  ...linkHistoryContract,
  ...patientListContract,
  ...patientsContract,
  ...monitoringContract,
  ...appsContract,
  ...accountsContract,
} as const;

export type RouteId = keyof typeof CONTRACTS;
export type ContractOf<Id extends RouteId> = (typeof CONTRACTS)[Id];
