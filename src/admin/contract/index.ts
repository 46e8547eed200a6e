import { accountsContract } from './accounts.ts';
import { appsContract } from './apps.ts';
import { auditContract } from './audit.ts';
import { deliveriesContract } from './deliveries.ts';
import { eraseContract } from './erase.ts';
import { factorsContract } from './factors.ts';
import { flowContract } from './flow.ts';
import { grantsContract } from './grants.ts';
import { keysContract } from './keys.ts';
import { linksContract } from './links.ts';
import { mappingsContract } from './mappings.ts';
import { monitoringContract } from './monitoring.ts';
import { operatorsContract } from './operators.ts';
import { patientsContract } from './patients.ts';
import { sessionContract } from './session.ts';
import { settingsContract } from './settings.ts';
import { shadowContract } from './shadow.ts';
import { targetsContract } from './targets.ts';

/** Every route of the admin API by its id. Nothing below this folder needs Node: a browser can load it too. */
export const CONTRACTS = {
  ...flowContract,
  ...deliveriesContract,
  ...mappingsContract,
  ...targetsContract,
  ...shadowContract,
  ...auditContract,
  ...eraseContract,
  ...keysContract,
  ...linksContract,
  ...patientsContract,
  ...monitoringContract,
  ...appsContract,
  ...accountsContract,
  ...grantsContract,
  ...operatorsContract,
  ...sessionContract,
  ...factorsContract,
  ...settingsContract,
} as const;

export type RouteId = keyof typeof CONTRACTS;
export type ContractOf<Id extends RouteId> = (typeof CONTRACTS)[Id];
