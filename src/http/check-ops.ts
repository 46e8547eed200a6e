import { fail, fault, ok, type Result, type Secret } from '../kernel/index.ts';

/** The token of an `Authorization: Bearer` header; empty where there is none. */
const bearerOf = (authorization: string | undefined): string =>
  /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1] ?? '';

/** The watcher's token. Without one configured everybody may watch. */
export const checkOps = (authorization: string | undefined, token: Secret | null): Result<null> =>
  token === null || token.equals(bearerOf(authorization)) ? ok(null) : fail(fault('ops.unauthenticated'));
