export { authenticateAnybody, authenticateByToken, type Authenticate } from './authenticate.ts';
export { makeAdminClient, type AdminClient, type AdminReply, type CallOf } from './client.ts';
export { GROUPS, REASON_HEADER, type AnswerOf, type Contract } from './contract/define-contract.ts';
export { SAID } from './contract/fields.ts';
export { CONTRACTS, type ContractOf, type RouteId } from './contract/index.ts';
export { type AdminRoute } from './define-route.ts';
export { makeEraseUser } from './erase-user.ts';
export {
  makeRecordAct,
  makeRecordActLater,
  makeRestrictedAmong,
  type RecordAct,
  type RecordActLater,
} from './record-act.ts';
export { makeAppRoutes } from './routes/apps.ts';
export { makeAuditRoutes } from './routes/audit.ts';
export { makeDeliveryListRoutes } from './routes/delivery-list.ts';
export { makeDeliveryRoutes } from './routes/deliveries.ts';
export { makeOneDeliveryRoutes } from './routes/one-delivery.ts';
export { makeEraseRoutes } from './routes/erase.ts';
export { makeFlowRoutes } from './routes/flow.ts';
export { makeDataKeyRoutes } from './routes/keys.ts';
export { makeLinkRoutes } from './routes/links.ts';
export { makeMappingRoutes } from './routes/mappings.ts';
export { makePatientRoutes } from './routes/patients.ts';
export { makeRestrictionRoutes } from './routes/restrictions.ts';
export { findPatientsOf } from './routes/show-delivery.ts';
export { makeShadowRoutes } from './routes/shadow.ts';
export { makeTargetRoutes } from './routes/targets.ts';
export { serveRoute } from './serve.ts';
