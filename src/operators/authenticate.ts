import type { IncomingMessage } from 'node:http';
import { fail, fault, ok, type Result } from '../kernel/index.ts';
import { API_KEY, KEY_USED_EVERY_MS } from './api-key.ts';
import { checkCsrf } from './check-csrf.ts';
import type { FoundSession } from './commands.ts';
import { readCookie, SESSION_COOKIE } from './cookie.ts';
import { decideCaller, STATIC_KEY, type Caller } from './decide-caller.ts';
import { SECRET, type OperatorDeps } from './deps.ts';
import { SEEN_EVERY_MS } from './session.ts';

/** A session as a request holds it. */
export interface Held extends FoundSession {
  readonly secret: string;
}
export interface Authenticated {
  readonly caller: Caller;
  /** Null for a key. */
  readonly held: Held | null;
}

type Asked = Pick<IncomingMessage, 'headers' | 'method'>;
type Deps = Pick<OperatorDeps, 'tenant' | 'publicUrl' | 'policy' | 'adminToken' | 'store' | 'now'>;

/** Nobody is at a page that asks by itself, nor at a stream that a browser opens again and again. */
const isAttended = ({ headers }: Asked): boolean =>
  headers['x-chartgate-unattended'] !== 'yes' && !(headers.accept ?? '').includes('text/event-stream');

const nobody = fail(fault('operator.unauthenticated'));

const bearerOf = ({ headers }: Asked): string | null =>
  headers.authorization === undefined ? null : (/^Bearer ([\x21-\x7e]+)$/i.exec(headers.authorization)?.[1] ?? '');

/** Who asks, by API key or by session. What changes something by a session is checked to come from our own page. */
export function makeIdentify(deps: Deps) {
  const { tenant, store } = deps;

  async function byKey(bearer: string): Promise<Result<Authenticated>> {
    if (deps.adminToken?.equals(bearer) === true) return ok({ caller: STATIC_KEY, held: null });
    if (!API_KEY.test(bearer)) return nobody;
    const found = await store.read('operator.key', { tenant, secret: bearer });
    if (!found.ok) return found;
    const key = found.value;
    const nowMs = deps.now().getTime();
    if (key === null) return nobody;
    const caller = decideCaller({ kind: 'key', key }, nowMs, deps.policy);
    if (caller.ok && nowMs - (key.usedAtMs ?? 0) >= KEY_USED_EVERY_MS)
      void store.writeBehind('operator.key-used', { tenant, id: key.id, atMs: nowMs });
    return caller.ok ? ok({ caller: caller.value, held: null }) : caller;
  }

  async function bySession(request: Asked, secret: string): Promise<Result<Authenticated>> {
    if (!SECRET.test(secret)) return nobody;
    const found = await store.read('operator.session', { tenant, secret });
    if (!found.ok) return found;
    if (found.value === null) return nobody;
    const nowMs = deps.now().getTime();
    const caller = decideCaller({ kind: 'session', ...found.value }, nowMs, deps.policy);
    if (!caller.ok) return caller;
    const same = checkCsrf(request, deps.publicUrl, secret);
    if (!same.ok) return same;
    const { id, seenAtMs } = found.value.session;
    if (caller.value.stage === 'signed-in' && isAttended(request) && nowMs - seenAtMs >= SEEN_EVERY_MS)
      void store.writeBehind('operator.seen', { tenant, id, atMs: nowMs });
    return ok({ caller: caller.value, held: { ...found.value, secret } });
  }

  return async (request: Asked): Promise<Result<Authenticated>> => {
    const bearer = bearerOf(request);
    if (bearer !== null) return byKey(bearer);
    const secret = readCookie(request, SESSION_COOKIE);
    return secret === null ? nobody : bySession(request, secret);
  };
}
export type Identify = ReturnType<typeof makeIdentify>;

/** Who asks and what they may, for routes that decide by permission. */
export type Authenticate = (request: Asked) => Promise<Result<Caller>>;
export function makeAuthenticate(deps: Deps): Authenticate {
  const identify = makeIdentify(deps);
  return async (request) => {
    const found = await identify(request);
    return found.ok ? ok(found.value.caller) : found;
  };
}

/** Whether a request brings a session or an API key, whatever they are worth. */
export function isOfOperator(request: Asked): boolean {
  const bearer = bearerOf(request);
  return bearer === null ? readCookie(request, SESSION_COOKIE) !== null : API_KEY.test(bearer);
}
