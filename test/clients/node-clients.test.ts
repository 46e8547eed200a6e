import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MedplumClient } from '@medplum/core';
import type { Bundle, Patient } from '@medplum/fhirtypes';
import { Client as KitClient } from 'fhir-kit-client';
import fhirclient from 'fhirclient';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as oidc from 'openid-client';
import { DEMO_PATIENTS, DEMO_STRANGER } from '../../sandbox/index.ts';
import { approve } from '../support/auth-server.ts';
import { CLINICIAN, EVERY_SCOPE, startWhole, type Registered, type Whole } from './whole.ts';

const REDIRECT = 'http://localhost:9999/cb';
const PATIENT = DEMO_PATIENTS[1]?.id ?? '';
const OTHER = DEMO_PATIENTS[0]?.id ?? '';

let whole: Whole;
let app: Registered;
beforeAll(async () => {
  whole = await startWhole();
  app = await whole.register({
    name: 'Growth Chart',
    kind: 'public',
    scope: EVERY_SCOPE,
    redirectUris: [REDIRECT],
    launchUrl: 'http://localhost:9999/launch',
  });
});
afterAll(() => whole.stop());

/** What fhirclient wants of a server: a place to keep things, and requests that it only looks at. */
function newSmart() {
  const kept = new Map<string, unknown>();
  const storage = {
    get: (key: string) => Promise.resolve(kept.get(key)),
    set: (key: string, value: unknown) => {
      kept.set(key, value);
      return Promise.resolve(value);
    },
    unset: (key: string) => Promise.resolve(kept.delete(key)),
  };
  return (url: string) =>
    fhirclient(
      { url, headers: { host: 'localhost:9999' }, socket: {} } as unknown as IncomingMessage,
      {} as ServerResponse,
      storage,
    );
}

async function authorized(asked: { readonly launch?: string; readonly scope: string }) {
  const smart = newSmart();
  const address = await smart('/launch').authorize({
    iss: whole.fhir,
    clientId: app.id,
    redirectUri: REDIRECT,
    noRedirect: true,
    pkceMode: 'required',
    ...asked,
  });
  const back = await approve(String(address), { ...CLINICIAN, patient: PATIENT });
  return smart(`/cb${back.search}`).ready();
}

describe('fhirclient on a server', () => {
  test('standalone: reads the patient who was chosen, searches with pages, renews', async () => {
    const client = await authorized({ scope: 'launch/patient openid fhirUser offline_access patient/*.rs' });
    expect(client.patient.id).toBe(PATIENT);
    const patient = await client.patient.read<Patient>();
    expect(patient.id).toBe(PATIENT);
    expect(client.user.fhirUser).toContain('Practitioner/demo-clinician');
    const clinician = await client.user.read();
    expect(clinician).toMatchObject({ resourceType: 'Practitioner', id: 'demo-clinician' });
    const all = await client.patient.request<{ id: string }[]>('Condition?_count=1', { pageLimit: 0, flat: true });
    expect(all.length).toBeGreaterThan(0);
    const before = client.state.tokenResponse?.access_token;
    await client.refresh();
    expect(client.state.tokenResponse?.access_token).not.toBe(before);
    expect((await client.patient.read<Patient>()).id).toBe(PATIENT);
    await expect(client.request(`Patient/${OTHER}`)).rejects.toThrow(/404|not found|Not Found/i);
  });

  test('launched by an EHR: the patient is the one of the launch, and nobody is asked for one', async () => {
    const { launch } = await whole.launch(app.id, OTHER);
    const client = await authorized({ launch, scope: 'launch openid fhirUser online_access patient/Patient.rs' });
    expect(client.patient.id).toBe(OTHER);
    expect((await client.patient.read<Patient>()).id).toBe(OTHER);
  });
});

describe('other clients with a token', () => {
  let token = '';
  beforeAll(async () => {
    const config = await oidc.discovery(new URL(`${whole.url}/auth`), app.id, undefined, oidc.None(), {
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the gateway under test speaks http on loopback
      execute: [oidc.allowInsecureRequests],
    });
    const verifier = oidc.randomPKCECodeVerifier();
    const address = oidc.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      scope: 'launch/patient openid patient/*.rs',
      aud: whole.fhir,
      state: 's',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const back = await approve(address.href, { ...CLINICIAN, patient: PATIENT });
    const tokens = await oidc.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier, expectedState: 's' });
    token = tokens.access_token;
  });

  test('fhir-kit-client finds the endpoints, reads, searches both ways, turns pages', async () => {
    const client = new KitClient({ baseUrl: whole.fhir });
    const { tokenUrl, authorizeUrl } = (await client.smartAuthMetadata()) as unknown as Record<string, URL>;
    expect([String(authorizeUrl), String(tokenUrl)]).toEqual([
      `${whole.url}/auth/authorize`,
      `${whole.url}/auth/token`,
    ]);
    client.bearerToken = token;
    expect(await client.read({ resourceType: 'Patient', id: PATIENT })).toMatchObject({ id: PATIENT });
    const searchParams = { patient: PATIENT, _count: 1 };
    const byGet = (await client.search({ resourceType: 'Encounter', searchParams })) as unknown as Bundle;
    const byPost = (await client.search({
      resourceType: 'Encounter',
      searchParams,
      options: { postSearch: true },
    })) as unknown as Bundle;
    expect(byPost.entry?.map(({ resource }) => resource?.id)).toEqual(byGet.entry?.map(({ resource }) => resource?.id));
    await expect(client.read({ resourceType: 'Patient', id: DEMO_STRANGER.id })).rejects.toMatchObject({
      response: { status: 404 },
    });
  });

  test('MedplumClient reads and searches', async () => {
    const client = new MedplumClient({ baseUrl: `${whole.url}/`, fhirUrlPath: 'fhir', accessToken: token, fetch });
    expect(await client.readResource('Patient', PATIENT)).toMatchObject({ id: PATIENT });
    const found = await client.searchResources('Condition', { patient: PATIENT });
    expect(found.length).toBeGreaterThan(0);
    expect(found.every(({ subject }) => subject.reference === `Patient/${PATIENT}`)).toBe(true);
  });
});
