export { describeForwarding, type ForwardingShown } from './describe-forwarding.ts';
export { addsUp } from './adds-up.ts';
export { runResealing } from './run-resealing.ts';
export { makeMetrics, type Metrics } from './metrics.ts';
export { decideReadiness, type Readiness } from './readiness.ts';
export { makeOpsRoutes, makeWatchRoutes, onOwnPort } from './routes.ts';
export { makeWinstonLog } from './winston-log.ts';
export { watchLedger } from './watch-ledger.ts';
