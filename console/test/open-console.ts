import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ADMIN_TOKEN, startRig, type Rig } from '../../test/flow/delivery/rig.ts';
import { movedClock } from '../../test/support/clock.ts';
import { enterConsole } from '../../test/support/enter-console.ts';
import type { Place } from '../../test/support/new-store.ts';
import { freePort } from '../../test/support/postgres-server.ts';
import { buildConsole } from '../build.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** After so long a sign-in proves too little for some acts; it still holds for all others. */
export const PROOF_IS_OLD_MS = 6 * 60_000;

/** A gateway with its demo EHR, which serves the console at the address that a browser uses. */
export async function startConsole(
  makePlace: () => Promise<Place>,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly rig: Rig; readonly base: string; readonly clock: ReturnType<typeof movedClock> }> {
  await buildConsole();
  const port = await freePort();
  const base = `http://localhost:${port}`;
  const settings = {
    CHARTGATE_PORT: String(port),
    CHARTGATE_PUBLIC_URL: base,
    CHARTGATE_OPERATOR_SECOND_FACTOR: 'nobody',
    ...more,
  };
  const clock = movedClock();
  return { rig: await startRig(makePlace, { settings, clock }), base, clock };
}

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What went wrong in the page, a breach of its policy too. */
  readonly errors: readonly string[];
  go(path: string): Promise<void>;
}

/** Somebody with these roles, who has signed in and stands at the console. */
export async function visit(
  browser: Browser,
  { base }: { readonly base: string },
  name: string,
  roles: readonly string[],
  how: { readonly colorScheme?: 'light' | 'dark'; readonly width?: number } = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: how.width ?? 1_280, height: 900 },
    colorScheme: how.colorScheme ?? 'light',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (line) => {
    // Being nobody is answered by 401, which the browser tells as an error.
    if (line.type() === 'error' && !/status of 4\d\d/.test(line.text())) errors.push(line.text());
  });
  await enterConsole(page, { base, token: ADMIN_TOKEN }, { name, displayName: `Person ${name}`, roles });
  return {
    context,
    page,
    errors,
    async go(path) {
      await page.goto(`${base}/console${path}`);
      await page.waitForSelector('.frame h1');
      await page.waitForFunction(
        () => document.querySelector('.frame main > [role=status]')?.textContent !== 'One moment …',
      );
    },
  };
}

/** What an automatic look at accessibility objects to. */
export async function checkAccess(page: Page): Promise<void> {
  const found = await page.evaluate(`(() => { ${AXE}; return axe.run({ resultTypes: ['violations'] }); })()`);
  const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] };
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html).slice(0, 3)])).toEqual([]);
}
