/**
 * What a program uses that runs a gateway inside itself, or speaks with one as the command line does. The sandbox's
 * demonstration is such a program: it may use this door, `kernel` and `r4`, and nothing else of the gateway.
 */
export type { CallId, CallOf, ContractOf } from './admin/index.ts';
export { startGateway, type Gateway } from './gateway/index.ts';
export {
  askPerson,
  demo,
  EXIT,
  makeAdminApi,
  makeBar,
  makeUsage,
  parseOptions,
  runUntilStopped,
  unlessStopped,
  type AdminApi,
  type Command,
  type Terminal,
} from './cli/index.ts';
export { isLoopback, loadConfig, type Environment } from './config/index.ts';
export {
  identifierToken,
  makeResolvePatient,
  openEhr,
  probeEhr,
  type Ehr,
  type EhrTarget,
  type Probed,
  type ResolvePatient,
} from './ehr/index.ts';
export { chooseLogLook, makeWinstonLog } from './ops/index.ts';
