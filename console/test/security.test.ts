import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { GOOD_PASSWORD } from '../../test/support/operator-desk.ts';
import { PLACES, sqlitePlace } from '../../test/support/new-store.ts';
import { aClinicalReady } from '../../test/support/payloads/index.ts';
import { describeInBrowser, startBrowser } from '../../test/support/start-browser.ts';
import { checkAccess, PROOF_IS_OLD_MS, startConsole, visit, type Visit } from './open-console.ts';

// A browser on a busy machine is slow, not wrong.
jest.setTimeout(180_000);

const MRN = 'MRN-SECRET-7';
type Stand = Awaited<ReturnType<typeof startConsole>>;

/** By the password of who has no second factor. */
async function prove(page: Page): Promise<void> {
  await page.fill('#proof', GOOD_PASSWORD);
  await page.press('#proof', 'Enter');
}

/** Nothing of a patient or a person stands where it would stay. */
async function expectNoTrace(page: Page, ...words: readonly string[]): Promise<void> {
  for (const word of words) {
    expect(page.url()).not.toContain(word);
    expect(await page.title()).not.toContain(word);
  }
  expect(await page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 0]);
}

/** A record is found by patient, opened with its proof, and the whole log verified. */
async function walkAudit({ page, go }: Visit, { rig }: Stand): Promise<void> {
  const { id } = await rig.deliver(aClinicalReady({ userId: 'user-audit', observations: 2 }));
  await rig.enrol('user-audit', MRN);
  await rig.resting(id);
  await go('/audit');
  await page.fill('input[name=mrn]', MRN);
  await page.click('button:text-is("Find")');
  await page.waitForSelector('td:has-text("Link changed")');
  await expectNoTrace(page, MRN);
  await page.click('td a >> nth=0');
  await page.waitForSelector('h2:text-is("Its proof")');
  await page.waitForSelector('text=/It is as it was written|waits for its checkpoint/');
  expect(page.url()).toMatch(/\/console\/audit\/[\w.-]+\/\d+$/);
  await page.reload();
  await page.waitForSelector('text=Chain with it');
  await go('/audit?view=proof');
  await page.click('button:text-is("Verify")');
  await page.waitForSelector('text=Nothing was changed, removed or put between');
}

