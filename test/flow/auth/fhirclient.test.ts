import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createRequire } from 'node:module';
import { approve, startScene, type App, type Scene } from '../../support/auth-server.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

interface SmartClient {
  readonly patient: { readonly id: string };
  readonly state: { readonly tokenResponse: Readonly<Record<string, unknown>> };
  getFhirUser(): string | null;
  refresh(): Promise<{ readonly tokenResponse: Readonly<Record<string, unknown>> }>;
}
interface Smart {
  authorize(options: Record<string, unknown>): Promise<string>;
  ready(): Promise<SmartClient>;
}
type MakeSmart = (request: object, response: object, storage: object) => Smart;
const smart = createRequire(import.meta.url)('fhirclient') as MakeSmart;

let place: Place;
let scene: Scene;
let app: App;
beforeAll(async () => {
  place = await sqlitePlace();
  scene = await startScene(place);
  app = await scene.register();
});
afterAll(async () => {
  await scene.server.stop();
  await place.remove();
});

test('fhirclient, as it comes, launches, has its patient and user, and refreshes without saying who it is', async () => {
  const kept = new Map<string, unknown>();
  const storage = {
    get: (key: string) => Promise.resolve(kept.get(key)),
    set: (key: string, value: unknown) => Promise.resolve(kept.set(key, value)).then(() => value),
    unset: (key: string) => Promise.resolve(kept.delete(key)),
  };
  const at = (url: string): Smart => smart({ url, headers: { host: 'app.example' }, socket: {} }, {}, storage);
  const url = await at('/launch').authorize({
    iss: scene.server.fhir,
    clientId: app.id,
    scope: 'launch/patient openid fhirUser offline_access patient/*.rs',
    redirectUri: 'https://app.example/callback',
    noRedirect: true,
    pkceMode: 'required',
  });
  const back = await approve(url, { patient: 'pat-8' });
  const client = await at(`${back.pathname}${back.search}`).ready();
  expect([client.patient.id, client.getFhirUser()]).toEqual(['pat-8', 'Practitioner/prac-1']);
  const before = client.state.tokenResponse['access_token'];
  const { tokenResponse } = await client.refresh();
  expect(tokenResponse['access_token']).not.toBe(before);
  expect((await scene.verify(String(tokenResponse['access_token']))).ok).toBe(true);
});
