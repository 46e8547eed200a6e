import type { IncomingMessage } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import {
  HANDLING,
  fail,
  fault,
  faultFields,
  isError,
  parseTraceparent,
  traceOf,
  type AdminAccess,
  type AdminCaller,
  type Answer,
  type Ask,
  type Clock,
  type Fault,
  type Log,
  type Mount,
  type NewId,
  type RequestId,
  type Result,
  type Route,
  type Secret,
} from '../kernel/index.ts';
import { answerFault } from './answer-fault.ts';
import { checkOps } from './check-ops.ts';
import { checkRequest } from './check-request.ts';
import { outletOf } from './follow.ts';
import { requestIdsOf } from './request-id.ts';

/** Called for every answer, for metrics. */
export type Observe = (answer: { route: string; method: string; status: number; durationMs: number }) => void;

interface Context {
  readonly requestId: RequestId;
  /** The caller's; null where it has none. */
  readonly traceId: string | null;
  readonly log: Log;
  /** The mount that answered, where no route did. */
  mount?: string;
  /** The answer goes on until somebody ends it: whoever goes away got all of it that there was. */
  isFollowed?: boolean;
  /** Why the request was refused, for its one line in the log. */
  fault?: Fault;
}

/** As nginx has it: no standard status says that nobody was there to answer. */
const CLIENT_GONE = 499;
const UNMATCHED = '(none)';

/** Pages are our own, without a script and without anything from elsewhere. */
const setSecurityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
  },
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
  referrerPolicy: { policy: 'no-referrer' },
});

/** What helmet says is the same for every request, so it is asked once. */
const SECURITY_HEADERS = (() => {
  const said: [string, string][] = [];
  const listener = {
    setHeader: (name: string, value: string) => void said.push([name, value]),
    removeHeader: () => undefined,
  };
  setSecurityHeaders({} as Request, listener as unknown as Response, () => undefined);
  return said;
})();

const EXPRESS_STATUS: Readonly<Record<number, Fault['code']>> = {
  400: 'http.malformed',
  404: 'http.not-found',
  413: 'http.too-large',
  415: 'http.encoding',
};

/** Express and its parsers throw errors that carry a 4xx status; anything else that is thrown is a bug. */
function toFault(thrown: unknown): Fault {
  // Theirs say whether they may be shown; an error that merely has a status, such as an upstream's, is a bug of ours.
  const isTheirs = isError(thrown) && (thrown.name === 'URIError' || 'expose' in thrown);
  const status = isTheirs && 'status' in thrown && typeof thrown.status === 'number' ? thrown.status : 500;
  return fault(EXPRESS_STATUS[status] ?? 'internal.bug', { cause: thrown });
}

const LINGER_MS = 500;

/**
 * Whoever is refused before its body was read is not listened to any longer: the answer goes out, then the connection.
 */
function letGo(req: Request, res: Response): void {
  res.setHeader('Connection', 'close');
  res.once('finish', () => setTimeout(() => req.socket.destroy(), LINGER_MS).unref());
}

function send(res: Response, answer: Answer): void {
  res.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers ?? {})) res.setHeader(name, value);
  if (answer.follow === undefined || res.req.method === 'HEAD') {
    res.end(answer.body);
    return;
  }
  res.flushHeaders();
  res.write(answer.body);
  answer.follow(outletOf(res));
}

/** How many requests a path fits: a parameter fits more than a word, and a wildcard more than any parameter. */
const generalityOf = (path: string): number => (path.includes('*') ? 100 : 0) + path.split(':').length;

/** A caller who may what the route asks for. */
function mayAsk(caller: Result<AdminCaller>, { permission, proof }: AdminAccess): Result<AdminCaller> {
  if (!caller.ok) return caller;
  const { permissions, isProved, absent } = caller.value;
  if (!permissions.has(permission)) return fail(absent ?? fault('admin.forbidden', { at: permission }));
  return proof === 'second' && !isProved ? fail(fault('operator.proof-needed')) : caller;
}

