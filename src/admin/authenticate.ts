import type { IncomingMessage } from 'node:http';
import { fail, fault, ok, type AdminCaller, type Result, type Secret } from '../kernel/index.ts';
import { PERMISSIONS, ROLES } from '../operators/index.ts';

/**
 * Who asks the admin API. A fault where that is nobody: `admin.unauthenticated`, or `admin.not-configured` where nobody
 * could be. Whether they may do what they ask is judged afterwards, by the permission of the route.
 */
export type Authenticate = (request: IncomingMessage) => Promise<Result<AdminCaller>>;

/** Whoever holds CHARTGATE_ADMIN_TOKEN: a machine that may everything. */
const OPERATOR: AdminCaller = { kind: 'key', name: 'operator', roles: ROLES, permissions: new Set(PERMISSIONS) };

const bearerOf = (authorization: string | undefined): string =>
  /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1] ?? '';

/** The operator's token. Without one configured nobody is the operator. */
export const authenticateByToken =
  (token: Secret | null): Authenticate =>
  ({ headers }) => {
    if (token === null) return Promise.resolve(fail(fault('admin.not-configured')));
    const isOperator = token.equals(bearerOf(headers.authorization));
    return Promise.resolve(isOperator ? ok(OPERATOR) : fail(fault('admin.unauthenticated')));
  };
