import { authenticateByToken } from '../../src/admin/index.ts';
import { createHash, randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { auditSet } from '../../src/audit/index.ts';
import {
  authSet,
  LOCAL_SIGN_IN,
  makeAuth,
  type Auth,
  type PatientDirectory,
  type PractitionerDirectory,
  type ShownEncounter,
  type ShownPatient,
  type SignInSettings,
} from '../../src/auth/index.ts';
import { drainServer, listen, makeApp, makeServer } from '../../src/http/index.ts';
import { fail, fault, NO_PEERS, ok, secret, systemClock, type Clock, type Result } from '../../src/kernel/index.ts';
import { isResourceType } from '../../src/r4/index.ts';
import { collectLog } from './collect-log.ts';
import { newId } from './gateway.ts';
import type { Place } from './new-store.ts';
import { readAuditSet } from './read-audit/index.ts';

export const PASSWORD = 'correct horse battery';
const PATIENTS: readonly ShownPatient[] = Array.from({ length: 25 }, (_, i) => ({
  id: `pat-${i + 1}`,
  mrn: `MRN${i + 1}`,
  name: `Test Person ${i + 1}`,
  birthDate: '1970-01-02',
  gender: 'female',
}));

const encountersOf = (patient: string): readonly ShownEncounter[] =>
  patient === 'pat-2'
    ? []
    : [{ id: `enc-of-${patient}`, what: 'Office visit', from: '2026-01-02 09:00', to: null, status: 'in-progress' }];

export const somePatients: PatientDirectory = {
  list: ({ cursor, wanted: { name, birthDate, mrn } }) => {
    const found = PATIENTS.filter(
      (one) =>
        (mrn === '' || one.mrn === mrn) &&
        (birthDate === '' || one.birthDate === birthDate) &&
        one.name.toLowerCase().includes(name.toLowerCase()),
    );
    const from = Number(cursor ?? 0);
    const next = from + 10 < found.length ? String(from + 10) : null;
    return Promise.resolve(ok({ patients: found.slice(from, from + 10), next, isAll: true }));
  },
  find: (id) => Promise.resolve(ok(PATIENTS.find((one) => one.id === id) ?? null)),
  // All but the second have one encounter.
  findEncounter: (patient, encounter) =>
    Promise.resolve(ok(encountersOf(patient).find(({ id }) => id === encounter) ?? null)),
  encounters: (patient) =>
    Promise.resolve(
      patient === 'pat-3' ? fail(fault('ehr.timeout')) : ok({ encounters: encountersOf(patient), isAll: true }),
    ),
};

export const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(`${result.fault.code} ${result.fault.at ?? ''}`);
  return result.value;
};
export const ACT = { requestId: 'req_test', actor: 'operator' };

export interface AuthServer {
  readonly base: string;
  readonly issuer: string;
  readonly fhir: string;
  readonly auth: Auth;
  audit(): Promise<readonly Record<string, unknown>[]>;
  stop(): Promise<void>;
}

const nobodyKnown: PractitionerDirectory = { byIdentifier: () => Promise.resolve(ok({ kind: 'none' })) };

export const EHR_BASE = 'https://ehr.example/r4';

/** An app with the authorization server alone, on a store of one's own. Several may share a place, as replicas do. */
export async function startAuth(
  place: Place,
  more: {
    publicUrl?: string;
    clock?: Clock;
    external?: Parameters<typeof makeAuth>[0]['external'];
    trustProxy?: readonly string[];
    signIn?: Partial<SignInSettings>;
    practitioners?: PractitionerDirectory;
  } = {},
): Promise<AuthServer> {
  const store = await place.open({ sets: [auditSet, authSet, readAuditSet] });
  const clock = more.clock ?? systemClock;
  const log = collectLog();
  // The port must be known before the issuer: the server listens first and learns its routes then.
  const holder: { app: RequestListener | null } = { app: null };
  const server = makeServer((request, response) => holder.app?.(request, response), null);
  const port = await listen(server, '127.0.0.1', 0);
  const base = more.publicUrl ?? `http://localhost:${port}`;
  const auth = makeAuth({
    tenant: 'default',
    publicUrl: base,
    ehrBase: EHR_BASE,
    external: more.external ?? null,
    pseudonymKey: randomBytes(32),
    store: store.use(authSet),
    audit: store.use(auditSet),
    patients: somePatients,
    practitioners: more.practitioners ?? nobodyKnown,
    signIn: { ...LOCAL_SIGN_IN, ...more.signIn },
    isType: isResourceType,
    peers: NO_PEERS,
    clock,
    log,
  });
  await auth.start();
  holder.app = makeApp({
    routes: auth.routes,
    mounts: auth.mounts,
    trustProxy: more.trustProxy ?? [],
    authenticate: authenticateByToken(secret('x'.repeat(32))),
    newId,
    clock,
    log,
    observe: () => undefined,
    isDraining: () => false,
  });
  return {
    base: `http://localhost:${port}`,
    issuer: `${base}/auth`,
    fhir: `${base}/fhir`,
    auth,
    async audit() {
      auth.flush();
      const { records } = must(await store.use(readAuditSet).read('audit-test.everything', null));
      return records.map(({ record }) => JSON.parse(record) as Record<string, unknown>);
    },
    async stop() {
      auth.flush();
      await drainServer(server, 0, 2_000);
      await store.close();
    },
  };
}

