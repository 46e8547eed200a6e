import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { StartError, type Clock } from '../../src/kernel/index.ts';
import { isOwnCaller } from '../is-own-caller.ts';
import { nameOfHost } from '../name-of-host.ts';
import { openKeep, type Keep } from '../keep/index.ts';
import { makeSender, type FindTarget, type Sender } from '../delivery/index.ts';
import { makeAuthorizer, makeAuthorizers, makeRevoke } from './authorizer.ts';
import { makeBind } from './binding.ts';
import { makeClient } from './clients.ts';
import { connect, disconnect, type NewConnection } from './connect.ts';
import { controlRows } from './control.ts';
import { makeFaultBoard, type FaultBoard } from './faults.ts';
import { makeHappenings, type Happened } from './happening.ts';
import { NO_INTRODUCTION, type Introduction } from './introduction.ts';
import { storeDocuments, type Documents } from './store-documents.ts';
import type { Kit } from './kit.ts';
import { makeSubmitLab } from './lab-document.ts';
import { effectiveRule, makeReadRules, makeReplaceRules } from './monitoring-rules.ts';
import { makeNotify, type Notify } from './notify.ts';
import { authorizationRows } from './pages/authorization.ts';
import { connectionsRows } from './pages/connections.ts';
import { extractionAppRows } from './pages/extraction-app.ts';
import { homeRow } from './pages/home.ts';
import { ICON, STYLE } from './pages/html.ts';
import { portalRows } from './pages/portal.ts';
import { refuse, type Reply } from './reply.ts';
import { makeRequestProfile } from './request-profile.ts';
import { makeRouter, type Row } from './route-table.ts';
import { simulateClock, type SimulatedClock } from './simulated-clock.ts';
import { openState, type Client, type Connection, type SignalRule, type State } from './state.ts';

export interface DemoService {
  /** {base_url} */
  readonly url: string;
  /** {lab_url} */
  readonly labUrl: string;
  readonly port: number;
  readonly clock: SimulatedClock;
  readonly state: State;
  readonly documents: Documents;
  /** For the tables of whoever simulates data. */
  readonly kept: Keep;
  readonly faults: FaultBoard;
  /** Of both webhooks. */
  readonly sender: Sender;
  readonly notify: Notify;
  /** Whose rule holds for a user and a signal of Health Monitoring. */
  effectiveRule(
    client: string,
    user: string,
    signal: string,
  ): { readonly rule: SignalRule; readonly isDefault: boolean };
  /** As the pages do it, for whoever plays many users. */
  connect(given: NewConnection): void;
  disconnect(connection: Connection, by: 'client' | 'provider' | 'app'): void;
  /** Adds addresses to those that it answers at. */
  serve(rows: readonly Row[]): void;
  /** What the first page says of the rest of a demonstration. */
  introduce(introduction: Introduction): void;
  /** Told of everything that happens, after it was kept. */
  listen(listener: Happened): void;
  /** Makes the client, or changes the named things of one that is there. */
  putClient(given: Pick<Client, 'uuid'> & Partial<Client>): Client;
  stop(): Promise<void>;
}

/** Section 4, row by row, and the pages. */
const rowsOf = (kit: Kit, faults: FaultBoard, sender: Sender): Row[] => [
  {
    method: 'GET',
    path: '/api/v1/user_id/{user_id}/data_source/{data_source}/authorizer',
    handle: makeAuthorizer(kit),
  },
  {
    method: 'GET',
    path: '/api/v1/client_uuid/{client_uuid}/user_id/{user_id}/data_sources/authorizers',
    handle: makeAuthorizers(kit),
  },
  { method: 'POST', path: '/api/v1/user_id/{user_id}/data_sources/revoke_auth', handle: makeRevoke(kit) },
  { method: 'POST', path: '/api/v1/extraction_app/binding/', handle: makeBind(kit) },
  { method: 'POST', path: '/api/v2/user_profile', handle: makeRequestProfile(kit) },
  { method: 'GET', path: '/api/v2/health_monitoring/rules', handle: makeReadRules(kit) },
  { method: 'PUT', path: '/api/v2/health_monitoring/rules', handle: makeReplaceRules(kit) },
  { method: 'POST', path: '/lab/client_uuid/{client_uuid}/user_id/{user_id}', handle: makeSubmitLab(kit) },
  ...authorizationRows(kit),
  ...connectionsRows(kit),
  ...portalRows(kit),
  ...extractionAppRows(kit),
  ...controlRows(kit, faults, sender),
  {
    method: 'GET',
    path: '/style.css',
    handle: () => ({ status: 200, headers: { 'Content-Type': 'text/css' }, body: STYLE }),
  },
  {
    method: 'GET',
    path: '/icon.svg',
    handle: () => ({ status: 200, headers: { 'Content-Type': 'image/svg+xml' }, body: ICON }),
  },
  homeRow(kit, sender),
];

const UNREAD_MAX = 16 * 1024 * 1024;

