import { fail, fault, ok, type Result, type Secret } from '../kernel/index.ts';

/** The operator's token. Without one configured nobody is the operator. */
export function checkAdmin(authorization: string | undefined, token: Secret | null): Result<null> {
  if (token === null) return fail(fault('admin.not-configured'));
  const [, given = ''] = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '') ?? [];
  return token.equals(given) ? ok(null) : fail(fault('admin.unauthenticated'));
}
