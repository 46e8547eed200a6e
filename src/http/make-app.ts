import { validateHeaderValue, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import {
  HANDLING,
  fail,
  fault,
  faultFields,
  ok,
  parseTraceparent,
  traceOf,
  type AdminAccess,
  type AdminCaller,
  type Ask,
  type Clock,
  type Log,
  type Mount,
  type NewId,
  type RequestId,
  type Result,
  type Route,
  type Secret,
  type Trace,
} from '../kernel/index.ts';
import { checkOps } from './check-ops.ts';
import { checkRequest } from './check-request.ts';
import { refuse, refuseThrown, send, type Exchange } from './exchange.ts';
import { putHeader } from './head.ts';
import { makeMounts } from './make-mounts.ts';
import { requestIdsOf } from './request-id.ts';
import { makeRouteTable, type Found } from './route-table.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { beginSpan, endSpan, UNMATCHED } from './watch-request.ts';

/** Called for every answer, for metrics. */
export type Observe = (answer: { route: string; method: string; status: number; durationMs: number }) => void;

/** As nginx has it: no standard status says that nobody was there to answer. */
const CLIENT_GONE = 499;

type RouteFound = Extract<Found, { kind: 'route' }>;

/** A caller who may what the route asks for. */
function mayAsk(caller: Result<AdminCaller>, { permission, proof }: AdminAccess): Result<AdminCaller> {
  if (!caller.ok) return caller;
  const { permissions, isProved, absent } = caller.value;
  if (!permissions.has(permission)) return fail(absent ?? fault('admin.forbidden', { at: permission }));
  return proof === 'second' && !isProved ? fail(fault('operator.proof-needed')) : caller;
}

export interface AppDeps {
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
  /** Null where nobody watches. */
  readonly trace?: Trace | null;
  /** Called for every request to the admin API that failed to authenticate. */
  readonly onRefused?: (who: {
    readonly requestId: RequestId;
    readonly why: string;
    readonly remoteAddress: string;
  }) => void;
  readonly isDraining: () => boolean;
}

/** Answers every request: one line in the log and one observation for each, whoever answered. */
export function makeApp(deps: AppDeps): RequestListener {
  const { clock, newId, trace = null } = deps;
  const find = makeRouteTable(deps.routes);
  const mounts = makeMounts(deps.mounts ?? [], deps.trustProxy);

  function begin(req: IncomingMessage, res: ServerResponse): Exchange {
    const { requestId, echo } = requestIdsOf(req, newId);
    const given = req.headers['traceparent'];
    const traceId = parseTraceparent(typeof given === 'string' ? given : undefined);
    const target = req.url ?? '';
    // A webhook is answered to a machine that shows nothing to anybody.
    const head = target.startsWith('/webhooks/') ? [] : [...SECURITY_HEADERS];
    head.push('X-Request-Id', echo, 'Cache-Control', 'no-store');
    if (deps.isDraining()) head.push('Connection', 'close');
    const log = deps.log.with({ requestId, traceId: traceId ?? traceOf(requestId) });
    const fromMs = clock.monotonicMs();
    const span = trace === null ? null : beginSpan(trace, requestId, traceId, given);
    const route = UNMATCHED;
    return { req, res, target, requestId, traceId, span, log, fromMs, head, route, isFollowed: false, fault: null };
  }

  function end(exchange: Exchange): void {
    const { req, res, route, isFollowed, fromMs, log, fault: why } = exchange;
    const { method = '' } = req;
    const durationMs = Math.round((clock.monotonicMs() - fromMs) * 1000) / 1000;
    // A caller who went away before the answer was sent did not get it, whatever it would have been.
    const status = res.writableFinished || isFollowed ? res.statusCode : CLIENT_GONE;
    deps.observe({ route, method, status, durationMs });
    if (exchange.span !== null) endSpan(exchange, exchange.span, status);
    const fields = { method, route, status, durationMs };
    if (why === null) log.info('request.answered', fields);
    else log[HANDLING[why.kind].log]('request.answered', { ...fields, ...faultFields(why) });
  }

  /** Who asks, where the route wants to know. */
  async function admit(
    { req, requestId }: Exchange,
    route: Extract<Route, AdminAccess>,
  ): Promise<Result<Pick<Ask, 'caller' | 'stillMay'>>> {
    const may = mayAsk(await deps.authenticate(req), route);
    if (!may.ok) {
      const { code } = may.fault;
      if (code !== 'admin.not-configured')
        deps.onRefused?.({ requestId, why: code, remoteAddress: mounts.addressOf(req) });
      return may;
    }
    const unattended = { method: req.method ?? '', headers: { ...req.headers, 'x-chartgate-unattended': 'yes' } };
    const stillMay = async (): Promise<Result<unknown>> => mayAsk(await deps.authenticate(unattended), route);
    return ok({ caller: may.value, stillMay });
  }

  async function askAdmitted(exchange: Exchange, found: RouteFound, route: Extract<Route, AdminAccess>) {
    const admitted = await admit(exchange, route);
    return admitted.ok ? ask(exchange, found, admitted.value) : admitted;
  }

  function ask(exchange: Exchange, { route, params }: RouteFound, asked: Pick<Ask, 'caller' | 'stillMay'>) {
    const { req, requestId, traceId, span, log, head } = exchange;
    if (route.access === 'ops') {
      const may = checkOps(req.headers.authorization, deps.opsToken ?? null);
      if (!may.ok) return may;
    }
    const setHeader = (name: string, value: string): void => {
      validateHeaderValue(name, value);
      putHeader(head, name, value);
    };
    const remoteAddress = (): string => mounts.addressOf(req);
    const more = { ...(traceId === null ? {} : { traceId }), ...(span === null ? asked : { ...asked, span }) };
    return route.handle({ request: req, params, requestId, log, setHeader, remoteAddress, ...more });
  }

  async function answer(exchange: Exchange, found: RouteFound): Promise<void> {
    const { route } = found;
    try {
      const result = await (route.access === 'admin' ? askAdmitted(exchange, found, route) : ask(exchange, found, {}));
      if (!result.ok) {
        refuse(exchange, result.fault);
        return;
      }
      exchange.isFollowed = result.value.follow !== undefined;
      send(exchange, result.value);
    } catch (thrown) {
      refuseThrown(exchange, thrown);
    }
  }

  return (req, res) => {
    const exchange = begin(req, res);
    res.on('close', () => end(exchange));
    // It was told that it took too long, though its head came after all: what it asks must not be done.
    if (!req.socket.writable) return;
    const checked = checkRequest(req);
    if (!checked.ok) {
      refuse(exchange, checked.fault);
      return;
    }
    const found = find(req.method ?? '', exchange.target);
    if (found.kind === 'route') {
      exchange.route = found.route.path;
      void answer(exchange, found);
    } else if (found.kind === 'method') {
      exchange.route = found.path;
      exchange.head.push('Allow', found.allow);
      refuse(exchange, fault('http.method'));
    } else if (found.kind === 'malformed') refuse(exchange, fault('http.malformed', { cause: found.cause }));
    else mounts.answer(exchange);
  };
}
