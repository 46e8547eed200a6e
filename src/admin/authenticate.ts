import type { IncomingMessage } from 'node:http';
import { fail, fault, ok, type AdminCaller, type Clock, type Result, type Secret } from '../kernel/index.ts';
import { checkPresent, isOfOperator, isProved, STATIC_KEY, type Caller } from '../operators/index.ts';

/**
 * Who asks the admin API. A fault where that is nobody: `admin.unauthenticated`, or `admin.not-configured` where nobody
 * could be. Whether they may do what they ask is judged afterwards, by the permission of the route.
 */
export type Authenticate = (request: Asked) => Promise<Result<AdminCaller>>;
/** What of a request tells who asks. */
type Asked = Pick<IncomingMessage, 'headers' | 'method'>;

/** Whoever holds CHARTGATE_ADMIN_TOKEN: a machine that may everything. */
const OPERATOR: AdminCaller = {
  kind: 'key',
  id: STATIC_KEY.id,
  name: 'operator',
  roles: STATIC_KEY.roles,
  permissions: STATIC_KEY.permissions,
  isProved: true,
  absent: null,
};

const bearerOf = (authorization: string | undefined): string =>
  /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1] ?? '';

/** The token of the settings. Without one configured it opens nothing. */
export const authenticateByToken =
  (token: Secret | null): Authenticate =>
  ({ headers }) => {
    if (token === null) return Promise.resolve(fail(fault('admin.not-configured')));
    const isOperator = token.equals(bearerOf(headers.authorization));
    return Promise.resolve(isOperator ? ok(OPERATOR) : fail(fault('admin.unauthenticated')));
  };

/** A session that is locked, or not signed in to its end, has few permissions or none, and says why. */
function toAdminCaller(caller: Caller, nowMs: number): AdminCaller {
  const { kind, id, name, roles, permissions } = caller;
  const present = checkPresent(caller);
  return {
    kind,
    id,
    name,
    roles,
    permissions,
    isProved: isProved(caller, nowMs),
    absent: present.ok ? null : present.fault,
  };
}

/** Whoever brings a session or an API key is asked for by that; everybody else by the token of the settings. */
export function authenticateAnybody(deps: {
  readonly token: Secret | null;
  readonly operators: (request: Asked) => Promise<Result<Caller>>;
  readonly clock: Clock;
}): Authenticate {
  const byToken = authenticateByToken(deps.token);
  return async (request) => {
    if (!isOfOperator(request)) return byToken(request);
    const caller = await deps.operators(request);
    return caller.ok ? ok(toAdminCaller(caller.value, deps.clock.now().getTime())) : caller;
  };
}
