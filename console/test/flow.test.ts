import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { makeSiteFolder } from '../../test/http/mappings/site-folder.ts';
import { PLACES, sqlitePlace } from '../../test/support/new-store.ts';
import { aClinicalReady } from '../../test/support/payloads/index.ts';
import { describeInBrowser, startBrowser } from '../../test/support/start-browser.ts';
import { checkAccess, startConsole, visit, type Visit } from './open-console.ts';

// A browser on a busy machine is slow, not wrong.
jest.setTimeout(120_000);

type Stand = Awaited<ReturnType<typeof startConsole>>;

/** The figure of a state in the ledger. */
const tileOf = (page: Page, state: string): Promise<string | null> =>
  page.locator('.tile', { hasText: state }).locator('dd').textContent();
const untilTile = (page: Page, state: string, wanted: string): Promise<unknown> =>
  page.waitForFunction(
    ([name, text]) =>
      [...document.querySelectorAll('.tile')].some(
        (tile) => tile.querySelector('dt')?.textContent === name && tile.querySelector('dd')?.textContent === text,
      ),
    [state, wanted] as const,
  );

describeInBrowser('the flow in the console', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  describe.each(PLACES)('on %s', (_engine, makePlace) => {
    let stand: Stand;
    beforeAll(async () => {
      stand = await startConsole(makePlace);
    });
    afterAll(() => stand.rig.stop());

    test('the overview follows what happens, says when it is cut, and comes back with what it missed', async () => {
      const { rig } = stand;
      await rig.enrol('user-flow');
      const { page, errors, go, context } = await visit(browser, stand, 'ada', ['engineer']);
      await go('');
      await page.waitForSelector('.state >> text=live');
      await page.waitForSelector('text=Nothing needs you.');
      expect(await tileOf(page, 'delivered')).toBe('0');
      await rig.deliver(aClinicalReady({ userId: 'user-flow', bundleId: 'one', observations: 2 }));
      await untilTile(page, 'delivered', '1');
      await page.waitForSelector('text=1 acknowledged = 1 in all states. It adds up.');

      await rig.deliver(aClinicalReady({ userId: 'user-nobody', observations: 2 }));
      const group = page.locator('a', { hasText: 'Nobody has linked the user to a patient' });
      await group.waitFor();
      expect(await group.getAttribute('href')).toContain('/queue?state=parked&reason=unlinked');
      await checkAccess(page);

      await context.setOffline(true);
      await page.waitForSelector('text=What is shown is');
      await page.waitForSelector('.state >> text=cut');
      await checkAccess(page);
      await rig.deliver(aClinicalReady({ userId: 'user-flow', bundleId: 'two', day: '2026-11-02', observations: 2 }));
      expect(await tileOf(page, 'delivered')).toBe('1');
      await context.setOffline(false);
      await untilTile(page, 'delivered', '2');
      expect(await page.locator('text=What is shown is').count()).toBe(0);
      expect(errors.filter((one) => !one.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
      await context.close();
    });
  });

  describe('on SQLite', () => {
    const site = makeSiteFolder();
    let stand: Stand;
    let engineer: Visit;
    beforeAll(async () => {
      stand = await startConsole(sqlitePlace, { CHARTGATE_MAPPINGS: site.folder });
      engineer = await visit(browser, stand, 'eve', ['engineer', 'administrator', 'auditor']);
    });
    afterAll(async () => {
      expect(engineer.errors).toEqual([]);
      await stand.rig.stop();
      site.remove();
    });

    test('the EHR is paused after its meaning was seen, its lanes say why they wait, and it goes on', async () => {
      const { rig } = stand;
      const { page, go } = engineer;
      await rig.enrol('user-waits');
      await go('/ehr');
      await page.waitForSelector('text=written in one transaction each: all of it or nothing');
      await page.click('text=Pause sending …');
      await page.waitForSelector('dialog >> text=Nothing more is sent to the EHR until somebody resumes');
      await checkAccess(page);
      await page.click('dialog button >> text=Pause sending');
      await page.waitForSelector('text=It is paused.');
      expect(await page.locator('a', { hasText: 'See it in the audit' }).getAttribute('href')).toContain(
        '/audit?request=',
      );

      const id = await rig.send(aClinicalReady({ userId: 'user-waits', observations: 2 }));
      await rig.until(id, ({ state }) => state === 'queued');
      await page.click('text=Look again');
      await page.waitForSelector('td >> text=Sending is paused.');
      await page.waitForSelector('td >> text=MRN-user-waits');
      expect(page.url()).not.toContain('MRN');

      await page.click('text=Resume sending …');
      await page.click('dialog button >> text=Resume sending');
      await page.waitForSelector('text=It is running.');
      expect((await rig.resting(id)).state).toBe('delivered');
    });

    test('the EHR is probed, and the probe stands in its history with who asked', async () => {
      const { page, go } = engineer;
      await go('/ehr');
      await page.click('text=Probe now');
      await page.waitForSelector('text=It answered as before.');
      await page.waitForSelector('[aria-labelledby=probes] td >> text=eve');
    });

    test('a word that nobody has mapped is found with what it might be, mapped in a file, checked and loaded', async () => {
      const { rig } = stand;
      const { page, go } = engineer;
      const odd = JSON.parse(
        JSON.stringify(aClinicalReady({ userId: 'user-waits', bundleId: 'odd', observations: 1 })).replaceAll(
          '"weight"',
          '"body_weight"',
        ),
      ) as ReturnType<typeof aClinicalReady>;
      await rig.deliver(odd);
      await go('/mappings');
      await page.waitForSelector('td >> text=body_weight');
      await checkAccess(page);
      await page.click('td >> text=29463-7 >> xpath=.. >> a');
      await page.waitForSelector('h2 >> text=Rows in force');
      expect(new URL(page.url()).search).toContain('text=29463-7');
      await page.waitForSelector('td >> text=Body weight');

      await go('/mappings?part=try');
      await page.fill('#payload', JSON.stringify(odd));
      await page.click('text=Try it');
      await page.waitForSelector('h2 >> text=What would become of it');
      await page.waitForSelector('td >> text=body_weight');
      await page.fill('#payload', JSON.stringify(aClinicalReady({ userId: 'user-waits', observations: 1 })));
      await page.fill('input[name=mrn]', 'MRN-user-waits');
      await page.click('text=Try it');
      await page.waitForSelector('text=It would be written.');
      await checkAccess(page);
      expect(page.url()).not.toContain('MRN');
      await page.fill('#payload', '{');
      await page.click('text=Try it');
      await page.waitForSelector('[role=status].bad');

      const sound: string[] = [];
      site.edit('conceptmap-metrics.json', (text) => {
        sound.push(text);
        return text.replace('"weight"', '"weight" oops');
      });
      await go('/mappings?part=files');
      const load = page.locator('button', { hasText: 'Load them' });
      await page.click('button >> text=Check the files');
      await page.waitForSelector('text=Every problem by file and line');
      await checkAccess(page);
      expect(await load.isDisabled()).toBe(true);
      site.edit('conceptmap-metrics.json', () => (sound[0] ?? '').replaceAll('"weight"', '"body_weight"'));
      await page.click('button >> text=Check the files');
      await page.waitForSelector('text=The files are sound.');
      await load.click();
      await page.waitForSelector('dialog >> text=What was written before stays as it is');
      await checkAccess(page);
      await page.click('dialog button >> text=Load');
      await page.waitForSelector('text=is in force, with');
      await page.waitForSelector('[aria-labelledby=loads] td >> text=eve');
    });

    test('posture names what is weak with how to mend it, and a key is changed after its meaning was seen', async () => {
      const { page, go } = engineer;
      await go('/posture');
      await page.waitForSelector('text=No webhook was refused in the last day.');
      await page.waitForSelector('text=Operators sign in by a password alone.');
      await page.waitForSelector('text=none: checkpoints are kept in the database alone');
      await page.click('text=Change the key of id tokens …');
      await page.waitForSelector('dialog >> text=Nobody is signed out');
      await checkAccess(page);
      await page.click('dialog button >> text=Change the key');
      await page.waitForSelector('text=signs from now on.');
      await page.waitForSelector('td >> text=older, still needed');
      await page.waitForSelector('a >> text=See it in the audit');
      await page.click('text=Defaults and what is not set, too');
      await page.waitForSelector('td >> text=CHARTGATE_OPS_TOKEN');
      expect(await page.content()).not.toContain('data-secret-');
    });

    test('every part: nothing against accessibility in the dark, no wider than a phone', async () => {
      const roles = ['viewer', 'engineer', 'clinical-reviewer', 'registrar', 'auditor', 'administrator'];
      const small = await visit(browser, stand, 'bea', roles, { colorScheme: 'dark', width: 390 });
      const { page, go } = small;
      for (const path of [
        '',
        '/ehr',
        '/mappings',
        '/mappings?part=rows',
        '/mappings?part=try',
        '/mappings?part=files',
        '/posture',
      ]) {
        await go(path);
        await checkAccess(page);
        expect([path, await page.evaluate(() => document.documentElement.scrollWidth <= 390)]).toEqual([path, true]);
      }
      await page.click('text=Change the key of id tokens …');
      await checkAccess(page);
      await page.keyboard.press('Escape');
      await go('/ehr');
      await page.click('text=Pause sending …');
      await checkAccess(page);
      expect(small.errors).toEqual([]);
      await small.context.close();
    });

    test('what a role may not do is not shown, and the API refuses it all the same', async () => {
      const { page, go, context } = await visit(browser, stand, 'rev', ['clinical-reviewer']);
      const status = (path: string, method = 'GET'): Promise<number> =>
        page.evaluate(async ([to, how]) => (await fetch(`/admin/api/${to}`, { method: how })).status, [
          path,
          method,
        ] as const);
      await go('/ehr');
      await page.waitForSelector('h2 >> text=What each probe found');
      expect(await page.locator('nav a').allTextContents()).not.toContain('Posture');
      expect(await page.locator('button', { hasText: /Pause|Resume|Probe/ }).count()).toBe(0);
      await go('/mappings?part=files');
      await page.waitForSelector('button >> text=Check the files');
      expect(await page.locator('button', { hasText: 'Load them' }).count()).toBe(0);
      await go('/posture');
      await page.waitForSelector('text=admin.forbidden');
      for (const [path, method] of [
        ['targets/ehr/pause', 'POST'],
        ['mappings/reload', 'POST'],
        ['settings', 'GET'],
      ] as const)
        expect([path, await status(path, method)]).toEqual([path, 403]);
      await context.close();
    });
  });
});