function send(req: IncomingMessage, res: ServerResponse, reply: Reply): void {
  // What nobody read is taken in up to a limit, so that the sender hears the answer instead of a broken connection.
  if (!req.complete) {
    let left = UNREAD_MAX;
    req.on('data', (part: Buffer) => {
      left -= part.length;
      if (left < 0) req.destroy();
    });
    req.resume();
  }
  const body = Buffer.from(reply.body);
  res.writeHead(reply.status, { ...reply.headers, 'Content-Length': String(body.length) });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** The health data service as its specification describes it, for development, tests and demonstrations. */
export async function startService(deps: {
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  /** Where its state is kept; none forgets it. */
  readonly file?: string;
  /** How many times faster than the clock its time runs; none leaves it as it was. */
  readonly speed?: number;
  /** How long deliveries wait for their next try; default: RETRY_WAITS_MS. */
  readonly retryWaitsMs?: readonly number[];
  readonly underwayMax?: number;
  /** How webhooks are reached; default: as everything else. */
  readonly fetch?: typeof fetch;
}): Promise<DemoService> {
  const kept = openKeep(deps.file ?? null);
  const state = openState(kept);
  const documents = storeDocuments(deps.file === undefined ? null : `${deps.file}.documents`);
  const clock = simulateClock(deps.clock, kept, deps.speed ?? null);
  const faults = makeFaultBoard();
  const happenings = makeHappenings();
  let base = '';
  let introduction = NO_INTRODUCTION;
  const kit: Kit = {
    state,
    documents,
    clock,
    tell: happenings.tell,
    base: () => base,
    newUuid: randomUUID,
    introduction: () => introduction,
  };
  const findTarget: FindTarget = (uuid, hook) => {
    const client = state.clients.get(uuid);
    const url = hook === 'data' ? client?.dataWebhook : client?.notificationWebhook;
    return client === undefined || url === undefined || url === null ? null : { url, key: client.signingKey };
  };
  const sender = makeSender({
    kept,
    clock: deps.clock,
    findTarget,
    ...(deps.retryWaitsMs === undefined ? {} : { waitsMs: deps.retryWaitsMs }),
    ...(deps.underwayMax === undefined ? {} : { underwayMax: deps.underwayMax }),
    ...(deps.fetch === undefined ? {} : { fetch: deps.fetch }),
  });
  const notifier = makeNotify(kit, sender);
  happenings.listen(notifier.listen);
  const rows = rowsOf(kit, faults, sender);
  let route = makeRouter(rows);

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = (req.url ?? '/').split('?')[0] ?? '/';
    const isControl = path.startsWith('/_control/');
    const rule = isControl ? null : faults.take(path);
    if (rule?.delayMs !== undefined) await pause(rule.delayMs, undefined, { ref: false });
    if (rule?.drop === 'before') {
      res.destroy();
      return;
    }
    const asked = { url: new URL(base + path), method: req.method ?? 'GET' };
    if (isControl && !isOwnCaller(req, deps.host)) {
      send(req, res, refuse(asked, 403, 'the control takes no request of another site'));
      return;
    }
    const reply =
      rule?.status === undefined
        ? await route(req, base)
        : refuse(
            asked,
            rule.status,
            'a fault that was asked for',
            rule.retryAfter === undefined ? {} : { 'Retry-After': rule.retryAfter },
          );
    if (rule?.drop === 'after') {
      res.destroy();
      return;
    }
    send(req, res, reply);
  }

  const server = createServer((req, res) => {
    answer(req, res).catch(() => {
      if (res.headersSent) res.destroy();
      else send(req, res, refuse({ url: new URL(base), method: req.method ?? 'GET' }, 500, 'internal error'));
    });
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', (thrown) => {
      kept.close();
      reject(
        new StartError(
          'service.listen',
          `The sandbox cannot listen on ${deps.host}:${deps.port}. Stop what listens there, or choose another port.`,
          thrown,
        ),
      );
    });
    server.listen(deps.port, deps.host, () => {
      const address = server.address();
      resolve(address !== null && typeof address !== 'string' ? address.port : deps.port);
    });
  });
  base = `http://${nameOfHost(deps.host)}:${port}`;

  return {
    url: base,
    labUrl: `${base}/lab`,
    port,
    clock,
    state,
    documents,
    kept,
    faults,
    sender,
    notify: notifier.notify,
    effectiveRule: (client, user, signal) => effectiveRule(kit, client, user, signal),
    connect: (given) => connect(kit, given),
    disconnect: (connection, by) => disconnect(kit, connection, by),
    serve: (more) => {
      rows.push(...more);
      route = makeRouter(rows);
    },
    introduce: (given) => void (introduction = given),
    listen: happenings.listen,
    putClient: (given) => {
      const before = state.clients.get(given.uuid);
      const client = { ...makeClient(given), ...before, ...given };
      state.clients.put(client.uuid, client);
      return client;
    },
    stop: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await sender.stop();
      clock.keep();
      kept.close();
    },
  };
}