/** Cookies by name, with their paths, as a browser keeps them. */
export class Browser {
  readonly jar = new Map<string, { value: string; path: string }>();
  readonly #headers: Readonly<Record<string, string>>;
  constructor(headers: Readonly<Record<string, string>> = {}) {
    this.#headers = headers;
  }

  async go(url: string, init: RequestInit = {}): Promise<Response> {
    const { pathname } = new URL(url);
    const cookie = [...this.jar]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([key, { value }]) => `${key.split('|')[0] ?? ''}=${value}`);
    const headers = new Headers({ ...this.#headers, ...(init.headers as Record<string, string> | undefined) });
    if (cookie.length > 0) headers.set('cookie', cookie.join('; '));
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const path = /path=([^;]+)/i.exec(line)?.[1] ?? '/';
      this.jar.set(`${name}|${path}`, { value, path });
    }
    return answer;
  }

  post(url: string, form: readonly (readonly [string, string])[]): Promise<Response> {
    const body = new URLSearchParams(form.map(([name, value]): [string, string] => [name, value])).toString();
    return this.go(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: new URL(url).origin },
    });
  }
}

export interface Approval {
  readonly username?: string;
  readonly password?: string;
  readonly patient?: string;
  /** Empty: none. */
  readonly encounter?: string;
  /** What stays ticked; null leaves all as they are. */
  readonly scopes?: readonly string[] | null;
  readonly cancel?: true;
}

const decode = (text: string): string =>
  text
    .replace(/&amp;/g, '&')
    .replace(/&#39;/g, "'")
    .replace(/&quot;/g, '"');

/** Goes through the pages as a person would; answers where the app is called back. */
export async function approve(authorizeUrl: string, how: Approval = {}, browser = new Browser()): Promise<URL> {
  let url = authorizeUrl;
  let answer = await browser.go(url);
  for (let step = 0; step < 12; step += 1) {
    const location = answer.headers.get('location');
    if (location !== null) {
      url = new URL(location, url).href;
      if (!url.startsWith(new URL(authorizeUrl).origin)) return new URL(url);
      answer = await browser.go(url);
      continue;
    }
    const text = await answer.text();
    const [, title = ''] = /<title>([^·<]+)/.exec(text) ?? [];
    const inputs = [...text.matchAll(/<input([^>]*)>/g)].map(([, attributes = '']) => attributes);
    const ticked = inputs
      .filter((one) => /checkbox/.test(one) && /\schecked/.test(one))
      .map((one) => decode(/value="([^"]*)"/.exec(one)?.[1] ?? ''));
    if (how.cancel === true && title.trim() !== 'Sign in') answer = await browser.post(url, [['step', 'cancel']]);
    else if (title.trim() === 'Sign in') {
      if (/role="alert"/.test(text)) throw new Error('not signed in');
      answer = await browser.post(url, [
        ['step', 'sign-in'],
        ['username', how.username ?? 'drsmith'],
        ['password', how.password ?? PASSWORD],
      ]);
    } else if (title.trim() === 'Choose a patient')
      answer = await browser.post(url, [
        ['step', 'patient'],
        ['patient', how.patient ?? 'pat-1'],
      ]);
    else if (title.trim() === 'Choose an encounter') {
      if (/role="alert"/.test(text) && how.encounter !== '') throw new Error('no encounter');
      answer = await browser.post(url, [
        ['step', 'encounter'],
        ['patient', how.patient ?? 'pat-1'],
        ['encounter', how.encounter ?? `enc-of-${how.patient ?? 'pat-1'}`],
      ]);
    } else if (title.trim() === 'Allow access') {
      const [, patient] = /name="patient" value="([^"]+)"/.exec(text) ?? [];
      const [, encounter] = /name="encounter" value="([^"]*)"/.exec(text) ?? [];
      answer = await browser.post(url, [
        ['step', 'allow'],
        ...(patient === undefined ? [] : [['patient', patient] as const]),
        ...(encounter === undefined ? [] : [['encounter', encounter] as const]),
        ...(how.scopes ?? ticked).map((scope) => ['scope', scope] as const),
      ]);
    } else throw new Error(`an unexpected page: ${title} ${text.slice(-300)}`);
  }
  throw new Error('no end');
}

