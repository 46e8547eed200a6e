import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright-core';
import { buildConsole } from '../console/build.ts';
import { enterConsole } from '../test/support/enter-console.ts';
import { fillDeliveries } from '../test/support/fill-deliveries.ts';
import { freePort } from '../test/support/postgres-server.ts';
import { serveSettings } from '../test/support/run-process.ts';
import { startBrowser } from '../test/support/chromium.ts';
import { ADMIN, linkUsers, MRN_SYSTEM } from './deliveries.ts';
import { round, type Figure } from './figure.ts';
import { startGateway, startServer, type Side } from './side.ts';

const ROWS = 1_000_000;
/** What a screen may take. */
const GOAL_MS = 300;
const VISITS = 20;
const EVERY_ROLE = ['viewer', 'engineer', 'clinical-reviewer', 'registrar', 'auditor', 'administrator'];
const SCREENS = [
  '/queue',
  '/deliveries',
  '/deliveries?state=parked',
  '/links',
  '/patient',
  '/mappings',
  '/ehr',
  '/apps',
  '/audit',
  '/posture',
  '/operators',
  '/me',
  '/',
];

/** From the moment that a screen is asked for until everything on it that was asked for is there. */
const visit = (page: Page, path: string): Promise<number> =>
  page.evaluate(
    (to) =>
      new Promise<number>((resolve, reject) => {
        const from = performance.now();
        history.pushState(null, '', `/console${to}`);
        const look = (): void => {
          const waiting = [...document.querySelectorAll('.frame main [role=status]')];
          const isThere =
            document.querySelector('.frame h1') !== null &&
            !waiting.some(({ textContent }) => textContent.startsWith('One moment'));
          const took = performance.now() - from;
          if (isThere) resolve(took);
          else if (took > 30_000) reject(new Error(`${to} did not come to rest`));
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(() => requestAnimationFrame(look));
      }),
    path,
  );

export async function* run({ rows = ROWS }: { readonly rows?: number }): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const file = join(folder, 'chartgate.db');
  const sides: Side[] = [];
  try {
    await buildConsole();
    const sink = await startServer('bench/null-sink.ts');
    sides.push(sink);
    const port = await freePort();
    const base = `http://localhost:${port}`;
    const settings = {
      ...serveSettings(''),
      CHARTGATE_DATABASE_URL: `sqlite:${file}?filesystem=any&create=yes`,
      CHARTGATE_PORT: String(port),
      CHARTGATE_PUBLIC_URL: base,
      CHARTGATE_OPERATOR_SECOND_FACTOR: 'nobody',
      CHARTGATE_CLIENT_UUID: 'bench',
      CHARTGATE_EHR_URL: `http://127.0.0.1:${sink.port}/fhir`,
      CHARTGATE_MRN_SYSTEM: MRN_SYSTEM,
      CHARTGATE_ADMIN_TOKEN: ADMIN,
    };
    const first = await startGateway(file, settings);
    sides.push(first);
    await first.end();
    const db = new DatabaseSync(file);
    db.exec('PRAGMA synchronous = OFF; BEGIN');
    for (const statement of fillDeliveries('sqlite', rows, Date.now() - rows * 1_000)) db.exec(statement);
    db.exec('COMMIT');
    db.close();
    const ours = await startGateway(file, settings);
    sides.push(ours);
    await linkUsers(ours);
    const browser = await startBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
      await enterConsole(page, { base, token: ADMIN }, { name: 'ada', displayName: 'Ada', roles: EVERY_ROLE });
      for (const screen of SCREENS) await visit(page, screen);
      const took: { readonly screen: string; readonly ms: number }[] = [];
      for (let n = 0; n < VISITS; n += 1)
        for (const screen of SCREENS) took.push({ screen, ms: await visit(page, screen) });
      for (const screen of SCREENS) {
        const times = took.filter((one) => one.screen === screen).map(({ ms }) => ms);
        times.sort((a, b) => a - b);
        const p95 = times[Math.floor(times.length * 0.95)] ?? NaN;
        yield {
          bench: 'screens',
          figure: `screen-p95 ${screen}`,
          ratio: round(GOAL_MS / p95),
          ours: round(p95),
          theirs: GOAL_MS,
          unit: 'ms',
          note: `${VISITS} visits among ${rows} deliveries, against the goal; p50 ${round(times[times.length >> 1] ?? NaN)}`,
        };
      }
    } finally {
      await browser.close();
    }
  } finally {
    for (const side of sides) await side.end();
    rmSync(folder, { recursive: true, force: true });
  }
}
