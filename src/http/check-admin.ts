import { fail, fault, ok, type Result, type Secret } from '../kernel/index.ts';

function isBearer(authorization: string | undefined, token: Secret): boolean {
  const [, given = ''] = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '') ?? [];
  return token.equals(given);
}

/** The operator's token. Without one configured nobody is the operator. */
export function checkAdmin(authorization: string | undefined, token: Secret | null): Result<null> {
  if (token === null) return fail(fault('admin.not-configured'));
  return isBearer(authorization, token) ? ok(null) : fail(fault('admin.unauthenticated'));
}

/** The watcher's token. Without one configured everybody may watch. */
export const checkOps = (authorization: string | undefined, token: Secret | null): Result<null> =>
  token === null || isBearer(authorization, token) ? ok(null) : fail(fault('ops.unauthenticated'));
