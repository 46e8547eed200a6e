import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { systemClock } from '../../src/kernel/index.ts';
import { seedEhr, startClinicianApp, startEhr, type ClinicianApp, type DemoEhr } from '../../sandbox/index.ts';
import { checkAccess } from '../support/check-access.ts';
import { startStandIn, type StandIn } from '../support/smart-stand-in.ts';
import { describeInBrowser, startBrowser } from '../support/start-browser.ts';

// A browser on a busy machine is slow, not wrong.
jest.setTimeout(90_000);

// The chart of the first has something of each profile of US Core; what is shown here is put there.
const PATIENT = 'demo-patient-2';
const LOINC = 'http://loinc.org';
const subject = { reference: `Patient/${PATIENT}` };
const day = (n: number): string => `2026-10-${String(n).padStart(2, '0')}`;

function fill(ehr: DemoEhr): void {
  ehr.put({
    resourceType: 'Device',
    id: 'scale',
    deviceName: [{ name: 'Scale 2', type: 'model-name' }],
    manufacturer: 'Example Devices',
  });
  ehr.put({ resourceType: 'Organization', id: 'lab', name: 'Example laboratory' });
  const put = (
    id: string,
    category: string,
    code: string,
    text: string,
    n: number,
    value: number,
    unit: string,
    more = {},
  ): void =>
    ehr.put({
      resourceType: 'Observation',
      id,
      status: 'final',
      category: [{ coding: [{ code: category }] }],
      code: { coding: [{ system: LOINC, code }], text },
      subject,
      effectivePeriod: { start: `${day(n)}T00:00:00+02:00`, end: `${day(n)}T23:59:59+02:00` },
      valueQuantity: { value, unit },
      ...more,
    });
  for (let n = 1; n <= 28; n += 1) {
    put(`w${n}`, 'vital-signs', '29463-7', 'Body weight', n, 70 + n / 10, 'kg', {
      device: { reference: 'Device/scale' },
    });
    for (const [code, text] of [
      ['41950-7', 'Steps'],
      ['103208-5', 'Distance'],
      ['94122-9', 'VO2max'],
    ] as const)
      put(`${code}-${n}`, 'activity', code, text, n, 5000 + n * 100, 'x');
    put(`s${n}`, 'activity', '93832-4', 'Sleep duration', n, 7, 'h');
  }
  put('w29', 'vital-signs', '29463-7', 'Body weight', 29, 777, 'kg', { status: 'entered-in-error' });
  put('w30', 'vital-signs', '29463-7', 'Body weight', 30, 73, 'kg', { status: 'amended' });
  put('evil', 'vital-signs', '9-9', '<img src=x onerror="document.title=1">', 30, 1, '<b>kg</b>');
  ehr.put({
    resourceType: 'Observation',
    id: 'glucose',
    status: 'final',
    category: [{ coding: [{ code: 'laboratory' }] }],
    code: { coding: [{ system: LOINC, code: '2345-7' }], text: 'Glucose' },
    subject,
    effectiveDateTime: `${day(10)}T08:15:00+02:00`,
    performer: [{ reference: 'Organization/lab' }],
    valueQuantity: { value: 104, unit: 'mg/dL' },
    interpretation: [{ text: 'High' }],
    referenceRange: [{ low: { value: 70, unit: 'mg/dL' }, high: { value: 99, unit: 'mg/dL' } }],
  });
  ehr.put({
    resourceType: 'Provenance',
    id: 'from',
    target: [{ reference: 'Observation/w30' }],
    recorded: '2026-10-30T12:00:00Z',
    agent: [{ type: { coding: [{ code: 'transmitter' }] }, who: { display: 'Chartgate' } }],
  });
}

