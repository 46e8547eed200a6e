import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Config } from '../config/index.ts';
import { makeConsoleMount } from '../console/index.ts';
import { makeHandbookMount } from '../handbook/index.ts';
import { drainServer, listen, makeApp, makeServer, type AppDeps } from '../http/index.ts';
import type { Part, Route } from '../kernel/index.ts';
import {
  decideReadiness,
  joinReadiness,
  makeOpsRoutes,
  makeWatchRoutes,
  onOwnPort,
  type Metrics,
  type Readiness,
} from '../ops/index.ts';
import type { Seat } from '../workers/index.ts';

/** Grace and the end of requests under way together; what comes after has the rest of the supervisor's 30 s. */
const DRAIN_TOTAL_MS = 20_000;
const CLOSE_MS = 1_000;

type State = Omit<Parameters<typeof decideReadiness>[0], 'unverified' | 'version'>;

export const readJson = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

const DESCRIPTION = new URL('../../openapi/openapi.json', import.meta.url);

/** What listens. Each start answers the port. */
export interface Front {
  /** For whoever watches, who then sees the drain as well; null where that is the same port. */
  readonly ops: Part<number> | null;
  readonly http: Part<number>;
  /**
   * The requests under way. Listening begins before the work does, so that a port that is taken is found before
   * anything is claimed; and it ends before the work does, which is why this part comes last and stops first.
   */
  readonly requests: Part;
  readonly requestsPatienceMs: number;
  readonly routes: readonly Route[];
}

export function makeFront(
  config: Config,
  deps: Pick<AppDeps, 'mounts' | 'authenticate' | 'newId' | 'clock' | 'log' | 'trace' | 'onRefused' | 'isDraining'> & {
    readonly version: string;
    readonly routes: readonly Route[];
    readonly metrics: Metrics;
    readonly state: () => State;
    /** Null where this process serves its port alone. */
    readonly seat: Seat | null;
  },
): Front {
  const { host, port, tls, trustProxy, drainGraceMs } = config.http;
  const { ops } = config;
  const unverified = config.weak.map(({ what }) => what);
  const { metrics, state, version, seat } = deps;
  // Whoever comes along need not learn what is weak.
  const shown = ops.port === null && ops.token === null ? { version } : { version, unverified };
  const readiness = (): Readiness => decideReadiness({ ...state(), ...shown });
  seat?.onLook({ metrics: metrics.read, readiness: () => readiness().ready });
  const watch = makeWatchRoutes(
    seat === null
      ? { metrics, readiness }
      : {
          metrics: { contentType: metrics.contentType, render: () => seat.ask('metrics') },
          readiness: async () => joinReadiness(readiness(), await seat.ask('readiness')),
        },
  );
  const routes = [
    ...makeOpsRoutes({ version, readDescription: () => readFile(DESCRIPTION, 'utf8') }),
    ...(ops.port === null ? watch : []),
    ...deps.routes,
  ];
  const app = {
    ...deps,
    mounts: [...(deps.mounts ?? []), makeConsoleMount(), makeHandbookMount()],
    routes,
    trustProxy,
    opsToken: ops.token,
    observe: metrics.observeRequest,
  };

  function listener(of: AppDeps, wanted: number) {
    const server = makeServer(makeApp(of), tls);
    const part: Part<number> = {
      start: () => listen(server, host, wanted),
      stop: () => drainServer(server, 0, CLOSE_MS),
    };
    return { server, part };
  }
  const http = listener(app, port);
  return {
    ops: ops.port === null ? null : listener({ ...app, routes: onOwnPort(watch), mounts: [] }, ops.port).part,
    http: http.part,
    requests: { stop: () => drainServer(http.server, drainGraceMs, DRAIN_TOTAL_MS - drainGraceMs) },
    requestsPatienceMs: DRAIN_TOTAL_MS + 1_000,
    routes,
  };
}
