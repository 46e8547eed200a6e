import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Browser, newPkce, startScene, type App, type Scene } from '../../support/auth-server.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

/** What the address is at which others reach us, though we listen elsewhere. */
const PUBLIC_URL = 'https://gateway.example';
const ANCESTORS = ['https://ehr.example', 'https://ehr-test.example:8443'];
const PROXY = { trustProxy: ['127.0.0.1'], publicUrl: PUBLIC_URL };

const places: Place[] = [];
let framed: Scene;
let plain: Scene;
const apps = new Map<Scene, App>();
beforeAll(async () => {
  const open = async (frameAncestors: readonly string[]): Promise<Scene> => {
    const place = await sqlitePlace();
    places.push(place);
    const styleUrl = frameAncestors.length === 0 ? null : 'https://ehr.example/style.json';
    const scene = await startScene(place, { ...PROXY, signIn: { frameAncestors, styleUrl } });
    apps.set(scene, await scene.register());
    return scene;
  };
  [framed, plain] = [await open(ANCESTORS), await open([])];
});
afterAll(async () => {
  for (const scene of apps.keys()) await scene.server.stop();
  for (const place of places) await place.remove();
});

const here = (scene: Scene, url: string): string => url.replace(PUBLIC_URL, scene.server.base);
/** The page at which a request of an app begins. */
async function firstPage(scene: Scene, browser = new Browser()) {
  const app = apps.get(scene) ?? { id: '', secret: null };
  const led = await browser.go(here(scene, scene.authorizeUrl(app, newPkce().challenge)));
  const at = new URL(led.headers.get('location') ?? '', scene.server.base).href;
  return { led, at, page: await browser.go(here(scene, at)) };
}
const framedBy = (answer: Response): string =>
  /frame-ancestors ([^;]+)/.exec(answer.headers.get('content-security-policy') ?? '')?.[1] ?? '';

test('the pages of a sign-in are shown in the frames of configured EHRs, and of nobody else', async () => {
  const { led, page, at } = await firstPage(framed);
  expect([framedBy(page), page.headers.get('x-frame-options')]).toEqual([ANCESTORS.join(' '), null]);
  const cookies = led.headers.getSetCookie();
  expect(cookies.length).toBeGreaterThan(0);
  for (const line of cookies) expect(line).toMatch(/samesite=none; secure; httponly; partitioned/i);
  // Also where the request cannot go on.
  const lost = await new Browser().go(here(framed, at));
  expect([lost.status, framedBy(lost)]).toEqual([400, ANCESTORS.join(' ')]);
  const wrong = await new Browser().go(`${framed.server.base}/auth/authorize?client_id=nobody`);
  expect([wrong.status, framedBy(wrong)]).toEqual([400, ANCESTORS.join(' ')]);
});

test('what is not between an app’s request and its answer is in no frame', async () => {
  for (const path of ['/auth/sign-out', '/auth/grants?error=access_denied', '/fhir/.well-known/smart-configuration']) {
    const answer = await fetch(`${framed.server.base}${path}`, { redirect: 'manual' });
    expect([path, framedBy(answer), answer.headers.get('x-frame-options')]).toEqual([path, "'none'", 'SAMEORIGIN']);
  }
});

test('without the setting nothing is in a frame, and cookies stay with our own site', async () => {
  const { led, page } = await firstPage(plain);
  expect([framedBy(page), page.headers.get('x-frame-options')]).toEqual(["'none'", 'SAMEORIGIN']);
  for (const line of led.headers.getSetCookie()) {
    expect(line).toMatch(/samesite=lax/i);
    expect(line).not.toMatch(/partitioned/i);
  }
});
