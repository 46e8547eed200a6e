import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { eventually } from '../../test/support/eventually.ts';
import type { Place } from '../../test/support/new-store.ts';
import type { Json } from '../../test/support/payloads/index.ts';
import { startReceiver } from '../../test/support/subscriptions/start-receiver.ts';
import { aSubscription, type Wanted } from '../../test/support/subscriptions/start-told.ts';
import { startConsole } from './open-console.ts';

export interface App {
  readonly id: string;
  ask(method: string, path: string, body?: object): Promise<{ status: number; body: Json; headers: Headers }>;
}

export type AppsStand = Awaited<ReturnType<typeof startApps>>;

/** A gateway that serves the console, whose apps act for themselves and have endpoints on loopback. */
export async function startApps(makePlace: () => Promise<Place>) {
  const stand = await startConsole(makePlace, { CHARTGATE_SUBSCRIPTION_PRIVATE_HOSTS: '127.0.0.1' });
  const { rig, base, clock } = stand;
  const receiver = await startReceiver();

  async function registerApp(name: string, scope: string): Promise<App> {
    const { publicKey, privateKey } = await generateKeyPair('ES384', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES384', use: 'sig' };
    const made = await rig.admin('POST', 'clients', { name, kind: 'backend', scope, jwks: { keys: [jwk] } });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    const id = String(made.body['id']);
    async function token(): Promise<string> {
      const nowSeconds = Math.floor(clock.now().getTime() / 1_000);
      const assertion = await new SignJWT({ iss: id, sub: id, aud: `${base}/auth/token`, exp: nowSeconds + 60 })
        .setProtectedHeader({ alg: 'ES384', kid: 'k', typ: 'JWT' })
        .setJti(randomUUID())
        .sign(privateKey);
      const answer = await fetch(`${base}/auth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          scope,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: assertion,
        }),
      });
      const given = (await answer.json()) as { access_token?: string };
      if (given.access_token === undefined) throw new Error(JSON.stringify(given));
      return given.access_token;
    }
    return {
      id,
      async ask(method, path, body) {
        const answer = await fetch(path.startsWith('http') ? path : `${base}/fhir/${path}`, {
          method,
          headers: {
            authorization: `Bearer ${await token()}`,
            accept: path.startsWith('http') ? 'application/json' : 'application/fhir+json',
            ...(path.includes('$export') ? { prefer: 'respond-async' } : {}),
            ...(body === undefined ? {} : { 'content-type': 'application/fhir+json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const text = await answer.text();
        const isJson = answer.headers.get('content-type')?.includes('json') === true && text !== '';
        return { status: answer.status, body: isJson ? (JSON.parse(text) as Json) : {}, headers: answer.headers };
      },
    };
  }

  const read = async (path: string): Promise<Json> => (await rig.admin('GET', path)).body;
  return {
    ...stand,
    receiver,
    registerApp,
    read,
    until: (path: string, isWanted: (body: Json) => boolean): Promise<Json> => eventually(() => read(path), isWanted),
    /** The id of a subscription that the app makes. */
    async subscribe(app: App, wanted: Wanted): Promise<string> {
      const made = await app.ask('POST', 'Subscription', aSubscription(wanted));
      if (made.status !== 201) throw new Error(`${made.status} ${JSON.stringify(made.body)}`);
      return String(made.body['id']);
    },
    /** Where the app asks how its export is. */
    async startExport(app: App, path: string): Promise<string> {
      const begun = await app.ask('GET', path);
      const at = begun.headers.get('content-location');
      if (begun.status !== 202 || at === null) throw new Error(`${begun.status} ${JSON.stringify(begun.body)}`);
      return at;
    },
    async stop(): Promise<void> {
      await rig.stop();
      await receiver.stop();
    },
  };
}
