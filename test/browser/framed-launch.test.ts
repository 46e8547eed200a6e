import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { newPkce, PASSWORD, SCOPE, startScene, type App, type Scene } from '../support/auth-server.ts';
import { sqlitePlace, type Place } from '../support/new-store.ts';
import { describeInBrowser, startBrowser } from '../support/start-browser.ts';
import { makeTlsFront, type TlsFront } from '../support/tls-front.ts';

/** Where the app would be; nobody is there. */
const REDIRECT = 'https://app.example/callback';

describeInBrowser('a launch inside the frame of an EHR', () => {
  const places: Place[] = [];
  const scenes: Scene[] = [];
  const fronts: TlsFront[] = [];
  let pages: Server;
  let framing = '';
  let ehr = '';
  let browser: Browser;
  let framed: { scene: Scene; app: App };
  let plain: { scene: Scene; app: App };

  beforeAll(async () => {
    pages = createHttpServer((_request, response) => {
      response
        .setHeader('content-type', 'text/html')
        .end(`<title>EHR</title><iframe name="app" src="${framing}"></iframe>`);
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    // 127.0.0.1 and localhost are two sites to a browser.
    const ehrFront = await makeTlsFront((pages.address() as AddressInfo).port);
    fronts.push(ehrFront);
    ehr = ehrFront.origin.replace('localhost', '127.0.0.1');
    const open = async (frameAncestors: readonly string[]) => {
      const place = await sqlitePlace();
      places.push(place);
      // The front must know our port, and we the front's address: a relay that is told its port afterwards.
      const relay = { port: 0 };
      const front = await makeTlsFront(relay);
      fronts.push(front);
      const scene = await startScene(place, {
        publicUrl: front.origin,
        trustProxy: ['127.0.0.1'],
        signIn: { frameAncestors },
      });
      relay.port = Number(new URL(scene.server.base).port);
      scenes.push(scene);
      return { scene, app: await scene.register({ redirectUris: [REDIRECT] }) };
    };
    framed = await open([ehr]);
    plain = await open([]);
    browser = await startBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    for (const scene of scenes) await scene.server.stop();
    for (const front of fronts) await front.stop();
    for (const place of places) await place.remove();
    pages.close();
  });

  test('a person signs in and allows, though the browser takes no cookies of other sites but such', async () => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    framing = framed.scene.authorizeUrl(framed.app, newPkce().challenge, { redirect_uri: REDIRECT, scope: SCOPE });
    await page.goto(ehr);
    const inside = page.frameLocator('iframe[name=app]');
    await inside.locator('#username').fill('drsmith');
    await inside.locator('#password').fill(PASSWORD);
    await inside.locator('button[value=sign-in]').click();
    await inside.locator('button[name=patient]').first().click();
    const called = page.waitForRequest((request) => request.url().startsWith(REDIRECT));
    await inside.locator('button[value=allow]').click();
    expect(new URL((await called).url()).searchParams.get('code')).toMatch(/^[\w-]{20,}$/);
    const cookies = await context.cookies();
    expect(cookies.filter(({ name }) => name.startsWith('_session'))).toMatchObject([
      { sameSite: 'None', secure: true, httpOnly: true },
      { sameSite: 'None', secure: true, httpOnly: true },
    ]);
    await context.close();
  }, 60_000);

  test('where no EHR is named the frame stays empty', async () => {
    const page = await browser.newPage({ ignoreHTTPSErrors: true });
    framing = plain.scene.authorizeUrl(plain.app, newPkce().challenge, { redirect_uri: REDIRECT, scope: SCOPE });
    const refused = new Promise<string>((resolve) => {
      page.on('console', (line) => {
        if (/frame/i.test(line.text())) resolve(line.text());
      });
    });
    await page.goto(ehr);
    expect(await refused).toMatch(/frame-ancestors|X-Frame-Options/i);
    expect(await page.frameLocator('iframe[name=app]').locator('#username').count()).toBe(0);
    await page.close();
  }, 60_000);
});
