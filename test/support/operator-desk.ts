import {
  authenticateAnybody,
  makeOperatorRoutes,
  makeRecordAct,
  makeRecordActLater,
  makeSessionRoutes,
  serveRoute,
  serveSessionRoute,
} from '../../src/admin/index.ts';
import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TOTP } from 'otpauth';
import { auditSet } from '../../src/audit/index.ts';
import { makeApp } from '../../src/http/index.ts';
import { jsonAnswer, NO_PEERS, ok, secret, type Route } from '../../src/kernel/index.ts';
import { makeOperators, operatorSet, type FactorPolicy, type ProviderSettings } from '../../src/operators/index.ts';
import { testClock } from './clock.ts';
import { collectLog } from './collect-log.ts';
import { eventually } from './eventually.ts';
import { newId } from './gateway.ts';
import { sqlitePlace, type Place } from './new-store.ts';
import { readAuditSet } from './read-audit/index.ts';
import { stopAfterTest } from './stop-after-test.ts';

export const ADMIN_TOKEN = 'desk-admin-token-of-thirty-two-or-more';
export const PUBLIC_URL = 'http://localhost:8080';
export const GOOD_PASSWORD = 'gravel-untold-mimic-7';
const COOKIE = '__Host-chartgate-operator';

export interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

/** What a browser does for a page of ours: keeps the cookie, says where it comes from, sends the session's token. */
export class Browser {
  cookie: string | null = null;
  csrf: string | null = null;
  readonly #base: string;
  constructor(base: string) {
    this.#base = base;
  }
  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string | null>> = {},
  ): Promise<Answered> {
    const all: Record<string, string | null> = {
      origin: PUBLIC_URL,
      cookie: this.cookie === null ? null : `${COOKIE}=${this.cookie}`,
      'x-chartgate-csrf': this.csrf,
      ...headers,
    };
    const sent = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== null);
    const answer = await fetch(`${this.#base}${path}`, {
      method,
      headers: Object.fromEntries(sent),
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, value] = new RegExp(`^${COOKIE}=([^;]*)`).exec(line) ?? [];
      if (value !== undefined) this.cookie = value === '' ? null : value;
    }
    const text = await answer.text();
    const parsed = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { text };
    if (typeof parsed['csrf'] === 'string') this.csrf = parsed['csrf'];
    return { status: answer.status, body: parsed, headers: answer.headers };
  }
  session(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string | null>>) {
    return this.ask(method, `/admin/api/session${path}`, body, headers);
  }
  /** A name and password, and what comes of it. */
  signIn(name: string, password = GOOD_PASSWORD) {
    return this.session('POST', '', { name, password });
  }
}

