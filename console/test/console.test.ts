import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { PLACES } from '../../test/support/new-store.ts';
import { aClinicalReady } from '../../test/support/payloads/index.ts';
import { describeInBrowser, startBrowser } from '../../test/support/start-browser.ts';
import { checkAccess, startConsole, visit } from './open-console.ts';

// A browser on a busy machine is slow, not wrong.
jest.setTimeout(120_000);

const EVERYTHING = ['viewer', 'engineer', 'clinical-reviewer', 'registrar', 'auditor', 'administrator'];
const SCREENS = [
  '',
  '/queue',
  '/jobs',
  '/deliveries',
  '/links',
  '/patient',
  '/mappings',
  '/ehr',
  '/apps',
  '/subscriptions',
  '/exports',
  '/groups',
  '/audit',
  '/posture',
  '/operators',
  '/me',
];

describeInBrowser('the console', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  describe.each(PLACES)('on %s', (_engine, makePlace) => {
    let stand: Awaited<ReturnType<typeof startConsole>>;
    beforeAll(async () => {
      stand = await startConsole(makePlace);
    });
    afterAll(() => stand.rig.stop());

    test('every screen: no breach of its policy, nothing against accessibility, no wider than a phone', async () => {
      await stand.rig.enrol('user-seen');
      await stand.rig.deliver(aClinicalReady({ userId: 'user-seen', observations: 2 }));
      for (const [name, colorScheme, width] of [
        ['ada', 'light', 1_280],
        ['bea', 'dark', 390],
      ] as const) {
        const { page, errors, go, context } = await visit(browser, stand, name, EVERYTHING, { colorScheme, width });
        for (const path of SCREENS) {
          await go(path);
          await checkAccess(page);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          expect([path, wide <= width]).toEqual([path, true]);
        }
        expect(errors).toEqual([]);
        await context.close();
      }
    });

    test('what waits for a link is found, linked and delivered without leaving the page’s promise', async () => {
      const { rig } = stand;
      const id = (await rig.deliver(aClinicalReady({ userId: 'user-waits', observations: 2 }))).id;
      rig.ehr.put({
        resourceType: 'Patient',
        id: 'pat-w',
        active: true,
        identifier: [{ system: 'urn:example:mrn', value: 'MRN-W' }],
      });
      const { page, errors, go, context } = await visit(browser, stand, 'cyd', ['engineer', 'registrar']);
      await go('/deliveries?state=parked');
      await page.click(`a[href$="${id}"]`);
      await page.waitForSelector('text=unlinked');
      await go('/links');
      await page.fill('form[aria-label="Link a user"] input[name=user]', 'user-waits');
      await page.fill('form[aria-label="Link a user"] input[name=mrn]', 'MRN-W');
      await page.click('text=Look up …');
      await page.click('text=Yes, link');
      await page.waitForSelector('text=1 delivery goes on');
      expect((await rig.resting(id)).state).toBe('delivered');
      expect(page.url()).not.toContain('MRN-W');
      expect(await page.title()).not.toContain('MRN-W');
      expect(await page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 0]);
      expect(errors).toEqual([]);
      await context.close();
    });

    test('a delivery is given up with a reason, which the audit keeps with the person’s name', async () => {
      const { rig } = stand;
      const { id } = await rig.deliver(aClinicalReady({ userId: 'user-nobody', observations: 2 }));
      const { page, go, context } = await visit(browser, stand, 'dot', ['engineer', 'auditor']);
      await go(`/deliveries/${id}`);
      await page.click('text=Discard …');
      await page.fill('dialog input', 'Sent by mistake');
      await page.click('dialog button[type=submit]');
      await page.waitForSelector('h2 >> text=discarded');
      expect(await rig.read(id)).toMatchObject({ state: 'discarded' });
      const found = await rig.admin('GET', `audit?delivery=${id}&type=delivery.change`);
      expect(JSON.stringify(found.body)).toContain('dot');
      await go('/audit?view=proof');
      await page.click('button:text-is("Verify")');
      await page.waitForSelector('text=Nothing was changed, removed or put between');
      await context.close();
    });

    test('what a role may not do is not shown, and the API refuses it all the same', async () => {
      const { page, go, context } = await visit(browser, stand, 'fay', ['viewer']);
      await go('');
      expect(await page.locator('nav a').allTextContents()).toEqual(['Overview', 'My sessions']);
      const refused = await page.evaluate(async () => (await fetch('/admin/api/deliveries')).status);
      expect(refused).toBe(403);
      await go('/deliveries');
      await page.waitForSelector('text=admin.forbidden');
      await context.close();
    });
  });
});
