/*
 * `npm run screenshots`: takes the pictures of the console that README.md and docs/console.md show, from a
 * demonstration of its own. Everybody in them is invented.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { enterConsole } from '../test/support/enter-console.ts';
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
  { name: 'console-work', go: (page, base) => page.goto(`${base}/console/work`) },
  {
    name: 'console-delivery',
    async go(page, base) {
      await page.goto(`${base}/console/deliveries?state=delivered`);
      await page.click('tbody a');
    },
  },
  { name: 'console-audit', go: (page, base) => page.goto(`${base}/console/audit`) },
];

const folder = mkdtempSync(join(tmpdir(), 'chartgate-screenshots-'));
const token = randomBytes(32).toString('hex');
const port = await freePort();
const base = `http://localhost:${port}`;
const ports = ['--ehr-port', '--service-port', '--app-port'].map(async (name) => [name, String(await freePort())]);
const demo = runProcess(
  ['demo', '--json', '--data', join(folder, 'data'), '--port', String(port), ...(await Promise.all(ports)).flat()],
  { CHARTGATE_ADMIN_TOKEN: token },
);
try {
  await demo.saw('"gateway"');
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 860 }, colorScheme: 'light' });
    await enterConsole(page, { base, token }, { name: 'ada', displayName: 'Ada Example', roles: EVERY_ROLE });
    process.stdout.write(`The demonstration lives for ${LIFE_MS / 1_000} s.\n`);
    await pause(LIFE_MS);
    for (const { name, go } of SHOTS) {
      await go(page, base);
      await page.waitForFunction(() => !document.querySelector('.frame main')?.textContent.includes('One moment'));
      await pause(1_500);
      await page.screenshot({ path: join(FOLDER, `${name}.png`) });
      process.stdout.write(`${FOLDER}/${name}.png\n`);
    }
  } finally {
    await browser.close();
  }
} finally {
  demo.signal('SIGTERM');
  await demo.ended;
  rmSync(folder, { recursive: true, force: true });
}
