import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { makeAdminApi } from '../../src/cli/admin-api.ts';
import { registerDemoApp } from '../../sandbox/demo/register-demo-app.ts';
import { CLINICIAN_APP_ID, DEMO_PATIENTS, startClinicianApp, type ClinicianApp } from '../../sandbox/index.ts';
import { CLINICIAN, startWhole, type Whole } from '../clients/whole.ts';
import { describeInBrowser, startBrowser } from '../support/start-browser.ts';

// A browser on a busy machine is slow, not wrong.
jest.setTimeout(120_000);

const [ADA, BRUNO] = DEMO_PATIENTS;

/** What of fhirclient is used in the page. */
interface SmartClient {
  readonly state: { readonly tokenResponse: { readonly access_token: string } };
  refresh(): Promise<unknown>;
  request(path: string): Promise<{ readonly id: string }>;
}

describeInBrowser("the clinician's app, fhirclient in Chromium, at the whole gateway", () => {
  let whole: Whole;
  let app: ClinicianApp;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    whole = await startWhole();
    app = await startClinicianApp({
      host: '127.0.0.1',
      port: 0,
      gatewayUrl: whole.url,
      now: () => new Date('2026-10-05T12:00:00Z'),
    });
    expect(await registerDemoApp(makeAdminApi(whole.url, whole.env), app, CLINICIAN.password)).toBe('ready');
    for (const { id } of DEMO_PATIENTS)
      for (const day of [1, 2, 3])
        whole.ehr.put({
          resourceType: 'Observation',
          id: `weight-${id}-${day}`,
          status: day === 3 ? 'entered-in-error' : 'final',
          category: [{ coding: [{ code: 'vital-signs' }] }],
          code: { coding: [{ system: 'http://loinc.org', code: '29463-7' }], text: 'Body weight' },
          subject: { reference: `Patient/${id}` },
          effectiveDateTime: `2026-10-0${day}T08:00:00Z`,
          valueQuantity: { value: 70 + day, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
        });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
    await whole.stop();
  });
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 360, height: 740 } });
    page = await context.newPage();
  });
  afterEach(() => context.close());

  async function signIn(): Promise<void> {
    await page.getByLabel('User name').fill(CLINICIAN.username);
    await page.getByLabel('Password').fill(CLINICIAN.password);
    await page.keyboard.press('Enter');
  }
  const isBackAtApp = (): Promise<void> => page.waitForURL((url) => url.origin === new URL(app.url).origin);

  test('standalone: signs in, chooses a patient, allows, and sees his charts; a reload asks nobody, and the token is renewed', async () => {
    await page.goto(app.url);
    await page.getByRole('button', { name: /sign in/i }).click();
    await signIn();
    await page.getByRole('button', { name: new RegExp(BRUNO?.name ?? '') }).click();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await isBackAtApp();
    await page.getByRole('heading', { name: /body weight/i }).waitFor();
    const text = await page.locator('body').innerText();
    expect(text).toContain(BRUNO?.name ?? '');
    expect(text).not.toContain(ADA?.name ?? '');
    await page.reload();
    await page.getByRole('heading', { name: /body weight/i }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    const renewed = await page.evaluate(async (wanted) => {
      const client = await (
        window as unknown as { FHIR: { oauth2: { ready(): Promise<SmartClient> } } }
      ).FHIR.oauth2.ready();
      const before = client.state.tokenResponse.access_token;
      await client.refresh();
      const patient = await client.request(`Patient/${wanted}`);
      return [client.state.tokenResponse.access_token !== before, patient.id];
    }, BRUNO?.id ?? '');
    expect(renewed).toEqual([true, BRUNO?.id]);
  });

  test('launched by an EHR: the patient of the launch, and no picker', async () => {
    const { url } = await whole.launch(CLINICIAN_APP_ID, ADA?.id ?? '');
    await page.goto(url ?? '');
    await signIn();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await isBackAtApp();
    // On a phone the rest of a long list is shown on demand.
    const more = page.getByRole('button', { name: /more, none of them out of range.*Vital signs/ });
    await more.click();
    expect(await more.getAttribute('aria-expanded')).toBe('true');
    await page
      .getByRole('heading', { name: /body weight/i })
      .first()
      .waitFor();
    expect(await page.locator('body').innerText()).toContain(ADA?.name ?? '');
  });

  test('a user who refuses comes back to the app, which says so', async () => {
    await page.goto(app.url);
    await page.getByRole('button', { name: /sign in/i }).click();
    await signIn();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await isBackAtApp();
    await page
      .getByText(/refused|denied|not allowed|cancel/i)
      .first()
      .waitFor();
  });

  test('a token that was revoked asks to sign in again', async () => {
    await page.goto(app.url);
    await page.getByRole('button', { name: /sign in/i }).click();
    await signIn();
    await page.getByRole('button', { name: new RegExp(BRUNO?.name ?? '') }).click();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await isBackAtApp();
    await page.getByRole('heading', { name: /body weight/i }).waitFor();
    await whole.admin('DELETE', `clients/${CLINICIAN_APP_ID}`);
    await page.reload();
    await page
      .getByRole('button', { name: /sign in/i })
      .first()
      .waitFor();
    expect(await page.locator('body').innerText()).not.toContain('72');
  });
});