/** The sign-in of operators with a store of its own and a clock that stands still. */
export async function openDesk(
  more: {
    readonly policy?: FactorPolicy;
    readonly provider?: ProviderSettings;
    /** How browsers reach it: under the address that tests pretend to, or, for a real one, where it is. */
    readonly reached?: 'as-pretended' | 'as-it-is';
    readonly makePlace?: () => Promise<Place>;
    /** Beside those of the operators themselves. */
    readonly routes?: readonly Route[];
  } = {},
) {
  let answer: RequestListener = () => undefined;
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stopAfterTest(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  const publicUrl = more.reached === 'as-it-is' ? `http://localhost:${port}` : PUBLIC_URL;
  const place = await (more.makePlace ?? sqlitePlace)();
  stopAfterTest(() => place.remove());
  const store = await place.open({ sets: [auditSet, operatorSet, readAuditSet] });
  const clock = testClock();
  const denied: { readonly why: string }[] = [];
  const operators = makeOperators({
    tenant: 'default',
    publicUrl,
    policy: more.policy ?? 'administrators',
    adminToken: secret(ADMIN_TOKEN),
    pseudonymKey: randomBytes(32),
    store: store.use(operatorSet),
    deny: (refused) => void denied.push(refused),
    peers: NO_PEERS,
    newId,
    chance: randomBytes,
    clock,
    provider: more.provider ?? null,
  });
  const log = collectLog();
  const audit = store.use(auditSet);
  const recorders = {
    record: makeRecordAct({ tenant: 'default', audit, clock }),
    restrictedAmong: () => Promise.resolve(ok([])),
    recordLater: makeRecordActLater({
      tenant: 'default',
      appendLater: (draft) => void audit.writeBehind('audit.append', draft),
      clock,
    }),
  };
  const app = makeApp({
    routes: [
      ...operators.routes,
      ...makeSessionRoutes(operators).map((route) => serveSessionRoute(route, operators.admit)),
      ...makeOperatorRoutes(operators).map((route) => serveRoute(route, { ...recorders, openHandle: () => null })),
      ...(more.routes ?? []),
      {
        method: 'get',
        path: '/admin/api/probe',
        access: 'admin',
        permission: 'targets.act',
        handle: () => ok(jsonAnswer(200, { probe: 'ok' })),
      },
      {
        method: 'post',
        path: '/admin/api/probe',
        access: 'admin',
        permission: 'targets.act',
        handle: () => ok(jsonAnswer(200, { probe: 'ok' })),
      },
    ],
    trustProxy: [],
    authenticate: authenticateAnybody({ token: secret(ADMIN_TOKEN), operators: operators.authenticate, clock }),
    newId,
    clock,
    log,
    observe: () => undefined,
    isDraining: () => false,
  });
  answer = app;
  const browser = (): Browser => new Browser(base);

  /** As whoever has a key. */
  const machine = (key = ADMIN_TOKEN) => {
    const plain = new Browser(base);
    return (method: string, path: string, body?: unknown) =>
      plain.ask(method, `/admin/api/${path}`, body, { authorization: `Bearer ${key}`, origin: null });
  };

  /** Makes an operator and sets their password by the link. */
  async function addOperator(name: string, roles: readonly string[], password = GOOD_PASSWORD): Promise<string> {
    const made = await machine()('POST', 'operators', { name, displayName: `Person ${name}`, roles });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    const link = new URL(String(made.body['link'])).hash.replace('#link=', '');
    const set = await browser().session('POST', '/link', { link, password });
    if (set.status !== 200) throw new Error(JSON.stringify(set.body));
    return String(made.body['id']);
  }

  const codeOf = (totpSecret: string, steps = 0): string =>
    new TOTP({ secret: totpSecret, algorithm: 'SHA1', digits: 6, period: 30 }).generate({
      timestamp: clock.now().getTime() + steps * 30_000,
    });

  /** An administrator with an authenticator app, signed in. */
  async function administrator(name = 'root.admin') {
    const id = await addOperator(name, ['administrator', 'engineer']);
    const own = browser();
    await own.signIn(name);
    const begun = await own.session('POST', '/factors/totp');
    const totp = String(begun.body['secret']);
    const done = await own.session('POST', '/factors/totp/finish', { code: codeOf(totp) });
    if (done.status !== 200) throw new Error(JSON.stringify([begun.body, done.body]));
    return { id, name, totp, own };
  }

  /** Being seen is written behind the answer. */
  const seenNow = (by: Browser): Promise<number | null> =>
    eventually(
      async () => {
        const asked = { tenant: 'default', secret: by.cookie ?? '' };
        const found = await store.use(operatorSet).read('operator.session', asked);
        return found.ok && found.value !== null ? found.value.session.seenAtMs : null;
      },
      (seenAtMs) => seenAtMs === clock.now().getTime(),
    );

  const records = async () => {
    const found = await store.use(readAuditSet).read('audit-test.everything', null);
    if (!found.ok) throw new Error(found.fault.code);
    return found.value.records.map(({ record }) => JSON.parse(record) as Readonly<Record<string, unknown>>);
  };

  return {
    base,
    publicUrl,
    clock,
    store,
    log,
    denied,
    browser,
    machine,
    addOperator,
    administrator,
    codeOf,
    records,
    seenNow,
    operators,
  };
}
export type Desk = Awaited<ReturnType<typeof openDesk>>;
