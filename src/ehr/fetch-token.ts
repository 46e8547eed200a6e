import type { Dispatcher } from 'undici';
import { fail, fault, ok, type Result } from '../kernel/index.ts';
import { nameSilence } from './name-silence.ts';

export interface Token {
  readonly header: string;
  readonly expiresInMs: number;
}

export type FetchToken = (tokenUrl: string, form: Readonly<Record<string, string>>) => Promise<Result<Token>>;

const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
/** RFC 6749 only recommends expires_in. */
const UNSAID_SECONDS = 60;

function parseToken(text: string): Token | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  const { access_token: token, token_type: type, expires_in: expires } = (parsed ?? {}) as Record<string, unknown>;
  if (typeof token !== 'string' || !TOKEN.test(token)) return null;
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') return null;
  // Some servers send it as text.
  const seconds = expires === undefined || expires === null ? UNSAID_SECONDS : Number(expires);
  if (!Number.isFinite(seconds) || seconds <= 0) return null;
  return { header: `Bearer ${token}`, expiresInMs: Math.min(seconds, 86_400) * 1000 };
}

/** Asks one token endpoint. The pool knows its origin alone, and a redirect is a refusal. */
export function makeFetchToken(deps: {
  readonly openPool: (origin: string) => Dispatcher;
  readonly deadlineMs: number;
}): {
  readonly fetchToken: FetchToken;
  close(): Promise<void>;
} {
  const pools = new Map<string, Dispatcher>();

  async function fetchToken(tokenUrl: string, form: Readonly<Record<string, string>>): Promise<Result<Token>> {
    const url = new URL(tokenUrl);
    const pool = pools.get(url.origin) ?? deps.openPool(url.origin);
    pools.set(url.origin, pool);
    try {
      const answer = await pool.request({
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          'user-agent': 'chartgate',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams(form).toString(),
        signal: AbortSignal.timeout(deps.deadlineMs),
      });
      const text = await answer.body.text();
      if (answer.statusCode === 200) {
        const token = parseToken(text);
        return token === null ? fail(fault('ehr.token')) : ok(token);
      }
      const isPassing = answer.statusCode >= 500 || [408, 425, 429].includes(answer.statusCode);
      return fail(fault(isPassing ? 'ehr.token-unavailable' : 'ehr.token'));
    } catch (thrown) {
      return fail(fault('ehr.token-unavailable', { cause: nameSilence(thrown, 'something').cause }));
    }
  }

  async function close(): Promise<void> {
    await Promise.all([...pools.values()].map((pool) => pool.destroy()));
  }

  return { fetchToken, close };
}
