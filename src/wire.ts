import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from './config/index.ts';
import { drainServer, listen, makeApp, makeServer } from './http/index.ts';
import { makeNewId, type Clock, type Log, type Route } from './kernel/index.ts';
import { decideReadiness, makeMetrics, makeOpsRoutes, type Described } from './ops/index.ts';
import { openStore, type Store } from './store/index.ts';

/** How long requests under way may take to finish once the listener is closed. */
const DRAIN_PATIENCE_MS = 15_000;

const readJson = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

export const VERSION = (readJson('../package.json') as { version: string }).version;

export interface Gateway {
  readonly port: number;
  readonly store: Store;
  readonly routes: readonly Route[];
  /** Says 503 at /readyz, serves for the grace time, finishes what is under way, closes the store. Twice is once. */
  stop(): Promise<void>;
}

/** The one place where the parts are joined. */
export async function startGateway(deps: {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<Gateway> {
  const { config, clock } = deps;
  const newId = makeNewId({ now: () => clock.now().getTime(), chance: randomBytes });
  const instance = newId('ins');
  const log = deps.log.with({ instance });
  for (const setting of config.unverified) log.warn('config.unverified', { setting });

  const store = await openStore({ database: config.store.database, keys: config.keys, instance, sets: [], clock, log });
  let process: 'serving' | 'draining' = 'serving';
  const metrics = makeMetrics({ storeHealth: store.health, storeFigures: store.figures });
  const routes = makeOpsRoutes({
    metrics,
    described: readJson('../openapi/openapi.json') as Described,
    readiness: () =>
      decideReadiness({
        process,
        store: { ...store.health(), engine: store.engine, version: store.engineVersion },
        unverified: config.unverified,
        version: VERSION,
      }),
  });
  const app = makeApp({ routes, trustProxy: config.http.trustProxy, newId, clock, log, observe: metrics.observeRequest });
  const server = makeServer(app, config.http.tls);
  const port = await listen(server, config.http.host, config.http.port).catch(async (thrown: unknown) => {
    await store.close();
    throw thrown;
  });
  log.info('process.started', { component: 'gateway', port, version: VERSION });

  let stopping: Promise<void> | undefined;
  return {
    port,
    store,
    routes,
    stop() {
      stopping ??= (async () => {
        process = 'draining';
        log.info('process.draining');
        await drainServer(server, config.http.drainGraceMs, DRAIN_PATIENCE_MS);
        await store.close();
        log.info('process.stopped');
      })();
      return stopping;
    },
  };
}
