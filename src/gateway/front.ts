import { readFileSync } from 'node:fs';
import type { Config } from '../config/index.ts';
import { drainServer, listen, makeApp, makeServer } from '../http/index.ts';
import type { Life, Route } from '../kernel/index.ts';
import {
  decideReadiness,
  makeOpsRoutes,
  makeWatchRoutes,
  onOwnPort,
  type Described,
  type Metrics,
} from '../ops/index.ts';

/** Grace and the end of requests under way together; closing the store comes after, and 25 s are the whole of it. */
const DRAIN_TOTAL_MS = 20_000;
const OPS_DRAIN_MS = 1_000;

type AppDeps = Parameters<typeof makeApp>[0];
type State = Omit<Parameters<typeof decideReadiness>[0], 'unverified' | 'version'>;

export const readJson = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

/** Opens what listens. A port for whoever watches opens first and closes last, so that the drain can be watched too. */
export async function openFront(
  config: Config,
  life: Life,
  deps: Pick<AppDeps, 'mounts' | 'newId' | 'clock' | 'log' | 'onRefused' | 'mayUseAdminApi'> & {
    readonly version: string;
    readonly routes: readonly Route[];
    readonly metrics: Metrics;
    readonly state: () => State;
  },
): Promise<{ readonly port: number; readonly opsPort: number | null; readonly routes: readonly Route[] }> {
  const { host, port, tls, trustProxy, drainGraceMs } = config.http;
  const { ops, admin, unverified } = config;
  const { metrics, state, version } = deps;
  // Whoever comes along need not learn what is weak.
  const shown = ops.port === null && ops.token === null ? { version } : { version, unverified };
  const watch = makeWatchRoutes({ metrics, readiness: () => decideReadiness({ ...state(), ...shown }) });
  const routes = [
    ...makeOpsRoutes({ described: readJson('../../openapi/openapi.json') as Described }),
    ...(ops.port === null ? watch : []),
    ...deps.routes,
  ];
  const app = {
    ...deps,
    routes,
    trustProxy,
    adminToken: admin.token,
    opsToken: ops.token,
    observe: metrics.observeRequest,
    isDraining: () => state().process === 'draining',
  };

  async function open(
    what: 'http' | 'ops',
    of: AppDeps,
    wanted: number,
    graceMs: number,
    patienceMs: number,
  ): Promise<number> {
    const server = makeServer(makeApp(of), tls);
    const opened = await listen(server, host, wanted);
    life.started(what, () => drainServer(server, graceMs, patienceMs), graceMs + patienceMs + 1_000);
    return opened;
  }
  const opsPort =
    ops.port === null
      ? null
      : await open('ops', { ...app, routes: onOwnPort(watch), mounts: [] }, ops.port, 0, OPS_DRAIN_MS);
  return { opsPort, port: await open('http', app, port, drainGraceMs, DRAIN_TOTAL_MS - drainGraceMs), routes };
}
