export { describeForwarding, type ForwardingShown } from './describe-forwarding.ts';
export { addsUp } from './adds-up.ts';
export { runResealing } from './run-resealing.ts';
export { makeMetrics, type Metrics } from './metrics.ts';
export { makeMergedMetrics, type MetricsReading } from './merge-metrics.ts';
export { decideReadiness, joinReadiness, type Readiness, type WorkersReady } from './readiness.ts';
export { makeOpsRoutes, makeWatchRoutes, onOwnPort } from './routes.ts';
export { makeWinstonLog } from './winston-log.ts';
export { watchLedger } from './watch-ledger.ts';
