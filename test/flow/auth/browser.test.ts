import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { checkAccess } from '../../support/check-access.ts';
import { newPkce, PASSWORD, SCOPE, startScene, type App, type Scene } from '../../support/auth-server.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';
import { describeInBrowser, startBrowser } from '../../support/start-browser.ts';

describeInBrowser('the pages, in a browser', () => {
  let place: Place;
  let scene: Scene;
  let host: Server;
  let redirect = '';
  let posted: URLSearchParams | null = null;
  let app: App;
  let browser: Browser;
  beforeAll(async () => {
    host = createServer((req, res) => {
      const parts: Buffer[] = [];
      req.on('data', (part: Buffer) => parts.push(part));
      req.on('end', () => {
        if (req.method === 'POST') posted = new URLSearchParams(Buffer.concat(parts).toString());
        res.setHeader('content-type', 'text/html').end('<title>The app</title>');
      });
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    redirect = `http://127.0.0.1:${(host.address() as AddressInfo).port}/callback`;
    place = await sqlitePlace();
    scene = await startScene(place);
    app = await scene.register({ redirectUris: [redirect] });
    browser = await startBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await scene.server.stop();
    await place.remove();
    host.close();
  });

  const titleOf = async (page: Page): Promise<string> => (await page.title()).split(' · ')[0] ?? '';
  /** A phone would have to scroll sideways, something has no name, or something is too small to be hit. */
  const flawsOf = (page: Page): Promise<string[]> =>
    page.evaluate<string[]>(`(() => {
      const flaws = [];
      const { documentElement: root } = document;
      if (root.scrollWidth > innerWidth) flaws.push('wide: ' + root.scrollWidth);
      if (document.querySelectorAll('h1').length !== 1 || root.lang === '') flaws.push('no heading or language');
      for (const input of document.querySelectorAll('input:not([type=hidden])'))
        if (input.labels.length !== 1) flaws.push('no label: ' + input.name);
      for (const button of document.querySelectorAll('button'))
        if (button.getBoundingClientRect().height < 40 || button.textContent.trim() === '') flaws.push('a button');
      return flaws;
    })()`);
  /** Goes on with the Tab key until that is reached. */
  async function tabTo(page: Page, is: string): Promise<void> {
    for (let n = 0; n < 60; n += 1) {
      if (await page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(is)})`)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`${is} is not reached by the keyboard`);
  }

  /** Chromium drops keys until it has painted the page, which on a busy machine is long after it was loaded. */
  async function typeInto(page: Page, field: string, text: string): Promise<void> {
    await page.waitForSelector(`${field}:focus`);
    for (let n = 0; n < 10; n += 1) {
      await page.keyboard.type(text);
      if ((await page.inputValue(field)) === text) return;
      await page.keyboard.press('Control+A');
    }
    throw new Error(`${field} does not take what is typed`);
  }
  async function typeSignIn(page: Page, password: string): Promise<void> {
    await typeInto(page, '#username', 'drsmith');
    await page.keyboard.press('Tab');
    await typeInto(page, '#password', password);
    await page.keyboard.press('Enter');
  }

  test('by the keyboard alone and 360 pixels wide: sign in, find a patient, allow a part, back at the app', async () => {
    const page = await browser.newPage({ viewport: { width: 360, height: 640 } });
    page.setDefaultTimeout(10_000);
    const problems: string[] = [];
    page.on('console', (line) => problems.push(line.text()));
    const { challenge, verifier } = newPkce();
    await page.goto(
      scene.authorizeUrl(app, challenge, {
        redirect_uri: redirect,
        scope: SCOPE.replace('patient/*.rs', 'patient/Condition.rs'),
      }),
    );
    expect([await titleOf(page), await flawsOf(page)]).toEqual(['Sign in', []]);
    await typeSignIn(page, 'wrong password here');
    await page.waitForSelector('[role=alert]');
    expect([await titleOf(page), await flawsOf(page)]).toEqual(['Sign in', []]);
    await typeSignIn(page, PASSWORD);
    await page.waitForSelector('#mrn');
    expect([await titleOf(page), await flawsOf(page)]).toEqual(['Choose a patient', []]);
    await tabTo(page, '#name');
    await page.keyboard.type('person 21');
    await tabTo(page, '#mrn');
    await page.keyboard.press('Enter');
    await page.locator('ul.patients li').nth(1).waitFor({ state: 'detached' });
    expect([page.url().includes('person'), await page.inputValue('#name')]).toEqual([false, 'person 21']);
    await tabTo(page, 'button[name=patient]');
    expect(await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.keyboard.press('Enter');
    await page.waitForSelector('summary');
    expect([await titleOf(page), await flawsOf(page)]).toEqual(['Allow access', []]);
    expect(await page.textContent('.about')).toContain('Test Person 21');
    // What is plain comes first; technical names are there for who asks for them.
    const plain = await page.innerText('main');
    expect(plain).toContain('Diagnoses and problems');
    expect(plain).toContain(new URL(redirect).host);
    expect(plain).not.toContain('patient/Condition.rs');
    await checkAccess(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await checkAccess(page);
    await tabTo(page, 'summary');
    await page.keyboard.press('Enter');
    await page.locator('#scope-0').waitFor();
    expect(await page.innerText('main')).toContain('patient/Condition.rs');
    await checkAccess(page);
    await tabTo(page, '#scope-0');
    await page.keyboard.press('Space');
    await tabTo(page, '#scope-0-1');
    await page.keyboard.press('Space');
    await tabTo(page, 'button[value=allow]');
    await page.keyboard.press('Enter');
    await page.waitForURL(/callback\?/);
    const code = new URL(page.url()).searchParams.get('code') ?? '';
    const { body } = await scene.exchange(app, code, verifier, { redirect_uri: redirect });
    expect(body['patient']).toBe('pat-21');
    expect(String(body['scope'])).toContain(
      'patient/Condition.rs?category=http://terminology.hl7.org/CodeSystem/condition-category|problem-list-item',
    );
    expect(String(body['scope']).split(' ')).not.toContain('patient/Condition.rs');
    expect(problems.filter((line) => !/401/.test(line))).toEqual([]);
    await page.close();
  }, 60_000);

  test('the icon is served as a picture, and the policy of the pages lets it be shown', async () => {
    const shown = await fetch(`${scene.server.issuer}/sign-out`);
    const [, path = ''] = /<link rel="icon" type="image\/svg\+xml" href="([^"]+)"/.exec(await shown.text()) ?? [];
    const icon = await fetch(new URL(path, scene.server.issuer));
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(await icon.text()).toMatch(/^<svg /);
    expect(shown.headers.get('content-security-policy')).toContain("img-src 'self'");
  });

  test('by the keyboard alone, without scripts and 360 pixels wide: what apps may do is seen and ended', async () => {
    const { code, verifier } = await scene.codeFor(app, { redirect_uri: redirect });
    await scene.exchange(app, code, verifier, { redirect_uri: redirect });
    const context = await browser.newContext({ viewport: { width: 360, height: 640 }, javaScriptEnabled: false });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    await page.goto(`${scene.server.issuer}/grants`);
    await typeSignIn(page, PASSWORD);
    await page.waitForURL(/\/auth\/grants$/);
    const before = await page.locator('li.grant').count();
    expect([await titleOf(page), before > 0]).toEqual(['What apps may do', true]);
    // To sign out, then the first of the list.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/done=ended$/);
    expect(await page.getByRole('status').textContent()).toContain('no access');
    expect(await page.locator('li.grant').count()).toBe(before - 1);
    const seen = await context.browser()?.newPage({ viewport: { width: 360, height: 640 } });
    await seen?.context().addCookies(await context.cookies());
    await seen?.goto(`${scene.server.issuer}/grants`);
    expect(seen === undefined ? ['no page'] : await flawsOf(seen)).toEqual([]);
    await seen?.close();
    await context.close();
  }, 60_000);

  test('an app that wants its answer as a form gets it without a further click', async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(10_000);
    await page.goto(
      scene.authorizeUrl(app, newPkce().challenge, { redirect_uri: redirect, response_mode: 'form_post' }),
    );
    await page.fill('#username', 'drsmith');
    await page.fill('#password', PASSWORD);
    await page.click('button[value=sign-in]');
    await page.waitForSelector('#mrn');
    await page.click('button[value=cancel]');
    await page.waitForURL(redirect);
    expect([posted?.get('error'), posted?.get('state')]).toEqual(['access_denied', 's-1']);
    await page.close();
  }, 60_000);

  test('a form of another page leads in as a link does, and the pages of the list can be turned', async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(10_000);
    await page.goto(redirect);
    const params = [...new URL(scene.authorizeUrl(app, newPkce().challenge, { redirect_uri: redirect })).searchParams];
    const fields = params.map(([name, value]) => `<input name="${name}" value="${value}">`).join('');
    await page.setContent(
      `<form method="post" action="${scene.server.issuer}/authorize">${fields}<button>Go</button></form>`,
    );
    await page.click('button');
    await page.waitForSelector('#username');
    await page.fill('#username', 'drsmith');
    await page.fill('#password', PASSWORD);
    await page.click('button[value=sign-in]');
    await page.waitForSelector('#mrn');
    expect(await page.locator('ul.patients li').count()).toBe(10);
    await page.click('text=More patients');
    await page.locator('text=Test Person 11').waitFor();
    expect([page.url().includes('cursor'), await page.textContent('ul.patients li strong')]).toEqual([
      false,
      'Test Person 11',
    ]);
    await page.fill('#name', 'test person');
    await page.fill('#birthdate', '1970-01-02');
    await page.click('text=Find');
    await page.locator('text=Test Person 1').first().waitFor();
    await page.click('text=More patients');
    await page.locator('text=Test Person 11').waitFor();
    expect([await page.inputValue('#name'), await page.inputValue('#birthdate')]).toEqual([
      'test person',
      '1970-01-02',
    ]);
    await page.fill('#birthdate', '1999-01-02');
    await page.click('text=Find');
    await page.locator('text=No patient was found.').waitFor();
    await page.click('button[value=cancel]');
    await page.waitForURL(/callback\?/);
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    await page.close();
  }, 60_000);
});
