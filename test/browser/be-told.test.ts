import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { makeAdminApi } from '../../src/cli/admin-api.ts';
import { registerDemoApp } from '../../sandbox/demo/register-demo-app.ts';
import { DEMO_PATIENTS, startClinicianApp, type ClinicianApp } from '../../sandbox/index.ts';
import { CLINICIAN, startWhole, type Whole } from '../clients/whole.ts';
import { eventually } from '../support/eventually.ts';
import { anAlertEvent } from '../support/payloads/index.ts';
import { describeInBrowser, startBrowser } from '../support/start-browser.ts';

jest.setTimeout(120_000);

const SECRET = 'data-secret-0123456789abcdef0123456789';
const [, BRUNO] = DEMO_PATIENTS;

describeInBrowser('the clinician’s app in Chromium, at the whole gateway', () => {
  let whole: Whole;
  let app: ClinicianApp;
  let browser: Browser;
  beforeAll(async () => {
    whole = await startWhole({
      CHARTGATE_WEBHOOK_SECRET: SECRET,
      CHARTGATE_SUBSCRIPTION_PRIVATE_HOSTS: 'localhost',
    });
    app = await startClinicianApp({
      host: '127.0.0.1',
      port: 0,
      gatewayUrl: whole.url,
      now: () => new Date('2026-11-15T12:00:00Z'),
    });
    expect(await registerDemoApp(makeAdminApi(whole.url, whole.env), app, CLINICIAN.password)).toBe('ready');
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
    await whole.stop();
  });

  test('shows a new alert without reloading', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(app.url);
    await page.getByRole('button', { name: /sign in/i }).click();
    await page.getByLabel('User name').fill(CLINICIAN.username);
    await page.getByLabel('Password').fill(CLINICIAN.password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: new RegExp(BRUNO?.name ?? '') }).click();
    expect(await page.locator('body').innerText()).toContain('Be told of changes of this patient');
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.waitForURL((url) => url.origin === new URL(app.url).origin);
    await page.getByText(/no measurements yet/i).waitFor();
    const loaded = await page.evaluate(() => performance.timeOrigin);
    await eventually(
      async () => (await whole.admin('GET', 'subscriptions'))['subscriptions'] as readonly { state: string }[],
      (found) => found[0]?.state === 'active',
      30_000,
    );
    const sent = await fetch(`${whole.url}/webhooks/${SECRET}/data`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(anAlertEvent({ userId: `user-of-${BRUNO?.id ?? ''}`, clientUuid: 'demo' })),
    });
    expect(sent.status).toBe(202);
    await page
      .locator('#alerts')
      .getByText(/1 in this time, newest first/)
      .first()
      .waitFor();
    expect(await page.evaluate(() => performance.timeOrigin)).toBe(loaded);
  });
});
