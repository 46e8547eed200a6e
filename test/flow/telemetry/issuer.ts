import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An issuer elsewhere, which is asked about tokens: each is good for what was said of it. */
export async function startIssuer(audience: () => string) {
  const tokens = new Map<string, object>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const claims = tokens.get(new URLSearchParams(body).get('token') ?? '');
      const exp = Math.floor(Date.now() / 1000) + 600;
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify(
          claims === undefined
            ? { active: false }
            : { active: true, exp, aud: audience(), client_id: 'app', jti: 'j1', ...claims },
        ),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    settings: {
      CHARTGATE_AUTH_ISSUER: url,
      CHARTGATE_AUTH_INTROSPECTION_URL: `${url}/introspect`,
      CHARTGATE_AUTH_CLIENT_ID: 'gateway',
      CHARTGATE_AUTH_CLIENT_SECRET: 'secret-of-the-gateway',
    },
    add: (token: string, claims: object) => void tokens.set(token, claims),
    stop: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}
