import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { StartError, type Clock } from '../../src/kernel/index.ts';
import { isOwnCaller } from '../is-own-caller.ts';
import { nameOfHost } from '../name-of-host.ts';
import { describeCapability } from './capability.ts';
import { makeCommitChanges } from './commit-changes.ts';
import { control } from './control.ts';
import {
  carryOut,
  intendConditionalUpdate,
  intendCreate,
  intendDelete,
  intendUpdate,
  type Given,
  type Kit,
} from './interactions.ts';
import { recordWrites } from './record-writes.ts';
import { parseJson } from './parse-json.ts';
import { isReply, refuse, replyJson, type Reply } from './reply.ts';
import { makeRepository, type Repository } from './repository.ts';
import { sendReply } from './send-reply.ts';
import { makeSwitchBoard, type SwitchBoard, type Switches } from './switches.ts';
import { runBundle } from './run-bundle.ts';
import { readAt } from './read-at.ts';
import { rewriteReferences } from './rewrite-references.ts';
import type { Resource } from './values.ts';
import { makeWriteLog, type WriteLog } from './write-log.ts';

const BODY_BYTES_MAX = 32 * 1024 * 1024;
const BASE_PATH = '/fhir';

export interface DemoEhr {
  readonly url: string;
  readonly port: number;
  readonly board: SwitchBoard;
  readonly log: WriteLog;
  readonly repository: Repository;
  /** Writes as if a person had, past all switches but the one that names versions. */
  put(resource: Resource & { id: string }): void;
  stop(): Promise<void>;
}

async function readBody(req: IncomingMessage): Promise<string | Reply> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of req as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > BODY_BYTES_MAX) return refuse(413, 'too-long', 'The body is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** References to this server are kept relative, however they were written. */
function parseResource(body: string, base: string): Resource | Reply {
  try {
    const parsed = parseJson(body);
    if (typeof parsed === 'object' && parsed !== null && typeof (parsed as Resource).resourceType === 'string') {
      if (!body.includes(base)) return parsed as Resource;
      const own = `${base}/`;
      return rewriteReferences(
        parsed,
        (reference) => (reference.startsWith(own) ? reference.slice(own.length) : reference),
        new Map(),
      ) as Resource;
    }
  } catch {
    // Answered below, with the same words as a body without a resourceType.
  }
  return refuse(400, 'structure', 'The body is not a FHIR resource in JSON');
}

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

function givenOf(req: IncomingMessage): Given {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = req.headers;
  const ifNoneExist = one(req.headers['if-none-exist']);
  const prefer = one(req.headers['prefer']);
  return {
    ...(ifMatch === undefined ? {} : { ifMatch }),
    ...(ifNoneMatch === undefined ? {} : { ifNoneMatch }),
    ...(ifModifiedSince === undefined ? {} : { ifModifiedSince }),
    ...(ifNoneExist === undefined ? {} : { ifNoneExist }),
    ...(prefer === undefined ? {} : { prefer }),
  };
}

function act(
  kit: Kit,
  method: string,
  segments: readonly string[],
  query: URLSearchParams,
  body: string,
  given: Given,
  date: string,
): Reply {
  const [type = '', id = '', ...rest] = segments;
  const nowhere = (): Reply => refuse(404, 'not-found', 'There is nothing at this address');
  const withResource = (use: (resource: Resource) => Reply): Reply => {
    const resource = parseResource(body, kit.base);
    return isReply(resource) ? resource : use(resource);
  };
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (type === 'metadata') return replyJson(200, JSON.stringify(describeCapability(kit.base, kit.switches, date)));
      return readAt(kit, segments, query, given);
    case 'POST':
      if (type === '')
        return withResource((bundle) =>
          bundle.resourceType === 'Bundle'
            ? runBundle(kit, bundle, given)
            : refuse(400, 'invalid', 'A Bundle is needed'),
        );
      if (id === '_search' && rest.length === 0)
        return readAt(kit, [type], [...query, ...new URLSearchParams(body)], given);
      return id === ''
        ? withResource((resource) => carryOut(kit, intendCreate(kit, type, resource, given), given))
        : nowhere();
    case 'PUT':
      if (rest.length > 0) return nowhere();
      return withResource((resource) =>
        carryOut(
          kit,
          id === ''
            ? intendConditionalUpdate(kit, type, query.toString(), resource, given)
            : intendUpdate(kit, type, id, resource, given),
          given,
        ),
      );
    case 'DELETE':
      return id === '' || rest.length > 0 ? nowhere() : carryOut(kit, intendDelete(kit, type, id), given);
    default:
      return refuse(405, 'not-supported', 'This method is not supported');
  }
}

