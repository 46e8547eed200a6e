import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { PLACES } from '../support/new-store.ts';
import { GOOD_PASSWORD, openDesk, type Desk } from '../support/operator-desk.ts';
import { describeInBrowser, startBrowser } from '../support/start-browser.ts';

// A browser on a busy machine is slow, not wrong.
jest.setTimeout(90_000);

describeInBrowser('the page at which operators sign in', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  /** A telephone's width; whatever the page's policy refuses is an error. */
  async function openPage(desk: Desk): Promise<{ readonly page: Page; readonly errors: string[] }> {
    const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (line) => {
      // Being nobody is answered by 401, which the browser tells as an error.
      if (line.type() === 'error' && !/status of 4\d\d/.test(line.text())) errors.push(line.text());
    });
    await page.goto(`${desk.publicUrl}/operator/sign-in`);
    return { page, errors };
  }
  const addByLink = async (desk: Desk, name: string, roles: readonly string[]): Promise<string> => {
    const made = await desk.machine()('POST', 'operators', { name, displayName: `Person ${name}`, roles });
    return String(made.body['link']);
  };

  describe.each(PLACES)('on %s', (_engine, makePlace) => {
    test('a link, the password, an authenticator app and the way out, by keyboard alone, 390 px wide', async () => {
      const desk = await openDesk({ reached: 'as-it-is', makePlace });
      const { page, errors } = await openPage(desk);
      await page.goto('about:blank');
      await page.goto(await addByLink(desk, 'ada', ['administrator']));
      await page.waitForSelector('#link:not([hidden])');
      expect(page.url()).not.toContain('#');
      await page.waitForSelector('#link input:focus');
      await page.keyboard.type(GOOD_PASSWORD);
      await page.keyboard.press('Tab');
      await page.keyboard.type(GOOD_PASSWORD);
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.activeElement?.id === 'password');
      await page.keyboard.type(GOOD_PASSWORD);
      await page.keyboard.press('Enter');
      await page.waitForSelector('#enrol:not([hidden])');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForSelector('#app:not([hidden]) input:focus');
      const secret = (await page.textContent('#secret')) ?? '';
      await page.keyboard.type(desk.codeOf(secret));
      await page.keyboard.press('Enter');
      await page.waitForSelector('#inside:not([hidden])');
      expect(await page.textContent('#who')).toBe('Person ada (administrator)');
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width).toBeLessThanOrEqual(390);
      const [cookie] = await page.context().cookies();
      expect(cookie).toMatchObject({
        name: '__Host-chartgate-operator',
        httpOnly: true,
        secure: true,
        sameSite: 'Lax',
      });
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForSelector('#sign-in:not([hidden])');
      expect(await page.context().cookies()).toEqual([]);
      expect(errors).toEqual([]);
      await page.context().close();
    });

    test('a passkey of the browser’s own authenticator is added and opens the next session', async () => {
      const desk = await openDesk({ reached: 'as-it-is', makePlace });
      const link = await addByLink(desk, 'eve', ['administrator', 'engineer']);
      const { page, errors } = await openPage(desk);
      const authenticator = await page.context().newCDPSession(page);
      await authenticator.send('WebAuthn.enable');
      await authenticator.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      const secret = new URL(link).hash.replace('#link=', '');
      await page.evaluate(
        async ([given, password]) => {
          const body = JSON.stringify({ link: given, password });
          await fetch('/admin/api/session/link', { method: 'POST', body });
        },
        [secret, GOOD_PASSWORD] as const,
      );
      const signIn = async (): Promise<void> => {
        await page.waitForSelector('#sign-in:not([hidden])');
        await page.fill('#name', 'eve');
        await page.fill('#password', GOOD_PASSWORD);
        await page.keyboard.press('Enter');
      };
      await signIn();
      await page.click('#add-passkey');
      await page.waitForSelector('#inside:not([hidden])');
      await page.click('#sign-out');
      await signIn();
      await page.waitForSelector('#use-passkey:not([hidden])');
      await page.click('#passkey');
      await page.waitForSelector('#inside:not([hidden])');
      expect(await page.textContent('#who')).toBe('Person eve (administrator, engineer)');
      const whys = (await desk.records()).map(({ why }) => why);
      expect(whys).toEqual(expect.arrayContaining(['add-passkey', 'passkey']));
      expect(errors).toEqual([]);
      await page.context().close();
    });

    test('a wrong password is said so, and what was typed is gone', async () => {
      const desk = await openDesk({ reached: 'as-it-is', makePlace });
      const { page } = await openPage(desk);
      await page.fill('#name', 'nobody');
      await page.fill('#password', 'wrong-password-here');
      await page.keyboard.press('Enter');
      await page.waitForSelector('#wrong:not([hidden])');
      expect(await page.textContent('#wrong')).toBe('That does not fit. Try again.');
      expect(await page.inputValue('#password')).toBe('');
      await page.context().close();
    });
  });
});
