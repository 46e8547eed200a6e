import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { systemClock } from '../../src/kernel/index.ts';
import { startGateway, type Gateway } from '../../src/gateway/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { configOf } from '../support/gateway.ts';
import { sqlitePlace, type Place } from '../support/new-store.ts';
import { describeInBrowser, startBrowser } from '../support/start-browser.ts';

// A browser on a busy machine is slow, not wrong.
jest.setTimeout(120_000);

describeInBrowser('the reference', () => {
  let place: Place;
  let gateway: Gateway;
  let browser: Browser;
  beforeAll(async () => {
    place = await sqlitePlace();
    if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
    gateway = await startGateway({
      config: configOf(`sqlite:${place.database.file}?filesystem=any`),
      clock: systemClock,
      log: collectLog(),
    });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await gateway.stop();
    await place.remove();
  });

  test('shows groups, parameters, schemas, authentication and calls to copy, and breaks no rule of its policy', async () => {
    const page = await browser.newPage();
    const origin = `http://127.0.0.1:${gateway.port}`;
    const wrong: string[] = [];
    page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
    page.on('pageerror', (error) => wrong.push(String(error)));
    page.on('request', (asked) => {
      if (!asked.url().startsWith(origin) && !asked.url().startsWith('data:')) wrong.push(asked.url());
    });
    // Every breach, also one that the console does not tell.
    await page.exposeFunction('tellBreach', (directive: string) => void wrong.push(directive));
    await page.addInitScript(
      "addEventListener('securitypolicyviolation', (event) => tellBreach(event.violatedDirective))",
    );
    await page.goto(`${origin}/docs`);
    await page.getByRole('heading', { name: 'Deliveries, newest first' }).waitFor();
    const text = await page.locator('body').innerText();
    for (const shown of [
      'Shadow mode',
      'SMART read API',
      '/admin/api/deliveries',
      'client_uuid',
      'Permission: deliveries.read',
      'operator',
      'curl',
      'Authorization: Bearer $CHARTGATE_ADMIN_TOKEN',
    ])
      expect([shown, text.includes(shown)]).toEqual([shown, true]);
    expect(wrong).toEqual([]);
  });
});