describeInBrowser('security in the console', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  describe.each(PLACES.filter(([engine]) => engine === 'postgres'))('on %s', (_engine, makePlace) => {
    let stand: Stand;
    beforeAll(async () => {
      stand = await startConsole(makePlace);
    });
    afterAll(() => stand.rig.stop());

    test('who saw a patient is found, proven and verified', async () => {
      const seen = await visit(browser, stand, 'ada', ['auditor']);
      await walkAudit(seen, stand);
      expect(seen.errors).toEqual([]);
      await seen.context.close();
    });
  });

  describe('on sqlite', () => {
    let stand: Stand;
    beforeAll(async () => {
      stand = await startConsole(sqlitePlace);
    });
    afterAll(() => stand.rig.stop());

    test('audit: found, counted, saved, exported, proven, verified', async () => {
      const seen = await visit(browser, stand, 'ada', ['auditor']);
      const { page, go } = seen;
      await walkAudit(seen, stand);
      await checkAccess(page);

      // By person and by what happened; the person stays in the page.
      await go('/audit?type=operator.sign-in');
      await page.fill('input[name=actor]', 'ada');
      await page.click('button:text-is("Find")');
      await page.waitForSelector('td:has-text("Operator signed in")');
      expect(new URL(page.url()).search).toBe('?type=operator.sign-in');
      await checkAccess(page);

      await page.click('text=Save this search');
      await checkAccess(page);
      await page.fill('dialog input[name=name]', 'My sign-ins');
      await page.click('dialog button:text-is("Save")');
      await page.click('button:text-is("Clear")');
      await page.waitForFunction(() => location.search === '');
      await page.click('button:text-is("My sign-ins")');
      await page.waitForFunction(() => location.search === '?type=operator.sign-in');
      expect(await page.inputValue('input[name=actor]')).toBe('ada');

      await page.click('text=Export …');
      await checkAccess(page);
      stand.clock.advance(PROOF_IS_OLD_MS);
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        (async () => {
          await page.click('dialog button:text-is("Export")');
          await prove(page);
        })(),
      ]);
      expect(file.suggestedFilename()).toMatch(/^audit-.*\.csv$/);
      const table = readFileSync(await file.path(), 'utf8');
      expect(table).toMatch(/^at,type,action/);
      expect(table).toMatch(/operator\.sign-in,E,0,password,,ada,auditor/);
      await page.click('dialog a:has-text("See it in the audit")');
      await page.waitForSelector('td:has-text("as a table")');

      await page.click('button[aria-label="Remove My sign-ins"]');
      await page.waitForSelector('text=My sign-ins is removed.');

      await page.click('button:text-is("How often")');
      await page.waitForSelector('button.text:text-is("ada")');
      await checkAccess(page);
      await page.selectOption('label:text-is("Count by") + select', 'patient');
      await page.waitForSelector('th:has-text("keyed hash")');
      expect(await page.textContent('main')).not.toContain(MRN);
      await page.selectOption('label:text-is("Count by") + select', 'actor');
      await page.click('button.text:text-is("ada")');
      await page.waitForSelector('td:has-text("counts of the audit")');
      await expectNoTrace(page, 'ada', MRN);
      expect(seen.errors).toEqual([]);
      await seen.context.close();
    });

    test('operators: a person is added, given roles, disabled and removed; a key is made and removed', async () => {
      const seen = await visit(browser, stand, 'bea', ['administrator', 'auditor'], {
        colorScheme: 'dark',
        width: 390,
      });
      const { page, go } = seen;
      await go('/operators');
      await page.click('text=Add a person');
      await page.fill('dialog input[name=name]', 'cyd');
      await page.fill('dialog input[name=displayName]', 'Cyd Example');
      await page.check('dialog input[value=viewer]');
      await checkAccess(page);
      await page.click('dialog button:text-is("Add")');
      await page.waitForSelector('dialog code.secret');
      expect(await page.textContent('code.secret')).toContain('/operator/sign-in#link=');
      await checkAccess(page);
      await page.click('text=I have it');
      const row = page.locator('tr', { hasText: 'Cyd Example' });
      await row.locator('text=no password yet').waitFor();

      await row.locator('text=Roles …').click();
      await page.check('dialog input[value=engineer]');
      await page.click('dialog button:text-is("Set")');
      await page.waitForSelector('text=From now on: Viewer, Engineer.');
      expect(await page.locator('dialog a:has-text("See it in the audit")').count()).toBe(1);
      await page.click('dialog button:text-is("Close")');
      await row.locator('td:has-text("Viewer, Engineer")').waitFor();

      await row.locator('text=Reset …').click();
      await page.click('dialog button:text-is("Reset")');
      await page.waitForSelector('dialog code.secret');
      await page.click('text=I have it');

      await row.locator('text=Disable …').click();
      await checkAccess(page);
      await page.click('dialog button:text-is("Disable")');
      await page.waitForSelector('text=Cyd Example is let in nowhere.');
      await page.click('dialog button:text-is("Close")');
      await row.locator('.state:has-text("disabled")').waitFor();
      await row.locator('text=Remove …').click();
      await page.click('dialog button:text-is("Remove")');
      await page.click('dialog button:text-is("Close")');
      await row.waitFor({ state: 'detached' });

      await page.click('button:text-is("API keys")');
      await page.click('text=Make a key');
      await page.fill('dialog input[name=name]', 'monitoring');
      await page.check('dialog input[value=viewer]');
      await page.check('dialog input[value="deliveries.raw"]');
      await checkAccess(page);
      await page.click('dialog button:text-is("Make it")');
      const key = (await page.textContent('dialog code.secret')) ?? '';
      await page.click('text=I have it');
      const asked = await fetch(`${stand.base}/admin/api/ledger`, { headers: { authorization: `Bearer ${key}` } });
      expect(asked.status).toBe(200);
      await go('/operators?view=keys');
      const line = page.locator('tr', { hasText: 'monitoring' });
      await line.locator('td:has-text("Viewer, Raw bodies")').waitFor();
      expect(await page.content()).not.toContain(key);
      await checkAccess(page);
      await line.locator('text=Remove …').click();
      await page.click('dialog button:text-is("Remove")');
      await page.waitForSelector('text=monitoring opens nothing from now on.');
      await page.click('dialog button:text-is("Close")');
      await page.waitForSelector('text=No key is made.');

      await page.click('button:text-is("Sessions")');
      await page.waitForSelector('text=this session');
      await checkAccess(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      expect(seen.errors).toEqual([]);
      await seen.context.close();
    });

    test('my sessions: another one is ended, a second factor added and asked for, the password changed', async () => {
      const seen = await visit(browser, stand, 'dot', ['viewer']);
      const { page, go } = seen;
      const other = await browser.newContext();
      const elsewhere = await other.newPage();
      await elsewhere.goto(`${stand.base}/operator/sign-in`);
      await elsewhere.fill('#name', 'dot');
      await elsewhere.fill('#password', GOOD_PASSWORD);
      await elsewhere.press('#password', 'Enter');
      // The sign-in leads to the console by itself.
      await elsewhere.waitForSelector('.frame h1');
      expect(new URL(elsewhere.url()).pathname).toBe('/console');
      await elsewhere.goto(`${stand.base}/operator/sign-in`);
      await elsewhere.click('text=Open the console');
      await elsewhere.waitForSelector('.frame h1');

      await go('/me');
      await page.waitForSelector('text=sees counts, rates and states');
      await page.click('text=End all others');
      await checkAccess(page);
      await page.click('text=End them');
      await page.waitForSelector('text=1 ended.');
      await page.click('dialog button:text-is("Close")');
      await elsewhere.reload();
      await elsewhere.waitForSelector('#name');
      await other.close();

      await page.click('text=Add an authenticator app');
      await page.click('text=Or type it in');
      const secret = (await page.textContent('dialog details code')) ?? '';
      await checkAccess(page);
      await page.fill(
        'dialog input[name=code]',
        new TOTP({ secret }).generate({ timestamp: stand.clock.now().getTime() }),
      );
      await page.fill('dialog input[name=label]', 'My phone');
      await page.click('dialog button:text-is("Add")');
      await page.waitForSelector('td:has-text("My phone")');
      await checkAccess(page);
      await page.click('tr:has-text("My phone") >> text=Remove …');
      await page.click('dialog button:text-is("Remove")');
      await page.waitForSelector('text=It is removed.');
      await page.click('dialog button:text-is("Close")');
      await page.waitForSelector('text=You have none');

      await page.click('summary:text-is("Change my password")');
      await page.fill('input[name=current]', GOOD_PASSWORD);
      await page.fill('input[name=password]', 'quartz-lemur-sonnet-3');
      await page.fill('input[name=again]', 'quartz-lemur-sonnet-3');
      await page.click('text=Change it');
      await page.waitForSelector('text=The password is set');
      await page.click('text=Sign out');
      await page.waitForSelector('#name');
      expect(seen.errors).toEqual([]);
      await seen.context.close();
    });

    test('a passkey is added in the console, and proves later who it is', async () => {
      const seen = await visit(browser, stand, 'gil', ['auditor']);
      const { page, go } = seen;
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
      await go('/me');
      await page.click('text=Add a passkey …');
      await page.waitForSelector('td:has-text("passkey")');
      await checkAccess(page);

      stand.clock.advance(PROOF_IS_OLD_MS);
      await go('/audit');
      await page.click('text=Export …');
      await page.click('dialog button:text-is("Export")');
      await page.waitForSelector('dialog >> text=Use a passkey');
      expect(await page.locator('#proof').count()).toBe(0);
      await checkAccess(page);
      const [file] = await Promise.all([page.waitForEvent('download'), page.click('text=Use a passkey')]);
      expect(readFileSync(await file.path(), 'utf8')).toMatch(/operator\.sign-in,E,0,proof:passkey,,gil,auditor/);

      // The passkey is lost: an administrator takes it away, and nobody stays signed in by it.
      const hal = await visit(browser, stand, 'hal', ['administrator']);
      await hal.go('/operators');
      await hal.page.locator('tr', { hasText: 'Person gil' }).getByText('Second factors …').click();
      await hal.page.click('dialog >> text=Take away …');
      await checkAccess(hal.page);
      await hal.page.click('dialog button:text-is("Take it away")');
      await hal.page.waitForSelector('text=It proves nothing any more, and their sessions have ended.');
      await page.reload();
      await page.waitForSelector('#name');
      expect([...seen.errors, ...hal.errors]).toEqual([]);
      await seen.context.close();
      await hal.context.close();
    });

    test('apps and people: registered, changed, launched, disabled and removed', async () => {
      const seen = await visit(browser, stand, 'eve', ['administrator'], { colorScheme: 'dark', width: 390 });
      const { page, go } = seen;
      await go('/apps');
      await page.click('text=Register an app');
      await page.fill('dialog input[name=name]', 'Growth charts');
      await page.check('dialog input[value=symmetric]');
      await page.fill('dialog input[name=redirects]', 'https://app.example/index.html');
      await page.fill('dialog input[name=launchUrl]', 'https://app.example/launch.html');
      await checkAccess(page);
      await page.click('dialog button:text-is("Register")');
      await page.waitForSelector('dialog code.secret');
      await page.click('dialog button:text-is("Close")');
      await page.click('td a:text-is("Growth charts")');
      await page.waitForSelector('text=Nothing is given now.');
      await page.click('summary:text-is("Change the app")');
      await page.fill('input[name=name]', 'Growth curves');
      await checkAccess(page);
      await page.click('text=Change it');
      await page.waitForSelector('h2:text-is("Growth curves")');
      await page.click('text=Sign out of everything');
      await page.click('text=End all of it');
      await page.waitForSelector('text=Every consent and token of it has ended.');
      await page.click('dialog button:text-is("Close")');
      await page.click('text=Disable …');
      await page.click('dialog button:text-is("Disable")');
      await page.click('dialog button:text-is("Close")');
      await page.waitForSelector('.state:has-text("disabled")');
      await page.click('text=Enable …');
      await page.click('dialog button:text-is("Enable")');
      await page.click('dialog button:text-is("Close")');

      await stand.rig.enrol('user-launch', 'MRN-LAUNCH');
      await go('/apps?view=launch');
      await page.fill('input[name=mrn]', 'MRN-LAUNCH');
      await page.click('text=Begin a launch');
      const open = page.locator('a:text-is("Open the app")');
      expect(await open.getAttribute('href')).toMatch(/^https:\/\/app\.example\/launch\.html\?.*launch=/);
      await expectNoTrace(page, 'MRN-LAUNCH');
      await checkAccess(page);

      await go('/apps?view=people');
      await page.click('text=Add a clinician');
      await page.fill('dialog input[name=username]', 'ann');
      await page.fill('dialog input[name=name]', 'Dr Ann Example');
      await page.fill('dialog input[name=fhirUser]', 'Practitioner/1');
      await page.fill('dialog input[name=password]', 'a long made-up sentence');
      await page.click('dialog button:text-is("Add")');
      await page.waitForSelector('text=ann can sign in.');
      await page.click('dialog button:text-is("Close")');
      await page.click('td a:text-is("Dr Ann Example")');
      await page.waitForSelector('text=Nothing is given now.');
      await checkAccess(page);
      await page.click('text=Another password');
      await page.fill('dialog input[name=password]', 'another made-up sentence');
      await page.click('dialog button:text-is("Set it")');
      await page.waitForSelector('text=The password is set.');
      await page.click('dialog button:text-is("Close")');
      await page.click('text=Disable …');
      await page.click('dialog button:text-is("Disable")');
      await page.click('dialog button:text-is("Close")');
      await page.waitForSelector('.state:has-text("disabled")');
      await page.click('text=Remove …');
      await page.click('dialog button:text-is("Remove")');
      await page.click('dialog button:text-is("Close")');
      await page.waitForSelector('text=Nobody has this account.');
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      expect(seen.errors).toEqual([]);
      await seen.context.close();
    });

    test('what a role may not do is not shown, and the API refuses it all the same', async () => {
      const { page, go, context } = await visit(browser, stand, 'fay', ['engineer']);
      await go('');
      const places = await page.locator('nav a').allTextContents();
      for (const hidden of ['Operators', 'Apps and people', 'Audit']) expect(places).not.toContain(hidden);
      for (const path of [
        'operators',
        'keys',
        'clients',
        'accounts',
        'audit',
        'audit/records/c/1',
        'audit/counts?by=app',
      ])
        expect([path, await page.evaluate(async (to) => (await fetch(`/admin/api/${to}`)).status, path)]).toEqual([
          path,
          403,
        ]);
      await go('/operators');
      await page.waitForSelector('text=admin.forbidden');
      expect(await page.locator('text=Add a person').count()).toBe(0);
      await context.close();
    });
  });
});
