import type { Browser, Page } from 'playwright-core';
import type { Account } from './gateway.ts';

/** Sign-in, patient, encounter, consent, and each once more after a wrong turn. */
const PAGES_MAX = 10;
const TIMEOUT_MS = 30_000;
const TEXT_MAX = 300;

export type Visit = {
  readonly account: Account;
  /** Whom to choose where the page asks for a patient. */
  readonly mrn: string;
  /** The app's origin: the pages are done when the browser is back there. */
  readonly app: string;
};

async function choosePatient(page: Page, mrn: string): Promise<void> {
  const wanted = page.locator('button[name="patient"]', { hasText: mrn });
  if ((await wanted.count()) === 0) {
    await page.locator('form[role="search"] input:not([type="hidden"])').first().fill(mrn);
    await page.keyboard.press('Enter');
    await wanted.first().waitFor();
  }
  await wanted.first().click();
}

/** Presses what a clinician would press on the page that is shown. */
async function pressOne(page: Page, { account, mrn }: Visit): Promise<void> {
  const has = async (selector: string): Promise<boolean> => (await page.locator(selector).count()) > 0;
  if (await has('input[type="password"]')) {
    await page.getByLabel('User name').fill(account.username);
    await page.getByLabel('Password').fill(account.password);
    await page.keyboard.press('Enter');
  } else if (await has('button[value="allow"]')) await page.locator('button[value="allow"]').click();
  else if (await has('button[name="encounter"]')) await page.locator('button[name="encounter"]').first().click();
  else if ((await has('button[name="patient"]')) || (await has('form[role="search"]'))) await choosePatient(page, mrn);
  else {
    const text = await page.locator('body').innerText();
    throw new Error(`nothing to press at ${page.url().split('?')[0] ?? ''}: ${text.slice(0, TEXT_MAX)}`);
  }
}

/** Opens the address in a browser without a memory and goes through the pages; tells where it ended. */
export async function pressPages(browser: Browser, address: string, visit: Visit): Promise<string> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.goto(address);
    const isBack = (): boolean => new URL(page.url()).origin === new URL(visit.app).origin;
    for (let n = 0; n < PAGES_MAX && !isBack(); n += 1) {
      const before = await page.content();
      await pressOne(page, visit);
      // The address of the next page is often that of the last one.
      await page.waitForFunction(
        (old) => document.readyState === 'complete' && document.body.innerHTML !== old,
        before,
      );
    }
    if (!isBack()) throw new Error(`still at ${page.url().split('?')[0] ?? ''} after ${PAGES_MAX} pages`);
    return page.url();
  } finally {
    await context.close();
  }
}
