import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** What the provider says of each person, by `sub`. */
export type People = Map<string, Readonly<Record<string, unknown>>>;

export interface OpenIdProvider {
  readonly issuer: string;
  readonly people: People;
  stop(): void;
}

/** An identity provider of somebody else's making on loopback. Anybody signs in there by any password. */
export async function startOpenIdProvider(
  {
    keys,
    ...client
  }: {
    readonly client_id: string;
    readonly redirect_uris?: string[];
    /** Of a client that signs; the provider fetches them, as from elsewhere. */
    readonly keys?: readonly unknown[];
  } & Record<string, unknown>,
  people: People,
): Promise<OpenIdProvider & { redirectTo(uri: string): void }> {
  const answering: { handle?: ReturnType<Provider['callback']> } = {};
  const server: Server = createServer((request, response) => {
    if (request.url === '/client-keys') response.end(JSON.stringify({ keys }));
    else void answering.handle?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const names = [...people.values()].flatMap((claims) => Object.keys(claims));
  /** Its client is registered once our own address is known. */
  const redirectTo = (uri: string): void => {
    const provider = new Provider(issuer, {
      clients: [
        {
          application_type: 'native',
          ...client,
          ...(keys === undefined ? {} : { jwks_uri: `${issuer}/client-keys` }),
          redirect_uris: [uri],
        },
      ],
      claims: { openid: ['sub'], profile: ['name', 'preferred_username', ...new Set(names)] },
      enabledJWA: { clientAuthSigningAlgValues: ['RS256', 'ES384'] },
      // Its own would refuse loopback.
      fetch: (url) => fetch(url),
      cookies: { keys: ['only-for-this-test'] },
      features: { rpInitiatedLogout: { enabled: true } },
      findAccount: (_ctx, id) => ({
        accountId: id,
        claims: () => ({ sub: id, name: `Person ${id}`, preferred_username: id, ...people.get(id) }),
      }),
    });
    provider.on('server_error', () => undefined);
    answering.handle = provider.callback();
  };
  for (const uri of client.redirect_uris ?? []) redirectTo(uri);
  return {
    issuer,
    people,
    redirectTo,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A browser of its own for the provider: signs in there and consents, and says where it is led back to. */
export async function signInThere(start: string, login: string, cookies = new Map<string, string>()): Promise<string> {
  const { origin } = new URL(start);
  let url = start;
  let form: URLSearchParams | null = null;
  for (let n = 0; n < 20; n += 1) {
    const answer: Response = await fetch(url, {
      redirect: 'manual',
      method: form === null ? 'GET' : 'POST',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === null ? {} : { body: form }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location !== null) {
      url = new URL(location, url).href;
      form = null;
      if (new URL(url).origin !== origin) return url;
      continue;
    }
    const page = await answer.text();
    const action = /action="([^"]+)"/.exec(page)?.[1];
    if (action === undefined) throw new Error(`no form: ${page.slice(-500)}`);
    url = new URL(action, url).href;
    form = new URLSearchParams({ prompt: page.includes('value="login"') ? 'login' : 'consent', login, password: 'x' });
  }
  throw new Error('led in circles');
}
