import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { PLACES } from '../../test/support/new-store.ts';
import { GOOD_PASSWORD } from '../../test/support/operator-desk.ts';
import { aClinicalReady } from '../../test/support/payloads/index.ts';
import { describeInBrowser, startBrowser } from '../../test/support/start-browser.ts';
import { startApps, type AppsStand } from './apps-stand.ts';
import { checkAccess, PROOF_IS_OLD_MS, visit } from './open-console.ts';

// A browser on a busy machine is slow, not wrong.
jest.setTimeout(180_000);

const TOLD = 'system/Subscription.cruds system/Observation.rs system/Patient.rs';
const LOOKS = [
  ['light', 1_280],
  ['dark', 390],
] as const;

/** Nobody is named where it would be kept, and the page is no wider than its screen. */
async function expectGoodPage(page: Page, width: number, ...names: readonly string[]): Promise<void> {
  await checkAccess(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  const kept = await page.$$eval('a[href], button[title]', (all) =>
    all.map((one) => one.getAttribute('href') ?? one.getAttribute('title') ?? ''),
  );
  for (const name of names) expect([page.url(), await page.title(), ...kept].join('\n')).not.toContain(name);
  expect(await page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 0]);
}

/** Opens a dialog and does what it is for by the keyboard alone. */
async function byKeyboard(page: Page, opens: string, does: string): Promise<void> {
  await page.locator(`button:text-is("${opens}")`).focus();
  await page.keyboard.press('Enter');
  await page.locator(`dialog button:text-is("${does}")`).focus();
  await page.keyboard.press('Enter');
}

