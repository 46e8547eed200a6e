import { expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { Step } from '../support/pages/parse-page.ts';
import { runPage, type OpenPage } from '../support/pages/run-page.ts';
import { describeInBrowser, startBrowser } from '../support/start-browser.ts';

const PAGE = 'docs/tutorials/first-clinician-app.md';

/** What the page asks of its reader in the browser: signs in, perhaps chooses a patient, allows, and reads. */
async function useApp(browser: Browser, url: string, password: string, patient: string | null): Promise<string> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(url);
    await page.getByLabel('User name').fill('clinician');
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    if (patient !== null) await page.getByRole('button', { name: new RegExp(patient) }).click();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByText(/: \d/).first().waitFor();
    return await page.locator('main').innerText();
  } finally {
    await context.close();
  }
}

describeInBrowser(PAGE, () => {
  test('does what it says, in Chromium too: the app is the one of the page', async () => {
    const browser = await startBrowser();
    const seen: string[] = [];
    let password = '';
    const look = async (step: Step, open: OpenPage): Promise<void> => {
      if (step.kind === 'background' && step.text.includes('npm start'))
        password = /as clinician, password (\S+)/.exec(open.printed())?.[1] ?? '';
      if (step.kind === 'background' && step.text.includes('serve-app'))
        seen.push(await useApp(browser, `http://localhost:${open.ports[8084]}/`, password, 'Marlowe'));
      if (step.kind === 'run' && step.text.includes('/admin/api/launches'))
        seen.push(await useApp(browser, open.printed().trim(), password, null));
    };
    try {
      await runPage(PAGE, { look });
    } finally {
      await browser.close();
    }
    // Standalone and launched: the same patient, with values.
    expect(seen).toHaveLength(2);
    for (const text of seen) expect(text).toMatch(/^Chiyo Marlowe\n(?:.+: [\d.]+ \S+\n?)+$/);
  }, 480_000);
});