/** Answers a fault of the whole request; null when the request is to be worked on. */
function faultReply(switches: Switches): Reply | null {
  const { status, retryAfter, body, redirect } = switches;
  if (redirect !== undefined) return { status: 307, headers: { location: redirect }, body: '' };
  if (status === undefined) return null;
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  if (body === 'html')
    return {
      status,
      headers: { 'content-type': 'text/html', ...headers },
      body: '<html><body>Something else answers here</body></html>',
    };
  if (body === 'empty') return { status, headers, body: '' };
  const refusal = refuse(status, status >= 500 ? 'transient' : 'processing', 'A fault that was asked for');
  return { ...refusal, headers: { ...refusal.headers, ...headers } };
}

/** A FHIR R4 server for development and tests: in memory, indexed, kept in `file` between runs where one is given. */
export async function startEhr(deps: {
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  readonly file?: string;
}): Promise<DemoEhr> {
  const repository = makeRepository(() => deps.clock.monotonicMs());
  const kept = recordWrites(deps.file ?? null);
  for (const { kind, method, type, id, json, at } of kept.past)
    repository.apply([{ kind, method, type, id, resource: json === null ? null : (parseJson(json) as Resource) }], {
      lastUpdated: at,
      nameVersion: (n, resource) => (resource === null ? String(n) : (resource.meta?.versionId ?? null)),
      searchableFromMs: 0,
    });
  const log = makeWriteLog(kept.past, kept.append);
  const board = makeSwitchBoard();
  let base = '';

  const commitChanges = makeCommitChanges({ repository, log, clock: deps.clock });

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const method = req.method ?? 'GET';
    const url = new URL(req.url ?? '/', base);
    const requestId = one(req.headers['x-request-id']) ?? randomUUID();
    const body = await readBody(req);
    if (isReply(body)) {
      await sendReply(res, body, {}, requestId);
      return;
    }
    if (url.pathname.startsWith('/_control/')) {
      if (!isOwnCaller(req, deps.host)) {
        await sendReply(res, refuse(403, 'forbidden', 'The control takes no request of another site'), {}, requestId);
        return;
      }
      await sendReply(
        res,
        control(board, log, method, url.pathname, url.searchParams, body === '' ? null : parseJson(body)),
        {},
        requestId,
      );
      return;
    }
    if (url.pathname !== BASE_PATH && !url.pathname.startsWith(`${BASE_PATH}/`)) {
      await sendReply(res, refuse(404, 'not-found', `The FHIR base is ${BASE_PATH}`), {}, requestId);
      return;
    }
    const switches = board.decide(method, `${url.pathname}${url.search}`);
    const seen = log.begin(requestId, method, `${url.pathname}${url.search}`);
    if (switches.drop === 'before-commit') {
      log.end(seen, null);
      res.destroy();
      return;
    }
    const segments = url.pathname
      .slice(BASE_PATH.length + 1)
      .split('/')
      .map(decodeURIComponent);
    const kit: Kit = {
      base,
      repository,
      switches,
      newId: randomUUID,
      pending: [],
      commit: (changes) => commitChanges(requestId, switches, changes),
    };
    const reply =
      faultReply(switches) ??
      act(kit, method, segments, url.searchParams, body, givenOf(req), deps.clock.now().toISOString());
    const isWhole = await sendReply(res, method === 'HEAD' ? { ...reply, body: '' } : reply, switches, requestId);
    log.end(seen, isWhole ? reply.status : null);
  }

  const server: Server = createServer((req, res) => {
    answer(req, res).catch(() => {
      if (res.headersSent) res.destroy();
      else res.writeHead(400, { 'content-type': 'text/plain' }).end('The request could not be read');
    });
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', (thrown) =>
      reject(
        new StartError(
          'ehr.listen',
          `The demo EHR cannot listen on ${deps.host}:${deps.port}. Stop what listens there, or choose another port.`,
          thrown,
        ),
      ),
    );
    server.listen(deps.port, deps.host, () => {
      const address = server.address();
      resolve(address !== null && typeof address !== 'string' ? address.port : deps.port);
    });
  });
  base = `http://${nameOfHost(deps.host)}:${port}${BASE_PATH}`;

  return {
    url: base,
    port,
    board,
    log,
    repository,
    put: (resource) => {
      const kind = repository.read(resource.resourceType, resource.id) === undefined ? 'create' : 'update';
      const { versionIds } = board.traits();
      const { resourceType: type, id } = resource;
      commitChanges('a-person', versionIds === undefined ? {} : { versionIds }, [
        { kind, method: 'PUT', type, id, resource },
      ]);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          kept.close();
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
