import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { systemClock } from '../../src/kernel/index.ts';
import { seedEhr, startEhr, type DemoEhr } from '../../sandbox/index.ts';
import { checkAccess } from '../support/check-access.ts';
import { LOOKED_AT, putMisleadingChart } from '../support/misleading-chart.ts';
import { openClinicianApp, type OpenedApp } from '../support/open-clinician-app.ts';
import { describeInBrowser, startBrowser } from '../support/start-browser.ts';

// A browser on a busy machine is slow, not wrong.
jest.setTimeout(90_000);

const PATIENT = 'demo-patient-5';
/** Where the pictures of docs/clinician-app.md are written anew: PICTURES=docs/pictures. */
const PICTURES = process.env['PICTURES'] ?? mkdtempSync(join(tmpdir(), 'clinical-safety-'));

describeInBrowser('a chart that could mislead, in the clinician app', () => {
  let browser: Browser;
  let ehr: DemoEhr;
  let app: OpenedApp;
  let page: Page;

  beforeAll(async () => {
    browser = await startBrowser();
    ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
    seedEhr(ehr);
    putMisleadingChart(ehr, PATIENT);
    app = await openClinicianApp(browser, ehr, { patient: PATIENT, at: LOOKED_AT, width: 1280, height: 1240 });
    ({ page } = app);
  });
  afterAll(async () => {
    expect(app.errors).toEqual([]);
    await app.close();
    await browser.close();
    await ehr.stop();
  });

  const card = (title: string) => page.locator(`article[data-title="${title}"]`);
  const open = async (title: string): Promise<void> => {
    const tile = page.getByRole('button', { name: title, exact: true });
    if ((await tile.getAttribute('aria-expanded')) === 'false') await tile.click();
  };
  const headline = async (title: string): Promise<string> => (await card(title).locator('.latest').textContent()) ?? '';
  const drawn = async (title: string): Promise<string> => {
    await open(title);
    return (await card(title).locator('.chart').getAttribute('aria-label')) ?? '';
  };
  const picture = async (name: string): Promise<void> => {
    const path = join(PICTURES, `clinical-safety-${name}.png`);
    await page.screenshot({ path });
    expect(statSync(path).size).toBeGreaterThan(0);
  };

  test('counts days from today, and says how old the newest value is', async () => {
    expect(await page.locator('#newest').textContent()).toBe(
      'Today is 2026-11-15. Newest value of the chart: 2026-11-14, yesterday.',
    );
    expect(await headline('Body weight')).toBe('Latest: 72.4 kg on 2026-11-03 Last value 12 days ago');
    await page.getByLabel('Shown, back from today').selectOption('7');
    expect(await card('Body weight').locator('.nothing').textContent()).toBe('No value in the last 7 days.');
    expect(await headline('Body weight')).toContain('72.4 kg');
    await page.getByLabel('Shown, back from today').selectOption('30');
  });

  test('takes neither what was withdrawn nor what is dated tomorrow for the latest', async () => {
    expect(await headline('Resting heart rate')).toBe('Latest: 74 /min on 2026-11-14, yesterday');
    expect(await drawn('Resting heart rate')).toContain('highest 74');
    expect(await drawn('Resting heart rate')).toContain('1 dated in the future and not drawn');
    expect(await drawn('Body weight')).toContain('lowest 71');
  });

  test('draws in a tile what the chart draws, to the end of today and on the same scale', async () => {
    expect(await card('Resting heart rate').locator('.spark').getAttribute('aria-label')).toBe(
      'Trend of 15 values: lowest 60, highest 74 /min',
    );
    // The newest weight is twelve days old, so its line ends before the middle of the right half.
    const [end = '0'] = ((await card('Body weight').locator('.spark .dot').getAttribute('d')) ?? '')
      .slice(1)
      .split(',');
    expect(Number(end)).toBeLessThan(140);
    expect(Number(end)).toBeGreaterThan(100);
  });

  test('shows alerts apart, with baseline, deviation and threshold in their own units, and draws none of these', async () => {
    const rows = page.locator('#alerts tbody tr');
    const cells = async (n: number) => (await rows.nth(n).locator('th, td').allTextContents()).slice(0, 7);
    expect(await rows.count()).toBe(4);
    expect(await cells(0)).toEqual([
      'Oxygenation',
      '2026-11-14 03:12, yesterday',
      '90.5 %',
      'from 92 %, default rule of the health data service',
      'none given',
      'none given',
      'final. Low',
    ]);
    expect(await cells(1)).toEqual([
      'Resting heart rate',
      '2026-11-14, yesterday',
      '74 /min',
      'none given',
      '60 /min',
      'Deviation above baseline allowed: 15 %',
      'final. High',
    ]);
    expect((await cells(2)).slice(0, 5)).toEqual([
      'Alert: resting heart rate',
      '2026-11-13, 2 days ago',
      '61 /min',
      'none given',
      '54 /min',
    ]);
    expect((await cells(3)).slice(0, 3)).toEqual([
      'Health monitoring: alerts of a day',
      '2026-11-12, 3 days ago',
      'evaluated: nothing out of range',
    ]);
    expect(await page.locator('article').filter({ hasText: 'Baseline' }).count()).toBe(0);
    expect(await page.locator('article').filter({ hasText: 'Deviation' }).count()).toBe(0);
    expect(await drawn('Resting heart rate')).toContain('lowest 60');
    expect(await page.locator('#alerts .alert-list li').allTextContents()).toEqual([
      'Oxygenation90.5 %Low2026-11-14 03:12, yesterday',
      'Resting heart rate74 /minHigh2026-11-14, yesterday',
      'Resting heart rate61 /min2026-11-13, 2 days ago',
    ]);
    expect(await page.locator('#alerts .empty').textContent()).toBe(
      '4 in this time, newest first; 1 day was evaluated with nothing out of range.',
    );
    expect(await card('Resting heart rate').getByRole('link').textContent()).toBe(
      '2 alerts on such values in this time',
    );
  });

  test('draws SpO2 of the day, of activity and of sleep as three series', async () => {
    for (const [context, lowest] of [
      ['whole day', 97],
      ['physical activity', 96],
      ['sleep', 93],
    ] as const)
      expect(await drawn(`SpO2, ${context}`)).toContain(`15 values from 2026-10-31 to 2026-11-14: lowest ${lowest}`);
  });

  test('says beside the value what must be known of it, in words', async () => {
    expect(await headline('Steps so far')).toContain('Preliminary');
    expect(await headline('Blood pressure')).toContain('Amended');
    expect(await headline('Potassium')).toBe(
      'Latest: 7.9 mmol/L on 2026-10-02 08:15 Preliminary Read by machine Above range Last value 44 days ago',
    );
    expect(await card('Potassium').locator('.note').textContent()).toContain('Outside the usual range');
    expect(await card('BMI').locator('.note').textContent()).toContain('do not match');
    expect(await card('Body weight').locator('.note').textContent()).toContain('The same value on seven days');
  });

  test('is reached by keyboard: alerts, then what was measured', async () => {
    await page.getByRole('link', { name: 'Alerts', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('All 4 with threshold and baseline');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Alerts');
    expect(await page.locator('#alerts table').isVisible()).toBe(true);
    await open('Resting heart rate');
    await page.getByRole('button', { name: 'Values of Resting heart rate' }).focus();
    await page.keyboard.press('Enter');
    const first = card('Resting heart rate').locator('tbody tr').first();
    expect(await first.textContent()).toContain('Dated in the future: not drawn');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Resting heart rate');
    expect(await card('Resting heart rate').locator('.chart').isVisible()).toBe(false);
  });

  test('shows on a phone, without a press, everything that is out of range, has an alert or carries a note', async () => {
    await page.reload();
    await page.getByText('measurements shown').waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    for (const title of ['Resting heart rate', 'SpO2, whole day', 'SpO2, sleep', 'Potassium', 'BMI', 'Body weight'])
      expect([title, await card(title).locator('.tile').isVisible()]).toEqual([title, true]);
    await page.setViewportSize({ width: 1280, height: 1240 });
  });

  test.each([
    ['light', 1280],
    ['light', 390],
    ['dark', 1280],
    ['dark', 390],
  ] as const)('has nothing for axe to object to: %s, %d pixels', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await checkAccess(page);
    await open('Resting heart rate');
    await open('SpO2, sleep');
    await page.getByRole('button', { name: 'Values of Resting heart rate' }).click();
    await page.locator('#legend summary').click();
    await checkAccess(page);
    await page.locator('#legend summary').click();
    for (const title of ['Resting heart rate', 'SpO2, sleep'])
      await page.getByRole('button', { name: title, exact: true }).click();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 1240 });
  });

  test('looks as the pictures of the documentation show, on a desk and in a hand', async () => {
    await page.evaluate('window.scrollTo(0, 0)');
    await picture('after-1280');
    await page.setViewportSize({ width: 390, height: 1240 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.evaluate('window.scrollTo(0, 0)');
    await picture('after-390');
    await page.setViewportSize({ width: 1280, height: 1240 });
  });
});