export function makeApp(deps: {
  readonly routes: readonly Route[];
  readonly mounts?: readonly Mount[];
  readonly trustProxy: readonly string[];
  /** Who asks the admin API. The routes' permissions are judged here, by what it answers. */
  readonly authenticate: (request: Pick<IncomingMessage, 'headers' | 'method'>) => Promise<Result<AdminCaller>>;
  readonly opsToken?: Secret | null;
  readonly newId: NewId;
  readonly clock: Clock;
  readonly log: Log;
  readonly observe: Observe;
  /** Called for every request to the admin API that failed to authenticate. */
  readonly onRefused?: (who: {
    readonly requestId: RequestId;
    readonly why: string;
    readonly remoteAddress: string;
  }) => void;
  readonly isDraining: () => boolean;
}): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', false);
  app.set('etag', false);
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.set('trust proxy', deps.trustProxy.length === 0 ? false : [...deps.trustProxy]);

  const contexts = new WeakMap<Request, Context>();
  const contextOf = (req: Request): Context => {
    const found = contexts.get(req);
    if (found === undefined) throw new Error('the request has no context yet');
    return found;
  };
  const refuse = (req: Request, res: Response, why: Fault): void => {
    const context = contextOf(req);
    context.fault = why;
    if (!req.complete) letGo(req, res);
    answerFault(res, req.originalUrl, why, context.requestId);
  };

  app.use((req, res, next) => {
    const { requestId, echo } = requestIdsOf(req, deps.newId);
    const given = req.headers['traceparent'];
    const traceId = parseTraceparent(typeof given === 'string' ? given : undefined);
    const context: Context = {
      requestId,
      traceId,
      log: deps.log.with({ requestId, traceId: traceId ?? traceOf(requestId) }),
    };
    const from = deps.clock.monotonicMs();
    contexts.set(req, context);
    // A webhook is answered to a machine that shows nothing to anybody.
    if (!req.url.startsWith('/webhooks/')) for (const [name, value] of SECURITY_HEADERS) res.setHeader(name, value);
    res.setHeader('X-Request-Id', echo);
    res.setHeader('Cache-Control', 'no-store');
    if (deps.isDraining()) res.setHeader('Connection', 'close');
    res.once('close', () => {
      const route = (req.route as { path?: string } | undefined)?.path ?? context.mount ?? UNMATCHED;
      const durationMs = Math.round((deps.clock.monotonicMs() - from) * 1000) / 1000;
      // A caller who went away before the answer was sent did not get it, whatever it would have been.
      const status = res.writableFinished || context.isFollowed === true ? res.statusCode : CLIENT_GONE;
      const { fault: why, log } = context;
      deps.observe({ route, method: req.method, status, durationMs });
      log[why === undefined ? 'info' : HANDLING[why.kind].log]('request.answered', {
        method: req.method,
        route,
        status,
        durationMs,
        ...(why === undefined ? {} : faultFields(why)),
      });
    });
    // It was told that it took too long, though its head came after all: what it asks must not be done.
    if (!req.socket.writable) return;
    const checked = checkRequest(req);
    if (checked.ok) next();
    else refuse(req, res, checked.fault);
  });
  for (const route of deps.routes) {
    app[route.method](route.path, async (req: Request, res: Response) => {
      const { requestId, traceId, log } = contextOf(req);
      let asked: Pick<Ask, 'caller' | 'stillMay'> = {};
      if (route.access === 'admin') {
        const may = mayAsk(await deps.authenticate(req), route);
        if (!may.ok) {
          const { code } = may.fault;
          if (code !== 'admin.not-configured') deps.onRefused?.({ requestId, why: code, remoteAddress: req.ip ?? '' });
          refuse(req, res, may.fault);
          return;
        }
        const unattended = { method: req.method, headers: { ...req.headers, 'x-chartgate-unattended': 'yes' } };
        asked = {
          caller: may.value,
          stillMay: async () => mayAsk(await deps.authenticate(unattended), route),
        };
      }
      if (route.access === 'ops') {
        const may = checkOps(req.headers.authorization, deps.opsToken ?? null);
        if (!may.ok) {
          refuse(req, res, may.fault);
          return;
        }
      }
      const setHeader = (name: string, value: string): void => void res.setHeader(name, value);
      const params = req.params as Record<string, string>;
      const more = { ...(traceId === null ? {} : { traceId }), ...asked };
      const result = await route.handle({ request: req, params, requestId, log, setHeader, ...more });
      if (!result.ok) {
        refuse(req, res, result.fault);
        return;
      }
      contextOf(req).isFollowed = result.value.follow !== undefined;
      send(res, result.value);
    });
  }

  const methodsOf = new Map<string, Set<string>>();
  for (const { path, method } of deps.routes) {
    const methods = methodsOf.get(path) ?? new Set(method === 'get' ? ['HEAD'] : []);
    methodsOf.set(path, methods.add(method.toUpperCase()));
  }
  // The path that is written out answers for itself, not the one whose parameter it would fit.
  for (const [path, methods] of [...methodsOf].sort(([a], [b]) => generalityOf(a) - generalityOf(b))) {
    app.all(path, (req, res) => {
      res.setHeader('Allow', [...methods].sort().join(', '));
      refuse(req, res, fault('http.method'));
    });
  }

  for (const { path, handle } of deps.mounts ?? []) {
    app.use(path, (req, res, next) => {
      const context = contextOf(req);
      const { requestId, log } = context;
      context.mount = path;
      handle(req, res, { requestId, log }).catch(next);
    });
  }

  app.use((req, res) => {
    refuse(req, res, fault('http.not-found'));
  });
  app.use((thrown: unknown, req: Request, res: Response, _next: NextFunction) => {
    if (res.headersSent) res.destroy();
    refuse(req, res, toFault(thrown));
  });
  return app;
}