describeInBrowser('the clinician app', () => {
  let browser: Browser;
  let ehr: DemoEhr;
  let standIn: StandIn;
  let app: ClinicianApp;
  let page: Page;
  let wrong: string[];

  beforeAll(async () => {
    browser = await startBrowser();
    ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
    seedEhr(ehr);
    fill(ehr);
  });
  afterAll(async () => {
    await browser.close();
    await ehr.stop();
  });
  async function open(refresh: 'given' | null = null): Promise<void> {
    standIn = await startStandIn({ ehrUrl: ehr.url, patient: PATIENT, refresh });
    app = await startClinicianApp({
      host: '127.0.0.1',
      port: 0,
      gatewayUrl: standIn.url,
      now: () => new Date('2026-10-30T12:00:00Z'),
    });
  }
  beforeEach(async () => {
    await open();
    page = await browser.newPage();
    page.setDefaultTimeout(25_000);
    wrong = [];
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/40\d|503/.test(message.text())) wrong.push(message.text());
    });
  });
  afterEach(async () => {
    await page.close();
    await app.stop();
    await standIn.stop();
    ehr.board.setRules([]);
    expect(wrong).toEqual([]);
  });

  const signedIn = async (): Promise<void> => {
    await page.goto(app.launchUrl);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bruno Castellan' }).waitFor();
    await page.getByText('measurements shown').waitFor();
  };
  const card = (title: string) => page.locator(`article[data-title="${title}"]`);
  const press = (title: string): Promise<void> => page.getByRole('button', { name: title, exact: true }).press('Enter');

  test('signs in by itself with PKCE and shows the patient’s groups, one tile for each measurement and its chart on demand', async () => {
    await signedIn();
    expect(standIn.asked[0]).toMatchObject({
      response_type: 'code',
      client_id: 'clinician-app',
      redirect_uri: app.redirectUri,
      aud: `${standIn.url}/fhir`,
      code_challenge_method: 'S256',
    });
    expect(standIn.asked[0]?.['scope']?.split(' ')).toEqual(
      expect.arrayContaining(['launch/patient', 'patient/Observation.rs']),
    );
    expect(await page.locator('h2').allTextContents()).toEqual([
      'Alerts',
      'Vital signs',
      'Activity',
      'Sleep',
      'Laboratory',
      'Withdrawn values',
    ]);
    expect(await page.locator('.chart canvas').count()).toBe(0);
    expect(await page.locator('article .tile').count()).toBe(await page.locator('article').count());
    await press('Body weight');
    await press('Steps');
    expect(await page.locator('.chart canvas').count()).toBe(2);
    const painted = await card('Body weight')
      .locator('canvas')
      .evaluate((canvas) => {
        const { data } = (
          canvas as unknown as {
            getContext(kind: '2d'): { getImageData(...at: number[]): { data: number[] } };
            width: number;
            height: number;
          }
        )
          .getContext('2d')
          .getImageData(
            0,
            0,
            (canvas as unknown as { width: number }).width,
            (canvas as unknown as { height: number }).height,
          );
        return data.some((value) => value !== 0);
      });
    expect(painted).toBe(true);
    expect(new URL(page.url()).search).toBe('');
  });

  test('is launched by the EHR with its launch, and by no other', async () => {
    await page.goto(`${app.launchUrl}?iss=${encodeURIComponent(`${standIn.url}/fhir`)}&launch=xyz`);
    await page.getByRole('heading', { level: 1, name: 'Bruno Castellan' }).waitFor();
    expect(standIn.asked[0]).toMatchObject({ launch: 'xyz' });
    expect(standIn.asked[0]?.['scope']?.split(' ')).toContain('launch');
    for (const query of [
      'iss=https://evil.example/fhir&launch=1',
      'fhirServiceUrl=https://evil.example/fhir',
      'clientId=other',
    ]) {
      await page.goto(`${app.launchUrl}?${query}`);
      await page.getByText('a server that it does not know').waitFor();
    }
    expect(standIn.asked.length).toBe(1);
  });

  test('has a table beside each chart, by keyboard, with values, range, status and source', async () => {
    await signedIn();
    await press('Body weight');
    await press('Glucose');
    const toggle = page.getByRole('button', { name: 'Values of Body weight' });
    await toggle.focus();
    expect(await toggle.getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('Enter');
    expect(await toggle.getAttribute('aria-expanded')).toBe('true');
    const cells = async (row: number) =>
      await card('Body weight').locator('tbody tr').nth(row).locator('th, td').allTextContents();
    expect(await card('Body weight').locator('tbody tr').count()).toBe(30);
    expect(await cells(0)).toEqual([
      '2026-10-30',
      '73 kg',
      'none given',
      'amended after it was first written',
      'sent by Chartgate',
    ]);
    expect(await cells(2)).toEqual([
      '2026-10-28',
      '72.8 kg',
      'none given',
      'final',
      'measured by Scale 2, Example Devices',
    ]);
    await page.keyboard.press('Space');
    expect(await card('Body weight').locator('table').isVisible()).toBe(false);

    await page.getByRole('button', { name: 'Values of Glucose' }).press('Enter');
    expect(await card('Glucose').locator('tbody tr th, tbody tr td').allTextContents()).toEqual([
      '2026-10-10 08:15',
      '104 mg/dL',
      '70 to 99 mg/dL',
      'final. High',
      'performed by Example laboratory',
    ]);
    expect(await card('Glucose').locator('.key').textContent()).toContain('reference range 70 to 99 mg/dL');
  });

  test('shows what was withdrawn struck through and in a list, and draws none of it', async () => {
    await signedIn();
    await press('Body weight');
    const label = await card('Body weight').locator('.chart').getAttribute('aria-label');
    expect(label).toContain('highest 73');
    expect(label).toContain('1 withdrawn and not drawn');
    await page.getByRole('button', { name: 'Values of Body weight' }).click();
    expect(await card('Body weight').locator('tr.withdrawn s').allTextContents()).toEqual(['777 kg']);
    expect(await page.locator('#withdrawn tbody tr th').allTextContents()).toEqual(['Body weight, 2026-10-29']);
    expect(await page.locator('#withdrawn tbody s').allTextContents()).toEqual(['777 kg']);
  });

  test('reads all pages, and shows as many days as are asked for', async () => {
    await signedIn();
    const all = ehr.log.requests().filter(({ path }) => path.includes('/Observation?_page='));
    expect(all.length).toBeGreaterThanOrEqual(1);
    await press('Steps');
    await page.getByLabel('Shown, back from today').selectOption('7');
    expect(await card('Steps').locator('.chart').getAttribute('aria-label')).toContain(
      '5 values from 2026-10-24 to 2026-10-28',
    );
    await page.getByLabel('Shown, back').selectOption('');
    expect(await page.locator('#state').textContent()).toBe('144 of 144 measurements shown.');
  });

  test('says who is signed in and whose chart it is, in landmarks under one heading', async () => {
    await signedIn();
    expect(await page.locator('#user p').textContent()).toBe('Signed in: Dr Rosalind Okafor');
    expect(await page.locator('.patient dl div').allTextContents()).toEqual([
      'Born1974-11-02 (51)',
      'Sexmale',
      'MRN0001002',
    ]);
    for (const role of ['banner', 'main', 'contentinfo', 'navigation'] as const)
      expect([role, await page.getByRole(role).count()]).toEqual([role, 1]);
    expect(await page.locator('h1').count()).toBe(1);
  });

  test('sorts and finds, keeps what is open and where the focus is, and says how many fit', async () => {
    await signedIn();
    const titles = (): Promise<string[]> => page.locator('h3 .toggle').allTextContents();
    const sorted = (words: string): Promise<string[]> => page.getByLabel('Sorted').selectOption({ label: words });
    await press('Steps');
    await sorted('By name');
    expect(await page.locator('h2').allTextContents()).toEqual(['Alerts', 'By name', 'Withdrawn values']);
    const byName = (await titles()).slice(1);
    expect(byName).toEqual(byName.toSorted((a, b) => a.localeCompare(b, 'en')));
    expect(await card('Steps').locator('.chart canvas').isVisible()).toBe(true);
    expect(await card('Steps').locator('.group').textContent()).toBe('Activity');
    await sorted('Newest first');
    expect((await titles()).at(-1)).toBe('Glucose');
    await sorted('Out of range first');
    expect((await titles())[0]).toBe('Glucose');
    const find = page.getByLabel('Find');
    await find.fill('sleep');
    expect(await titles()).toEqual(['Sleep duration']);
    expect(await page.locator('#state').textContent()).toBe('1 kind fits “sleep”.');
    await find.fill('29463-7');
    expect(await titles()).toEqual(['Body weight']);
    expect(await page.evaluate('document.activeElement.id')).toBe('wanted');
    await find.fill('nothing of the kind');
    expect(await page.locator('.empty').allTextContents()).toContain('Nothing that fits.');
  });

  test.each(['light', 'dark'] as const)(
    'before and after signing in axe has nothing to object to, %s',
    async (scheme) => {
      await page.emulateMedia({ colorScheme: scheme });
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await page.goto(app.launchUrl);
        await page.getByRole('button', { name: 'Sign in' }).waitFor();
        await checkAccess(page);
        await page.goto(`${app.url}/index.html?error=access_denied&state=x`);
        await page.getByText('Signing in was stopped or refused').waitFor();
        await checkAccess(page);
      }
    },
  );

  test('takes nothing of the chart for markup', async () => {
    await signedIn();
    expect(await page.getByText('<img src=x').count()).toBeGreaterThan(0);
    expect([await page.locator('main img').count(), await page.title()]).toEqual([0, 'Measurements']);
  });

  test('fits a screen of 360 pixels', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await signedIn();
    await press('Body weight');
    await page.getByRole('button', { name: 'Values of Body weight' }).click();
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    expect(wide).toBeLessThanOrEqual(360);
  });

  test('asks to sign in again when the session has ended', async () => {
    await signedIn();
    standIn.expireTokens();
    await page.reload();
    await page.getByText('Your session has ended').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Bruno Castellan' }).waitFor();
    expect(standIn.asked.length).toBe(2);
  });

  test('says what is wrong where the chart cannot be read, and tries again', async () => {
    ehr.board.setRules([{ path: '/Observation', status: 503 }]);
    await page.goto(app.launchUrl);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('could not be read').waitFor();
    ehr.board.setRules([]);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bruno Castellan' }).waitFor();
  });

  test('says that a sign-in was refused', async () => {
    await page.goto(`${app.url}/index.html?error=access_denied&state=x`);
    await page.getByText('Signing in was stopped or refused').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bruno Castellan' }).waitFor();
  });

  describe('with a refresh token', () => {
    beforeEach(async () => {
      await app.stop();
      await standIn.stop();
      await open('given');
    });

    test('goes on with a new access token, and asks to sign in when that is refused', async () => {
      await signedIn();
      const expire = (): Promise<unknown> =>
        page.evaluate(
          `(() => { const key = JSON.parse(sessionStorage.getItem('SMART_KEY')); const state = JSON.parse(sessionStorage.getItem(key)); state.expiresAt = 1; sessionStorage.setItem(key, JSON.stringify(state)); })()`,
        );
      standIn.expireTokens();
      await expire();
      await page.reload();
      await page.getByText('measurements shown').waitFor();
      expect([standIn.refreshes(), standIn.asked.length]).toEqual([1, 1]);
      standIn.expireTokens();
      standIn.refuseRefresh();
      await expire();
      await page.reload();
      await page.getByText('Your session has ended').waitFor();
    });
  });

  test('serves its own files and nothing else, under a policy that allows no inline script', async () => {
    const get = (path: string) => fetch(`${app.url}${path}`);
    const icon = await get('/icon.svg');
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    const home = await get('/');
    expect(home.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(home.headers.get('content-security-policy')).toContain(`connect-src 'self' ${standIn.url};`);
    for (const path of [
      '/../package.json',
      '/tsconfig.json',
      '/%2e%2e/start-clinician-app.ts',
      '/vendor/other.js',
      '/nothing.js',
    ])
      expect((await get(path)).status).toBe(404);
    expect((await fetch(`${app.url}/index.html`, { method: 'POST' })).status).toBe(404);
  });
});
