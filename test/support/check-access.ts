import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What an automatic look at accessibility objects to: all rules that are on by default, and the experimental one that a
 * name must contain the words that are seen.
 */
export async function checkAccess(page: Page): Promise<void> {
  const rules = { 'label-content-name-mismatch': { enabled: true } };
  const found = await page.evaluate<{
    readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
    readonly passes: number;
  }>(
    `(async () => { ${AXE}; const { violations, passes } = await axe.run({ rules: ${JSON.stringify(rules)} }); return { violations, passes: passes.length }; })()`,
  );
  // One that found nothing to look at says nothing.
  expect(found.passes).toBeGreaterThan(5);
  expect(found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))).toEqual([]);
}