export const newPkce = () => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

export const REDIRECT = 'https://app.example/callback';
export const SCOPE =
  'launch/patient openid fhirUser offline_access patient/*.rs user/Practitioner.rs patient/Observation.read';

export interface App {
  readonly id: string;
  readonly secret: string | null;
}

/** A server with one person, and how an app goes through it. */
export async function startScene(place: Place, more: Parameters<typeof startAuth>[1] = {}) {
  const server = await startAuth(place, more);
  must(
    await server.auth.registry.addAccount(ACT, {
      username: 'drsmith',
      name: 'Dr Test Smith',
      fhirUser: 'Practitioner/prac-1',
      password: PASSWORD,
    }),
  );
  const register = async (of: Record<string, unknown> = {}): Promise<App> => {
    const { client, secret: told } = must(
      await server.auth.registry.addClient(ACT, {
        name: 'Growth Chart',
        kind: 'public',
        scope: `launch launch/encounter online_access ${SCOPE}`,
        redirectUris: [REDIRECT],
        ...of,
      }),
    );
    return { id: client.id, secret: told };
  };
  const authorizeUrl = (app: App, challenge: string, params: Record<string, string | null> = {}): string => {
    const asked: Record<string, string | null> = {
      response_type: 'code',
      client_id: app.id,
      redirect_uri: REDIRECT,
      scope: SCOPE,
      state: 's-1',
      aud: server.fhir,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...params,
    };
    const given = Object.entries(asked).filter((pair): pair is [string, string] => pair[1] !== null);
    return `${server.issuer}/authorize?${new URLSearchParams(given).toString()}`;
  };
  const basic = (app: App): Record<string, string> =>
    app.secret === null ? {} : { authorization: `Basic ${Buffer.from(`${app.id}:${app.secret}`).toString('base64')}` };
  const post = async (path: string, form: Record<string, string>, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${server.issuer}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(form).toString(),
    });
    const text = await answer.text();
    const body = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>;
    return { status: answer.status, headers: answer.headers, body };
  };
  /** A code, and what belongs to it. */
  const codeFor = async (app: App, params: Record<string, string | null> = {}, how: Approval = {}) => {
    const { verifier, challenge } = newPkce();
    const back = await approve(authorizeUrl(app, challenge, params), how);
    return { verifier, challenge, back, code: back.searchParams.get('code') ?? '' };
  };
  const exchange = (app: App, code: string, verifier: string, form: Record<string, string> = {}) =>
    post(
      'token',
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: REDIRECT,
        code_verifier: verifier,
        ...(app.secret === null ? { client_id: app.id } : {}),
        ...form,
      },
      basic(app),
    );
  const tokensFor = async (app: App, params: Record<string, string | null> = {}, how: Approval = {}) => {
    const { code, verifier } = await codeFor(app, params, how);
    const { body } = await exchange(app, code, verifier);
    return body as Record<string, unknown> & { access_token: string; refresh_token: string; scope: string };
  };
  const verify = (token: string) => server.auth.verifyToken(`Bearer ${token}`);
  return { server, register, authorizeUrl, basic, post, codeFor, exchange, tokensFor, verify };
}
export type Scene = Awaited<ReturnType<typeof startScene>>;
