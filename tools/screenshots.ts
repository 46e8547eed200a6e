/*
 * `npm run screenshots`: takes the pictures of the console that README.md and docs/console.md show, from a
 * demonstration of its own. Everybody in them is invented.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
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

/** Something for the work queue: people whom nobody has linked yet, and what is no document at all. */
async function sendWork(base: string, data: string): Promise<void> {
  const settings = JSON.parse(readFileSync(join(data, 'demo-settings.json'), 'utf8')) as Record<string, string>;
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
const ports = ['--ehr-port', '--service-port', '--app-port'].map(async (name) => [name, String(await freePort())]);
const demo = runProcess(
  ['demo', '--json', '--data', data, '--port', String(port), ...(await Promise.all(ports)).flat()],
  { CHARTGATE_ADMIN_TOKEN: token, CHARTGATE_WEBHOOK_HMAC: 'off' },
);
try {
  await demo.saw('"gateway"');
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 860 }, colorScheme: 'light' });
    await enterConsole(page, { base, token }, { name: 'ada', displayName: 'Ada Example', roles: EVERY_ROLE });
    process.stdout.write(`The demonstration lives for ${LIFE_MS / 1_000} s.\n`);
    await pause(LIFE_MS);
    await sendWork(base, data);
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
