import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as client from 'openid-client';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { ACT, approve, must, newPkce, PASSWORD, startAuth, type AuthServer } from '../../support/auth-server.ts';
import { allowPlainHttp } from '../../support/plain-http.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

const REDIRECT = 'https://app.example/callback';
const SCOPE =
  'launch/patient openid fhirUser offline_access patient/*.rs user/Practitioner.rs patient/Observation.read';

let place: Place;
let server: AuthServer;
let publicId = '';
beforeAll(async () => {
  place = await sqlitePlace();
  server = await startAuth(place);
  must(
    await server.auth.registry.addAccount(ACT, {
      username: 'drsmith',
      name: 'Dr Test Smith',
      fhirUser: 'Practitioner/prac-1',
      password: PASSWORD,
    }),
  );
  const registered = must(
    await server.auth.registry.addClient(ACT, {
      name: 'Growth Chart',
      kind: 'public',
      scope: `launch online_access ${SCOPE}`,
      redirectUris: [REDIRECT],
    }),
  );
  publicId = registered.client.id;
});
afterAll(async () => {
  await server.stop();
  await place.remove();
});

describe('a public app, standalone', () => {
  test('openid-client gets a token with a patient, an id token and a refresh token', async () => {
    const config = await client.discovery(new URL(server.issuer), publicId, undefined, client.None(), {
      execute: [allowPlainHttp],
    });
    const { verifier, challenge } = newPkce();
    const state = 'exact ~state/+%';
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      scope: SCOPE,
      aud: server.fhir,
      state,
      nonce: 'n-1',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    const back = await approve(url.href, { patient: 'pat-3' });
    expect(back.searchParams.get('state')).toBe(state);
    const tokens = await client.authorizationCodeGrant(config, back, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: 'n-1',
    });
    expect(tokens).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      scope: SCOPE,
      patient: 'pat-3',
      need_patient_banner: true,
      smart_style_url: expect.stringMatching(/\/auth\/style-[0-9a-f]+\.json$/),
    });
    expect(tokens.claims()).toMatchObject({
      iss: server.issuer,
      aud: publicId,
      fhirUser: `${server.fhir}/Practitioner/prac-1`,
    });
    const keys = (await (await fetch(`${server.issuer}/jwks`)).json()) as JSONWebKeySet;
    const { protectedHeader } = await jwtVerify(tokens.id_token ?? '', createLocalJWKSet(keys));
    expect(protectedHeader.alg).toBe('RS256');
    const grant = must(await server.auth.verifyToken(`Bearer ${tokens.access_token}`));
    expect(grant).toMatchObject({
      clientId: publicId,
      patient: 'pat-3',
      encounter: null,
      fhirUser: 'Practitioner/prac-1',
    });
    expect(grant.scopes.map(({ text }) => text)).toEqual([
      'patient/*.rs',
      'user/Practitioner.rs',
      'patient/Observation.read',
    ]);

    const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(renewed).toMatchObject({ scope: SCOPE, patient: 'pat-3' });
    expect(must(await server.auth.verifyToken(`Bearer ${renewed.access_token}`)).patient).toBe('pat-3');
  });
});
