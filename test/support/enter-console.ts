import type { Page } from 'playwright-core';

/** A password that no list of common ones knows. */
const PASSWORD = 'gravel-untold-mimic-7';

/** Makes an operator with an administrator's token, sets the password by the link that is given out, and signs in. */
export async function enterConsole(
  page: Page,
  gateway: { readonly base: string; readonly token: string },
  {
    name,
    displayName,
    roles,
  }: { readonly name: string; readonly displayName: string; readonly roles: readonly string[] },
): Promise<void> {
  const made = await fetch(`${gateway.base}/admin/api/operators`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, displayName, roles }),
  });
  const { link } = (await made.json()) as { link?: string };
  if (link === undefined) throw new Error(`the operator could not be made: ${made.status}`);
  await page.goto(link);
  await page.fill('#new-password', PASSWORD);
  await page.fill('#new-again', PASSWORD);
  await page.press('#new-again', 'Enter');
  await page.waitForFunction(() => document.activeElement?.id === 'password');
  await page.goto(`${gateway.base}/console`);
  await page.waitForSelector('#name');
  await page.fill('#name', name);
  await page.fill('#password', PASSWORD);
  await page.press('#password', 'Enter');
  await page.waitForSelector('.frame h1');
}
