export { authenticateAnybody, authenticateByToken, type Authenticate } from './authenticate.ts';
export { makeAdminClient, type AdminClient, type AdminReply, type CallOf, type Watched } from './client.ts';
export { GROUPS, REASON_HEADER, type AnswerOf, type Contract, type EventOf } from './contract/define-contract.ts';
export { SAID } from './contract/fields.ts';
export { CONTRACTS, type CallId, type ContractOf, type RouteId, type StreamId } from './contract/index.ts';
export { type AdminRoute } from './define-route.ts';
export { serveSessionRoute, type SessionRoute } from './define-session-route.ts';
export { makeEraseUser } from './erase-user.ts';
export { makeHandles, type Handles } from './handles.ts';
export { makeKeyAges } from './key-ages.ts';
export {
  makeRecordAct,
  makeRecordActLater,
  makeRestrictedAmong,
  type RecordAct,
  type RecordActLater,
} from './record-act.ts';
export { ROUTE_TABLE, type RouteTable } from './route-table.ts';
export { makeAppRoutes } from './routes/apps.ts';
export { makeActorNames } from './actor-names.ts';
export { makeAuditProofRoutes } from './routes/audit-proof.ts';
export { makeAuditRoutes } from './routes/audit.ts';
export { makeAuditCountRoutes } from './routes/audit-counts.ts';
export { makeDeliveryListRoutes } from './routes/delivery-list.ts';
export { makeDeliveryActRoutes } from './routes/delivery-acts.ts';
export { makeDeliveryGroupRoutes } from './routes/delivery-groups.ts';
export { makeDeliveryWorkRoutes } from './routes/delivery-work.ts';
export { makeOneDeliveryRoutes } from './routes/one-delivery.ts';
export { makeEraseRoutes } from './routes/erase.ts';
export { makeExportRoutes } from './routes/exports.ts';
export { makeFlowRoutes } from './routes/flow.ts';
export { makeGroupRoutes } from './routes/groups.ts';
export { makeHandleRoutes } from './routes/handles.ts';
export { makeJobRoutes } from './routes/jobs.ts';
export { makeSubscriptionRoutes } from './routes/subscriptions.ts';
export { makeDataKeyRoutes } from './routes/keys.ts';
export { makeLinkHistoryRoutes } from './routes/link-history.ts';
export { makeLinkRoutes } from './routes/links.ts';
export { makeMappingRoutes } from './routes/mappings.ts';
export { makeOperatorRoutes } from './routes/operators.ts';
export { makePatientListRoutes } from './routes/patient-list.ts';
export { makePatientRoutes } from './routes/patients.ts';
export { makeRestrictionRoutes } from './routes/restrictions.ts';
export { findPatientsOf } from './routes/show-delivery.ts';
export { makeSessionRoutes } from './routes/session.ts';
export { makeSettingsRoutes, type ShownConnection } from './routes/settings.ts';
export { makeShadowRoutes } from './routes/shadow.ts';
export { makeStreamRoutes } from './routes/stream.ts';
export { makeTargetHistoryRoutes } from './routes/target-history.ts';
export { makeTargetRoutes } from './routes/targets.ts';
export { serveRoute } from './serve.ts';
export { targetNow } from './stream/flow-now.ts';
export { makeFlowWatch, type FlowWatch } from './stream/watch-flow.ts';
