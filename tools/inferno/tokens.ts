import { createHash, randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { z } from 'zod';
import { askJson } from './ask-json.ts';
import type { TestedGateway } from './gateway.ts';
import { pressPages } from './press-pages.ts';

const Token = z.object({ access_token: z.string() });

const askToken = async (gateway: TestedGateway, form: Readonly<Record<string, string>>): Promise<string> =>
  Token.parse(await askJson('POST', `${gateway.url}/auth/token`, { body: new URLSearchParams(form) })).access_token;

/** A token of a backend app. */
export async function systemToken(gateway: TestedGateway, scope: string): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair('ES384');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'run', alg: 'ES384', use: 'sig' }] };
  const { id } = await gateway.addApp({ kind: 'backend', scope, jwks });
  const assertion = await new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES384', kid: 'run', typ: 'JWT' })
    .setIssuer(id)
    .setSubject(id)
    .setAudience(`${gateway.url}/auth/token`)
    .setExpirationTime('4m')
    .sign(privateKey);
  return askToken(gateway, {
    grant_type: 'client_credentials',
    scope,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  });
}

/** A token of an app that somebody signed in to: the code is caught on its way back to `app`, where nobody wants it. */
export async function signedInToken(
  gateway: TestedGateway,
  browser: Browser,
  asked: { readonly scope: string; readonly mrn: string; readonly app: string },
): Promise<string> {
  const redirect = `${asked.app}/back`;
  const { id } = await gateway.addApp({ kind: 'public', scope: asked.scope, redirectUris: [redirect] });
  const verifier = `${randomUUID()}${randomUUID()}`;
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: id,
    redirect_uri: redirect,
    scope: asked.scope,
    state: randomUUID(),
    aud: gateway.fhir,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const back = await pressPages(browser, `${gateway.url}/auth/authorize?${query.toString()}`, {
    account: gateway.account,
    mrn: asked.mrn,
    app: asked.app,
  });
  const code = new URL(back).searchParams.get('code');
  if (code === null) throw new Error('the sign-in pages led back without a code');
  return askToken(gateway, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirect,
    client_id: id,
    code_verifier: verifier,
  });
}
