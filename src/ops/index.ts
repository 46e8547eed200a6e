export { makeDeliveryRoutes } from './admin-deliveries.ts';
export { makeMetrics, type Metrics } from './metrics.ts';
export { decideReadiness, type Readiness } from './readiness.ts';
export type { Described } from './render-docs.ts';
export { makeOpsRoutes } from './routes.ts';
export { makeWinstonLog } from './winston-log.ts';
export { watchLedger } from './watch-ledger.ts';
