import { existsSync } from 'node:fs';
import { chromium, type Browser, type LaunchOptions } from 'playwright-core';

export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

/** Only what is asked for goes over the network: nothing is looked up, updated or reported. */
export const startBrowser = (more: LaunchOptions = {}): Promise<Browser> =>
  chromium.launch({
    ...more,
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: ['--no-sandbox', '--headless', '--disable-gpu', '--disable-background-networking', '--no-proxy-server'],
  });
