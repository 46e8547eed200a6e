import type { Browser, Page } from 'playwright-core';
import { startClinicianApp, type DemoEhr } from '../../sandbox/index.ts';
import { startStandIn } from './smart-stand-in.ts';

export interface OpenedApp {
  readonly page: Page;
  readonly errors: readonly string[];
  close(): Promise<void>;
}

/** The sample app, signed in and with the chart of one patient read at the time `at`. */
export async function openClinicianApp(
  browser: Browser,
  ehr: DemoEhr,
  look: { readonly patient: string; readonly at: string; readonly width: number; readonly height: number },
): Promise<OpenedApp> {
  const standIn = await startStandIn({ ehrUrl: ehr.url, patient: look.patient, refresh: null });
  const app = await startClinicianApp({
    host: '127.0.0.1',
    port: 0,
    gatewayUrl: standIn.url,
    now: () => new Date(look.at),
  });
  const page = await browser.newPage({
    viewport: { width: look.width, height: look.height },
    timezoneId: 'Europe/Berlin',
  });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.setDefaultTimeout(25_000);
  await page.goto(app.launchUrl);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('measurements shown').waitFor();
  return {
    page,
    errors,
    close: async () => {
      await page.close();
      await app.stop();
      await standIn.stop();
    },
  };
}
