import { ok, StartError, type Result, type Secret } from '../kernel/index.ts';

/**
 * Gives the Authorization header of a request, without a promise where it is at hand. A fault means that none could be
 * got, and so nothing was sent.
 */
export interface Authorizer {
  authorize(): Result<string | null> | Promise<Result<string | null>>;
  /** The header `refused` was answered by 401. Whether another one may fare better. */
  renew(refused: string): 'worth-a-try' | 'pointless';
}

const fixed = (header: string | null): Authorizer => ({
  authorize: () => ok(header),
  renew: () => 'pointless',
});

export const noAuthorizer = (): Authorizer => fixed(null);

export function bearerAuthorizer(token: Secret): Authorizer {
  if (!/^[\x21-\x7e]+$/.test(token.reveal()))
    throw new StartError('ehr.token', 'CHARTGATE_EHR_TOKEN holds characters that no header can carry.');
  return fixed(`Bearer ${token.reveal()}`);
}

/** RFC 7617 in UTF-8. */
export const basicAuthorizer = (username: string, password: Secret): Authorizer =>
  fixed(`Basic ${Buffer.from(`${username}:${password.reveal()}`, 'utf8').toString('base64')}`);