describeInBrowser('what apps take, in the console', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  describe.each(PLACES)('on %s', (_engine, makePlace) => {
    let stand: AppsStand;
    beforeAll(async () => {
      stand = await startApps(makePlace);
    });
    afterAll(() => stand.stop());

    test('subscriptions: who is told of what, what went wrong, and the end of one', async () => {
      const { rig, receiver } = stand;
      const board = await stand.registerApp('Ward board', TOLD);
      const pager = await stand.registerApp('Pager', TOLD);
      await rig.enrol('ada', 'MRN-ADA');
      const good = await stand.subscribe(board, { endpoint: receiver.url });
      const failing = await stand.subscribe(pager, { endpoint: receiver.url, topic: 'alert', content: 'empty' });
      const measured = await stand.subscribe(pager, { endpoint: receiver.url, content: 'full-resource' });
      for (const id of [good, failing, measured])
        await stand.until(`subscriptions/${id}`, ({ state }) => state === 'active');
      // From now on the endpoint of one app fails.
      receiver.answer(({ body }) => (body.includes(measured) ? 503 : 200));
      await rig.deliver(aClinicalReady({ userId: 'ada' }));
      const told = await stand.until(
        `subscriptions/${good}`,
        ({ lastEvent, waiting }) => Number(lastEvent) > 0 && waiting === 0,
      );
      await stand.until(`subscriptions/${measured}`, ({ failures }) => Number(failures) > 0);

      for (const [colorScheme, width] of LOOKS) {
        const look = await visit(browser, stand, `ann-${colorScheme}`, ['administrator', 'auditor'], {
          colorScheme,
          width,
        });
        const { page, go } = look;
        await go('/subscriptions');
        const row = page.locator('tr', { hasText: measured });
        await row.locator('text=The endpoint answers with 503.').waitFor();
        await row.locator('text=The endpoint itself fails').waitFor();
        const fine = page.locator('tr', { hasText: good });
        expect(await fine.locator('td').nth(3).textContent()).toBe(String(told['lastEvent']));
        expect(await fine.locator('td').nth(6).textContent()).toBe('');
        await expectGoodPage(page, width, 'MRN-ADA');

        await page.selectOption('label:text-is("App") + select', { label: 'Ward board' });
        await row.waitFor({ state: 'detached' });
        await fine.waitFor();
        expect(page.url()).toContain(`app=${board.id}`);
        expect(await page.getAttribute('button:text-is("Copy as command")', 'title')).toBe(
          `chartgate subscriptions list --client ${board.id}`,
        );
        await page.selectOption('label:text-is("State") + select', 'error');
        await page.waitForSelector('text=No subscription is like that.');
        await page.click('text=Clear all');
        await row.locator('a:text-is("Measurements")').click();
        await page.waitForSelector('.note.warn >> text=The endpoint answers with 503.');
        await page.waitForSelector('text=the resource itself, where the app may read it at that moment');
        expect(await page.textContent('main')).not.toContain('/hook');
        await expectGoodPage(page, width, 'MRN-ADA');
        // The app, and back to what it is told of.
        await page.click('h2 a:text-is("Pager")');
        await page.click('text=What it is told of');
        await page.waitForSelector(`tr:has-text("${failing}")`);
        expect(await fine.count()).toBe(0);
        expect(look.errors).toEqual([]);
        await look.context.close();
      }

      const end = await visit(browser, stand, 'bea', ['administrator', 'auditor']);
      const { page, go } = end;
      await go(`/subscriptions/${measured}`);
      await page.click('button:text-is("End …")');
      await checkAccess(page);
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      await byKeyboard(page, 'End …', 'End it');
      await page.waitForSelector('text=It is off. Nothing more is sent.');
      // The screen behind has seen it too; what came of the act stays until it is closed.
      await page.waitForSelector('.state:text-is("off")');
      expect(await page.getAttribute('dialog >> text=See it in the audit', 'href')).toMatch(/request=req_/);
      await page.click('dialog button:text-is("Close")');
      await page.waitForSelector('text=An operator of the gateway has ended it.');
      expect(await page.locator('button:text-is("End …")').count()).toBe(0);
      expect((await pager.ask('GET', `Subscription/${measured}`)).body).toMatchObject({ status: 'off' });
      // What an app was told is in the audit, before it went out.
      await go(`/subscriptions/${good}`);
      await page.click('text=What its app was told, in the audit');
      await page.waitForSelector(`td:has-text("${board.id}")`);
      await go('/subscriptions/sub-00000000000000000000000000');
      await page.waitForSelector('text=subscription.not-found');
      expect(end.errors).toEqual([]);
      await end.context.close();
    });

    test('bulk exports: how far each is, what it met, and the end of one', async () => {
      const { rig } = stand;
      const lake = await stand.registerApp('Data lake', 'system/*.rs');
      for (const user of ['eva', 'fred']) await rig.enrol(user, `MRN-${user.toUpperCase()}`);
      await rig.deliver(aClinicalReady({ userId: 'eva', observations: 3 }));
      const whole = await stand.startExport(lake, 'Patient/$export?_type=Patient,Observation');
      const listed = await stand.until(`exports?client_id=${lake.id}`, ({ exports: all }) =>
        (all as readonly { state: string }[]).every(({ state }) => state === 'complete'),
      );
      const [{ id: done } = { id: '' }] = listed['exports'] as readonly { id: string }[];
      rig.ehr.board.setRules([{ status: 503 }]);
      const halted = await stand.startExport(lake, 'Group/all/$export');
      const [{ id: running } = { id: '' }] = (
        await stand.until(
          `exports?client_id=${lake.id}&state=running`,
          ({ exports: all }) => (all as readonly { error: string | null }[])[0]?.error?.startsWith('ehr.') === true,
        )
      )['exports'] as readonly { id: string }[];

      for (const [colorScheme, width] of LOOKS) {
        const look = await visit(browser, stand, `cyd-${colorScheme}`, ['administrator', 'auditor'], {
          colorScheme,
          width,
        });
        const { page, go } = look;
        await go('/exports');
        await page.waitForSelector('td:has-text("Patient, Observation")');
        await page.waitForSelector('text=/The EHR (could not be read|is left alone)/');
        expect(await page.locator(`progress[aria-label="Progress of ${done}"]`).getAttribute('value')).toBe('1');
        await expectGoodPage(page, width, 'MRN-EVA');
        await page.selectOption('label:text-is("State") + select', 'complete');
        await page.locator('td:has-text("The EHR")').waitFor({ state: 'detached' });
        expect(await page.getAttribute('button:text-is("Copy as command")', 'title')).toBe(
          'chartgate exports list --state complete',
        );
        await page.click('td a:text-is("Linked patients")');
        await page.waitForSelector('dt:text-is("Files are destroyed")');
        expect(page.url()).toContain(`/exports/${done}`);
        await expectGoodPage(page, width, 'MRN-EVA');
        await go(`/exports/${running}`);
        await page.waitForSelector('text=/It (goes on|is tried again) by itself/');
        await expectGoodPage(page, width, 'MRN-EVA');
        await page.click('h2 a:text-is("Data lake")');
        await page.click('text=Its bulk exports');
        await page.waitForSelector('td:has-text("Patient, Observation")');
        expect(look.errors).toEqual([]);
        await look.context.close();
      }

      const end = await visit(browser, stand, 'dot', ['administrator', 'auditor']);
      const { page, go } = end;
      for (const [id, at] of [
        [running, halted],
        [done, whole],
      ] as const) {
        await go(`/exports/${id}`);
        await byKeyboard(page, 'End …', 'End it');
        await page.waitForSelector('text=It is ended, and its files are destroyed.');
        await checkAccess(page);
        await page.click('dialog button:text-is("Close")');
        await page.waitForSelector('.state:has-text("ended")');
        expect((await lake.ask('GET', at)).status).toBe(404);
      }
      await page.click('text=See it in the audit');
      await page.waitForSelector('td:has-text("App took charts away in bulk")');
      rig.ehr.board.setRules([]);
      expect(end.errors).toEqual([]);
      await end.context.close();
    });

    test('groups: made of a list, looked into, changed and removed, with no patient in an address', async () => {
      const { rig } = stand;
      await rig.enrol('gil', 'MRN-GIL');
      for (const [colorScheme, width] of LOOKS) {
        const seen = await visit(browser, stand, `fay-${colorScheme}`, ['registrar', 'auditor'], {
          colorScheme,
          width,
        });
        const { page, go } = seen;
        await go('/groups');
        await page.click('text=Make a group …');
        await page.fill('dialog input[name=name]', `Heart clinic ${colorScheme}`);
        await page.fill('dialog textarea[name=mrns]', 'MRN-GIL\nMRN-HAL\n\nMRN-GIL\n');
        await checkAccess(page);
        await page.click('dialog button:text-is("Make it")');
        await page.waitForSelector(`text=Heart clinic ${colorScheme} is made: 1 of 2 are linked.`);
        expect(await page.locator('dialog a:has-text("See it in the audit")').count()).toBe(1);
        await page.click('dialog button:text-is("Close")');
        await page.click(`td a:text-is("Heart clinic ${colorScheme}")`);
        await page.click('text=Show the patients');
        const one = page.locator('tr', { hasText: 'MRN-HAL' });
        await one.locator('text=no link, so it is not exported').waitFor();
        await page.waitForSelector('a[href*="/patient?of=~m."]');
        await expectGoodPage(page, width, 'MRN-GIL', 'MRN-HAL');
        await one.locator('button:text-is("Take out …")').click();
        await page.click('dialog button:text-is("Take out")');
        await page.waitForSelector('text=Taken out.');
        await page.click('dialog button:text-is("Close")');
        await one.waitFor({ state: 'detached' });
        await page.waitForSelector('dd:text-is("1 of 1")');

        await page.click('button:text-is("Change …")');
        await page.fill('dialog input[name=name]', `Ward ${colorScheme}`);
        await page.fill('dialog textarea[name=add]', 'MRN-IDA');
        await page.fill('dialog textarea[name=remove]', 'MRN-GIL');
        await checkAccess(page);
        await page.click('dialog button:text-is("Change it")');
        await page.waitForSelector('text=Changed: 0 of 1 are linked now.');
        await page.click('dialog button:text-is("Close")');
        await page.waitForSelector(`h2:text-is("Ward ${colorScheme}")`);
        await byKeyboard(page, 'Remove …', 'Remove');
        await page.waitForSelector(`text=Ward ${colorScheme} is removed.`);
        await page.click('dialog button:text-is("Close")');
        await page.waitForSelector('text=Nobody has made a group yet.');
        await page.click('td a:text-is("All linked patients")');
        await page.waitForSelector('text=cannot be changed');
        expect(await page.locator('text=Show the patients').count()).toBe(0);
        await expectGoodPage(page, width, 'MRN-GIL', 'MRN-IDA');
        expect(seen.errors).toEqual([]);
        await seen.context.close();
      }
    });

    test('groups: a list longer than a request takes is made in parts, and a long list of groups has pages', async () => {
      const { page, go, context, errors } = await visit(browser, stand, 'ida', ['registrar']);
      await go('/groups');
      await page.click('text=Make a group …');
      await page.fill('dialog input[name=name]', 'Everybody of the region');
      const mrns = Array.from({ length: 10_020 }, (_, i) => `MRN-R${i}`).join('\n');
      // As one paste: typing so many lines takes a browser longer than the test has.
      await page
        .locator('dialog textarea')
        .evaluate((area: HTMLTextAreaElement, text) => void (area.value = text), mrns);
      await page.click('dialog button:text-is("Make it")');
      await page.waitForSelector('text=/Everybody of the region is made: 0 of 10.020 are linked/');
      await page.click('dialog button:text-is("Close")');
      for (let n = 0; n < 50; n++) await stand.rig.admin('POST', 'groups', { name: `Ward ${n}`, mrns: [] });
      await go('/groups');
      await page.waitForSelector('td a:text-is("Ward 49")');
      await page.click('text=Next page');
      await page.click('td a:text-is("Everybody of the region")');
      await page.click('text=Show the patients');
      await page.click('text=Next page');
      await page.waitForSelector('text=First page');
      expect(new URL(page.url()).search).toBe('');
      expect(errors).toEqual([]);
      await context.close();
    });

    test('groups: who looks at a restricted patient in a list says why', async () => {
      const { rig } = stand;
      await rig.enrol('kim', 'MRN-KIM');
      const { body } = await rig.admin('POST', 'groups', { name: 'With one restricted', mrns: ['MRN-KIM'] });
      await rig.admin('PUT', 'patients/MRN-KIM/restriction');
      const { page, go, context, errors } = await visit(browser, stand, 'jon', ['engineer']);
      await go(`/groups/${String(body['id'])}`);
      await page.click('text=Show the patients');
      await page.waitForSelector('text=Why do you look at this patient?');
      expect(await page.textContent('main')).not.toContain('MRN-KIM');
      await page.fill('dialog input[name=reason]', 'Asked for by the ward');
      await page.click('dialog button[type=submit]');
      await page.waitForSelector('td:has-text("MRN-KIM")');
      expect(await page.locator('text=Take out …').count()).toBe(0);
      await rig.admin('DELETE', 'patients/MRN-KIM/restriction');
      expect(errors).toEqual([]);
      await context.close();
    });

    test('what a role may not see has no entry, and the API refuses it all the same', async () => {
      const OPENS = {
        viewer: [],
        engineer: ['Patient groups'],
        administrator: ['Subscriptions', 'Bulk exports'],
      } as const;
      for (const [role, names] of Object.entries(OPENS)) {
        const { page, go, context } = await visit(browser, stand, `role-${role}`, [role]);
        await go('');
        const places = await page.locator('nav a').allTextContents();
        expect(
          places.filter((one) => ['Subscriptions', 'Bulk exports', 'Patient groups'].includes(one)).sort(),
        ).toEqual([...names].sort());
        for (const [name, path] of [
          ['Subscriptions', 'subscriptions'],
          ['Bulk exports', 'exports'],
          ['Patient groups', 'groups'],
        ] as const) {
          const status = await page.evaluate(async (to) => (await fetch(`/admin/api/${to}`)).status, path);
          expect([role, path, status]).toEqual([role, path, (names as readonly string[]).includes(name) ? 200 : 403]);
        }
        if (role === 'engineer') {
          await go('/groups');
          await page.waitForSelector('h2:text-is("Lists")');
          expect(await page.locator('text=Make a group …').count()).toBe(0);
        }
        await context.close();
      }
    });

    // The last one: tokens of apps are over when the clock is moved.
    test('an end asks for a second proof where the sign-in is old, and goes on with it', async () => {
      const board = await stand.registerApp('Corridor board', TOLD);
      const id = await stand.subscribe(board, { endpoint: stand.receiver.url, topic: 'patient-connection' });
      const { page, go, context, errors } = await visit(browser, stand, 'gus', ['administrator']);
      await go(`/subscriptions/${id}`);
      await page.waitForSelector('h2:has-text("Patients connected and disconnected")');
      // Who may not read the audit is led to none.
      expect(await page.locator('text=in the audit').count()).toBe(0);
      stand.clock.advance(PROOF_IS_OLD_MS);
      await byKeyboard(page, 'End …', 'End it');
      await page.fill('#proof', GOOD_PASSWORD);
      await page.press('#proof', 'Enter');
      await page.waitForSelector('text=It is off. Nothing more is sent.');
      expect(await stand.read(`subscriptions/${id}`)).toMatchObject({ state: 'off', because: 'by-operator' });
      expect(errors).toEqual([]);
      await context.close();
    });
  });
});
