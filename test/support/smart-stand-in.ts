import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An authorization server and a FHIR base in front of an EHR, no more than an app needs to be launched and to read. */
export interface StandIn {
  readonly url: string;
  /** What the app asked for when it came to sign in, the newest last. */
  readonly asked: Readonly<Record<string, string>>[];
  /** How many access tokens were given for a refresh token. */
  readonly refreshes: () => number;
  /** From now on no access token is good that was given before. */
  expireTokens(): void;
  refuseRefresh(): void;
  stop(): Promise<void>;
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of req as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

/** Who is signed in: the clinician of the demo EHR. */
const USER = 'Practitioner/demo-clinician';
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export async function startStandIn(deps: {
  readonly ehrUrl: string;
  readonly patient: string;
  /** Null: no refresh token is given. */
  readonly refresh: 'given' | null;
}): Promise<StandIn> {
  const asked: Record<string, string>[] = [];
  const codes = new Map<string, { challenge: string; redirectUri: string }>();
  let good = new Set<string>();
  let refreshToken: string | null = null;
  let refreshes = 0;
  let url = '';

  const json = (res: ServerResponse, status: number, body: unknown): void => {
    res
      .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      .end(JSON.stringify(body));
  };
  const grant = (res: ServerResponse): void => {
    const accessToken = randomUUID();
    good.add(accessToken);
    if (deps.refresh === 'given') refreshToken = randomUUID();
    json(res, 200, {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: 300,
      scope: asked.at(-1)?.['scope'] ?? '',
      patient: deps.patient,
      id_token: `${part({ alg: 'none' })}.${part({ sub: 'stand-in', fhirUser: USER })}.`,
      ...(refreshToken === null ? {} : { refresh_token: refreshToken }),
    });
  };

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const at = new URL(req.url ?? '/', url);
    res.setHeader('access-control-allow-origin', req.headers.origin ?? '*');
    if (req.method === 'OPTIONS') {
      res.writeHead(204, { 'access-control-allow-headers': 'authorization, content-type, accept' }).end();
    } else if (at.pathname === '/fhir/.well-known/smart-configuration') {
      json(res, 200, {
        authorization_endpoint: `${url}/auth/authorize`,
        token_endpoint: `${url}/auth/token`,
        code_challenge_methods_supported: ['S256'],
        capabilities: ['launch-ehr', 'launch-standalone', 'client-public'],
      });
    } else if (at.pathname === '/auth/authorize') {
      const given = Object.fromEntries(at.searchParams);
      asked.push(given);
      const code = randomUUID();
      codes.set(code, { challenge: given['code_challenge'] ?? '', redirectUri: given['redirect_uri'] ?? '' });
      res
        .writeHead(302, { location: `${given['redirect_uri'] ?? ''}?code=${code}&state=${given['state'] ?? ''}` })
        .end();
    } else if (at.pathname === '/auth/token') {
      const form = new URLSearchParams(await bodyOf(req));
      if (form.get('grant_type') === 'refresh_token') {
        if (refreshToken === null || form.get('refresh_token') !== refreshToken) {
          json(res, 400, { error: 'invalid_grant' });
          return;
        }
        refreshes += 1;
        grant(res);
        return;
      }
      const code = codes.get(form.get('code') ?? '');
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (code?.challenge !== challenge || code.redirectUri !== form.get('redirect_uri')) {
        json(res, 400, { error: 'invalid_grant' });
        return;
      }
      grant(res);
      return;
    } else if (at.pathname.startsWith('/fhir/')) {
      if (!good.has((req.headers.authorization ?? '').replace(/^Bearer /, ''))) {
        json(res, 401, { error: 'invalid_token' });
        return;
      }
      const passed = await fetch(`${deps.ehrUrl}${at.pathname.slice('/fhir'.length)}${at.search}`);
      const body = (await passed.text()).replaceAll(deps.ehrUrl, `${url}/fhir`);
      res.writeHead(passed.status, { 'content-type': 'application/fhir+json' }).end(body);
    } else res.writeHead(404).end();
  }

  const server = createServer((req, res) => {
    answer(req, res).catch(() => res.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    refreshes: () => refreshes,
    expireTokens: () => void (good = new Set()),
    refuseRefresh: () => void (refreshToken = null),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
