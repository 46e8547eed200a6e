import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export interface Backend {
  readonly id: string;
  token(scope?: string): Promise<string>;
}

type Admin = (
  method: string,
  path: string,
  body: object,
) => Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }>;

/** An app that acts for itself, by a key of its own, at the gateway of this address. */
export async function makeBackend(url: string, admin: Admin, scope: string): Promise<Backend> {
  const { publicKey, privateKey } = await generateKeyPair('ES384', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES384', use: 'sig' };
  const made = await admin('POST', 'clients', { name: 'Backend', kind: 'backend', scope, jwks: { keys: [jwk] } });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const id = String(made.body['id']);
  const tokenUrl = `${url}/auth/token`;
  return {
    id,
    async token(asked = scope) {
      const now = Math.floor(Date.now() / 1000);
      const assertion = await new SignJWT({})
        .setProtectedHeader({ alg: 'ES384', kid: 'k', typ: 'JWT' })
        .setIssuer(id)
        .setSubject(id)
        .setAudience(tokenUrl)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(now + 60)
        .sign(privateKey);
      const answer = await fetch(tokenUrl, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          scope: asked,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: assertion,
        }),
      });
      const said = (await answer.json()) as { access_token?: string };
      if (said.access_token === undefined) throw new Error(JSON.stringify(said));
      return said.access_token;
    },
  };
}
