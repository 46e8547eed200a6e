import type { Config } from './config/index.ts';
import { drainServer, listen, makeApp, makeServer } from './http/index.ts';
import type { Life } from './kernel/index.ts';

/** Grace and the end of requests under way together; closing the store comes after, and 25 s are the whole of it. */
const DRAIN_TOTAL_MS = 20_000;

type AppDeps = Parameters<typeof makeApp>[0];

/** Opens what listens; the answer is its port. */
export async function openFront(config: Config, life: Life, deps: Omit<AppDeps, 'trustProxy' | 'adminToken'>): Promise<number> {
  const { host, port, tls, trustProxy, drainGraceMs } = config.http;
  const server = makeServer(makeApp({ ...deps, trustProxy, adminToken: config.admin.token }), tls);
  const opened = await listen(server, host, port);
  life.started('http', () => drainServer(server, drainGraceMs, DRAIN_TOTAL_MS - drainGraceMs), DRAIN_TOTAL_MS + 1_000);
  return opened;
}
