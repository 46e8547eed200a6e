/*
 * `npm run screenshots`: takes the pictures of the console, the sample app, the consent page and the sandbox that
 * README.md and docs/ show, from a demonstration of its own. Everybody in them is invented. With names after it, only
 * those: `npm run screenshots -- app-phone consent`.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { DEMO_USERNAME, demoPassword } from '../sandbox/demo/register-demo-app.ts';
import { enterConsole } from '../test/support/enter-console.ts';
import { aClinicalReady, aLabResult } from '../test/support/payloads/index.ts';
import { freePort } from '../test/support/postgres-server.ts';
import { runProcess } from '../test/support/run-process.ts';
import { startBrowser } from '../test/support/chromium.ts';

const FOLDER = 'docs/pictures';
const EVERY_ROLE = ['viewer', 'engineer', 'clinical-reviewer', 'registrar', 'auditor', 'administrator'];
/** The demonstration has told a month of five people, and the series have some minutes to show. */
const LIFE_MS = 150_000;

interface Shot {
  readonly name: string;
  go(page: Page, base: string): Promise<unknown>;
}
const SHOTS: readonly Shot[] = [
  { name: 'console-overview', go: (page, base) => page.goto(`${base}/console`) },
  { name: 'console-work', go: (page, base) => page.goto(`${base}/console/queue`) },
  {
    name: 'console-delivery',
    async go(page, base) {
      await page.goto(`${base}/console/deliveries?state=delivered`);
      await page.click('tbody a[href*="/deliveries/dlv_"]');
    },
  },
  { name: 'console-audit', go: (page, base) => page.goto(`${base}/console/audit`) },
];

const WANTED = process.argv.slice(2);
const isWanted = (name: string): boolean => WANTED.length === 0 || WANTED.includes(name);

async function take(page: Page, name: string): Promise<void> {
  if (!isWanted(name)) return;
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  process.stdout.write(`${FOLDER}/${name}.png\n`);
}

const readDemoSettings = (data: string): Record<string, string> =>
  JSON.parse(readFileSync(join(data, 'demo-settings.json'), 'utf8')) as Record<string, string>;

/** Whose chart is shown: it has something of every group and an alert. */
const SHOWN_PATIENT = /Bruno Castellan/;

/** The consent page, then the sample app on a desk and in a hand, then the sandbox's first page. */
async function takeApp(browser: Browser, at: { readonly app: string; readonly service: string }, data: string) {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 860 }, colorScheme: 'light' });
  const page = await context.newPage();
  await page.goto(at.app);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('User name').fill(DEMO_USERNAME);
  await page.getByLabel('Password').fill(demoPassword(readDemoSettings(data)['CHARTGATE_ADMIN_TOKEN'] ?? ''));
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: SHOWN_PATIENT }).click();
  const allow = page.getByRole('button', { name: 'Allow', exact: true });
  await allow.waitFor();
  await page.setViewportSize({ width: 760, height: 900 });
  await take(page, 'consent');
  await page.setViewportSize({ width: 1_280, height: 860 });
  await allow.click();
  await page.getByText('measurements shown').waitFor();
  await pause(500);
  await take(page, 'app-overview');
  const tile = page.getByRole('button', { name: 'Blood pressure', exact: true });
  await tile.click();
  await page.getByRole('button', { name: 'Values of Blood pressure' }).click();
  await page.locator('#group-0-title').evaluate((title) => title.scrollIntoView());
  await pause(1_000);
  await take(page, 'app-detail');
  await tile.click();
  await page.setViewportSize({ width: 390, height: 1_100 });
  await page.evaluate(() => window.scrollTo(0, 0));
  await pause(1_000);
  await take(page, 'app-phone');
  await page.setViewportSize({ width: 1_280, height: 1_000 });
  await page.goto(at.service);
  await take(page, 'portal');
  await context.close();
}

/** Something for the work queue: people whom nobody has linked yet, and what is no document at all. */
async function sendWork(base: string, data: string): Promise<void> {
  const settings = readDemoSettings(data);
  const clientUuid = settings['CHARTGATE_CLIENT_UUID'] ?? '';
  const bodies = [
    ...['user-new-1', 'user-new-1', 'user-new-2'].map((userId, n) =>
      JSON.stringify(aClinicalReady({ userId, clientUuid, bundleId: `new-${n}`, day: `2026-11-1${n}` })),
    ),
    JSON.stringify(aLabResult({ userId: 'user-new-2', clientUuid })),
    '{"data_structure":"clinical_ready"',
  ];
  for (const body of bodies)
    await fetch(`${base}/webhooks/${settings['CHARTGATE_WEBHOOK_SECRET'] ?? ''}/data`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
}

const folder = mkdtempSync(join(tmpdir(), 'chartgate-screenshots-'));
const data = join(folder, 'data');
const token = randomBytes(32).toString('hex');
const port = await freePort();
const base = `http://localhost:${port}`;
const [ehrPort, servicePort, appPort] = [String(await freePort()), String(await freePort()), String(await freePort())];
const at = { app: `http://localhost:${appPort}`, service: `http://localhost:${servicePort}` };
const ports = ['--port', String(port), '--ehr-port', ehrPort, '--service-port', servicePort, '--app-port', appPort];
const demo = runProcess(['demo', '--json', '--data', data, ...ports], {
  CHARTGATE_ADMIN_TOKEN: token,
  CHARTGATE_WEBHOOK_HMAC: 'off',
});
try {
  await demo.saw('"gateway"');
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 860 }, colorScheme: 'light' });
    await enterConsole(page, { base, token }, { name: 'ada', displayName: 'Ada Example', roles: EVERY_ROLE });
    process.stdout.write(`The demonstration lives for ${LIFE_MS / 1_000} s.\n`);
    await pause(LIFE_MS);
    await sendWork(base, data);
    await takeApp(browser, at, data);
    for (const { name, go } of SHOTS.filter((shot) => isWanted(shot.name))) {
      await go(page, base);
      await page.waitForFunction(() => !document.querySelector('.frame main')?.textContent.includes('One moment'));
      await pause(1_500);
      await take(page, name);
    }
  } finally {
    await browser.close();
  }
} finally {
  demo.signal('SIGTERM');
  await demo.ended;
  rmSync(folder, { recursive: true, force: true });
}
