import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { authenticateByToken, type Authenticate } from '../../src/admin/index.ts';
import { makeApp } from '../../src/http/index.ts';
import { makeNewId, systemClock, type Log, type Route } from '../../src/kernel/index.ts';
import { loadConfig, type Config } from '../../src/config/index.ts';
import { collectLog } from './collect-log.ts';
import { serveSettings } from './run-process.ts';

export const newId = makeNewId({ now: Date.now, chance: randomBytes });

/** The app around some routes, without a store. */
export function appOf(
  routes: readonly Route[],
  log: Log = collectLog(),
  authenticate: Authenticate = authenticateByToken(null),
  trustProxy: readonly string[] = [],
): RequestListener & { listen(port: number, host: string): Server } {
  const app = makeApp({
    routes,
    trustProxy,
    authenticate,
    newId,
    clock: systemClock,
    log,
    observe: () => undefined,
    isDraining: () => false,
  });
  return Object.assign(app, { listen: (port: number, host: string) => createServer(app).listen(port, host) });
}

/** A sound configuration on a free port, for whole-gateway tests. */
export const configOf = (databaseUrl: string, more: Record<string, string> = {}): Config =>
  loadConfig('serve', { ...serveSettings(databaseUrl), ...more }, (path) =>
    existsSync(path) ? readFileSync(path, 'utf8') : '',
  );
