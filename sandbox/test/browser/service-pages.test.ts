import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { systemClock } from '../../../src/kernel/index.ts';
import { startService, type Client, type DemoService } from '../../index.ts';
import { checkAccess } from '../../../test/support/check-access.ts';
import { describeInBrowser, startBrowser } from '../../../test/support/start-browser.ts';

// A browser on a busy machine is slow, not wrong.
jest.setTimeout(90_000);

const USER = 'user-1';
const TABS_MAX = 40;

describeInBrowser("the sandbox's pages on a screen of 360 pixels", () => {
  let browser: Browser;
  let service: DemoService;
  let client: Client;
  let context: BrowserContext;
  let page: Page;
  let wrong: string[];
  let clinic: Server;
  let back: string;

  beforeAll(async () => {
    browser = await startBrowser();
    clinic = createServer((_req, res) => res.setHeader('content-type', 'text/html').end('<h1>Back at the clinic</h1>'));
    clinic.listen(0, '127.0.0.1');
    await once(clinic, 'listening');
    back = `http://127.0.0.1:${(clinic.address() as AddressInfo).port}/back`;
  });
  afterAll(async () => {
    await browser.close();
    clinic.closeAllConnections();
    clinic.close();
  });
  beforeEach(async () => {
    service = await startService({ host: '127.0.0.1', port: 0, clock: systemClock });
    client = service.putClient({ uuid: 'client-1-of-a-long-name-without-a-blank', name: 'First Clinic' });
    context = await browser.newContext({
      viewport: { width: 360, height: 740 },
      httpCredentials: { username: client.uuid, password: client.secretKey, origin: service.url },
    });
    page = await context.newPage();
    page.setDefaultTimeout(20_000);
    wrong = [];
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('console', (message) => {
      // A refusal that the test asks for is told by its status.
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) wrong.push(message.text());
    });
    page.on('response', (response) => {
      if (response.status() === 404) wrong.push(`404 ${new URL(response.url()).pathname}`);
    });
  });
  afterEach(async () => {
    await context.close();
    await service.stop();
    expect(wrong).toEqual([]);
  });

  const authorization = (): string => `Basic ${Buffer.from(`${client.uuid}:${client.secretKey}`).toString('base64')}`;
  const stateOf = (source: string) => service.state.connections.get(JSON.stringify([client.uuid, USER, source]))?.state;
  const fits = async (): Promise<void> =>
    expect([page.url(), Number(await page.evaluate('document.documentElement.scrollWidth'))]).toEqual([
      page.url(),
      360,
    ]);
  async function authorizationUrl(source: string, redirectUrl?: string): Promise<string> {
    const query = redirectUrl === undefined ? '' : `?redirect_url=${encodeURIComponent(redirectUrl)}`;
    const answer = await fetch(`${service.url}/api/v1/user_id/${USER}/data_source/${source}/authorizer${query}`, {
      headers: { authorization: authorization() },
    });
    return ((await answer.json()) as { authorization_url: string }).authorization_url;
  }
  async function bind(metadata: Record<string, unknown> = {}): Promise<{ png: Buffer; link: string }> {
    const answer = await fetch(`${service.url}/api/v1/extraction_app/binding/`, {
      method: 'POST',
      headers: { authorization: authorization(), 'content-type': 'application/json', 'user-agent': 'a-test' },
      body: JSON.stringify({ user_id: USER, metadata: { client_name: 'First Clinic', ...metadata }, salt: 'word1' }),
    });
    const { qr_code: code, universal_link: link } = (await answer.json()) as {
      qr_code: string;
      universal_link: string;
    };
    return { png: Buffer.from(code.split(',')[1] ?? '', 'base64'), link };
  }
  /** As somebody without a mouse gets there. What has the focus must be seen to have it. */
  async function tabTo(name: string): Promise<void> {
    for (let i = 0; i < TABS_MAX; i += 1) {
      await page.keyboard.press('Tab');
      const [label, outline] = await page.evaluate<[string, string]>(
        `(() => { const at = document.activeElement; const label = at.labels?.[0]?.textContent ?? at.textContent; return [label.trim().replace(/\\s+/g, ' '), getComputedStyle(at).outlineStyle]; })()`,
      );
      if (label !== name) continue;
      expect(outline).not.toBe('none');
      return;
    }
    throw new Error(`no way to ${name} by keyboard`);
  }
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();

  test('portal: webhooks and white label are kept, and a mistake is told', async () => {
    await page.goto(`${service.url}/portal`);
    await heading('Client portal');
    await fits();
    await page.getByLabel('Data Webhook').fill('http://clinic.example/hook');
    await page.getByLabel('Company name').fill('Typed before');
    await page.getByLabel('Primary brand colour').fill('#123456');
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('https');
    const typed = ['Data Webhook', 'Company name', 'Primary brand colour'].map((name) =>
      page.getByLabel(name).inputValue(),
    );
    expect(await Promise.all(typed)).toEqual(['http://clinic.example/hook', 'Typed before', '#123456']);
    expect(await page.getByLabel('Data Webhook').getAttribute('aria-invalid')).toBe('true');
    await checkAccess(page);
    await page.getByLabel('Data Webhook').fill('https://clinic.example/hook');
    await page.getByLabel('Company name').fill('Clinic App');
    await page.getByLabel('Company name').press('Enter');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(await page.getByRole('status').textContent()).toBe('Saved.');
    expect(await page.getByLabel('Data Webhook').inputValue()).toBe('https://clinic.example/hook');
    expect(service.state.clients.get(client.uuid)).toMatchObject({
      dataWebhook: 'https://clinic.example/hook',
      brand: { name: 'Clinic App' },
    });
  });

  test('first page: what it is, the people and what they connected, and the ways on', async () => {
    const connect = (dataSource: string) =>
      service.connect({
        client: client.uuid,
        user: USER,
        dataSource,
        kind: 'api',
        state: 'connected',
        account: 'person-1',
        granted: ['all'],
      });
    await page.goto(service.url);
    expect(await page.getByText('Nobody is here yet').isVisible()).toBe(true);
    connect('RingWearable');
    connect('ConnectedScale');
    service.introduce({
      beside: [{ words: 'Sample app', url: `${service.url}/app`, about: 'Charts <b>.' }],
      person: (user) => (user === USER ? { name: 'Ada Lindqvist', about: 'MRN 0001001', links: [] } : null),
    });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(service.url);
      await heading('Sandbox of the health data service');
      await fits();
      await checkAccess(page);
    }
    const person = page.locator('.card').filter({ hasText: 'Ada Lindqvist' });
    const sources = await person.locator('.sources li').allTextContents();
    expect(sources.map((words) => words.trim())).toEqual(['Ring wearable', 'Connected scale and cuff']);
    expect(await page.getByText('Charts <b>.').count()).toBe(1);
    await person.getByRole('link', { name: 'Data sources of Ada Lindqvist' }).click();
    await heading('Connect your data sources');
    await page.goto(service.url);
    await page.getByRole('navigation').getByRole('link', { name: 'Client portal' }).click();
    await heading('Client portal');
  });

  test('portal: who gives no password is told in words which one is asked for', async () => {
    const answer = await fetch(`${service.url}/portal`, { headers: { accept: 'text/html' } });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="service"']);
    expect(await answer.text()).toContain('client_uuid');
    const icon = await fetch(`${service.url}/icon.svg`);
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  });

  test('authorization: what was typed is there after a mistake', async () => {
    const url = new URL(await authorizationUrl('RingWearable'));
    const body = new URLSearchParams({
      state: url.searchParams.get('state') ?? '',
      account: 'x'.repeat(101),
      decision: 'grant',
    });
    const answer = await fetch(url, { method: 'POST', body });
    expect(answer.status).toBe(400);
    const text = await answer.text();
    expect(text).toContain(`value="${'x'.repeat(101)}"`);
    expect(text).toContain('Name your account');
  });

  test('authorization by keyboard: refused, then allowed, and back at the address of the client', async () => {
    service.putClient({ ...client, addOns: { callback_url_setup: true } });
    await page.goto(await authorizationUrl('RingWearable', back));
    await fits();
    await tabTo('Refuse');
    await page.keyboard.press('Enter');
    await heading('Refused');
    expect(stateOf('RingWearable')).toBeUndefined();
    await page.goto(await authorizationUrl('RingWearable', back));
    await tabTo('Your account at Ring wearable');
    await page.keyboard.type('me');
    await tabTo('Allow');
    await page.keyboard.press('Space');
    await heading('Back at the clinic');
    expect(page.url()).toBe(back);
    expect(stateOf('RingWearable')).toBe('connected');
    await page.goto(`${service.url}/provider/RingWearable/access?account=me`);
    await fits();
    await page.getByRole('button', { name: 'Take access away' }).click();
    await page.getByText('Nobody has access').waitFor();
    expect(stateOf('RingWearable')).toBe('disconnected');
  });

  test.each(['localhost', '127.0.0.1'])(
    'Connections Page at %s: a button per source leads there and back',
    async (host) => {
      const path = `${service.url.replace('localhost', host)}/connections/${client.uuid}/${USER}`;
      await page.goto(path);
      await fits();
      expect(await page.getByRole('button').count()).toBe(7);
      await tabTo('Connect Continuous glucose monitor');
      await page.keyboard.press('Enter');
      await heading(/Continuous glucose monitor/);
      await page.getByRole('button', { name: 'Allow' }).click();
      await heading(/is connected/);
      await page.goto(path);
      expect(await page.getByRole('row', { name: /Continuous glucose monitor/ }).textContent()).not.toContain(
        'not connected',
      );
    },
  );

  test('extraction app by keyboard: scan, word, terms, a permission denied, log-out that leaves the source linked', async () => {
    service.putClient({ ...client, brand: { name: 'Clinic App', logo: null, color: '#aa3311' } });
    const { png } = await bind({ tyc_url: `${back}?terms`, support_url: `${back}?help` });
    await page.goto(`${service.url}/app`);
    await fits();
    await page
      .getByLabel('Picture of the code')
      .setInputFiles({ name: 'code.png', mimeType: 'image/png', buffer: png });
    await page.getByRole('button', { name: 'Scan' }).press('Enter');
    await page.getByLabel('Word').waitFor();
    await fits();
    await tabTo('Word');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('alert').textContent()).toContain('does not open');
    await tabTo('Word');
    await page.keyboard.type('word1');
    await page.keyboard.press('Enter');
    await heading('Clinic App');
    expect(await page.getByRole('button', { name: /^Link/ }).count()).toBe(0);
    await tabTo('Accept the terms');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Link iOS health aggregator' }).waitFor();
    await fits();
    const color = await page
      .getByRole('heading', { level: 1 })
      .evaluate(
        (at) =>
          (globalThis as unknown as { getComputedStyle(of: unknown): { borderBottomColor: string } }).getComputedStyle(
            at,
          ).borderBottomColor,
      );
    expect(color).toBe('rgb(170, 51, 17)');

    await tabTo('heart');
    await page.keyboard.press('Space');
    await tabTo('Link iOS health aggregator');
    await page.keyboard.press('Enter');
    await page.getByText('Incomplete: a permission was denied').waitFor();
    expect(stateOf('IosHealth')).toBe('incomplete');
    await tabTo('Unlink iOS health aggregator');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Link iOS health aggregator', exact: true }).waitFor();
    await tabTo('Link iOS health aggregator');
    await page.keyboard.press('Enter');
    await page.getByText('Data is extracted in the background').waitFor();
    expect(stateOf('IosHealth')).toBe('connected');

    await tabTo('Log out');
    await page.keyboard.press('Enter');
    await page.getByText('1 data source(s) are still linked').waitFor();
    expect(stateOf('IosHealth')).toBe('connected');
  });

  test('extraction app by link: log-out with complete_log_out unlinks all sources', async () => {
    const { link } = await bind({ complete_log_out: true });
    await page.goto(`${service.url}/app`);
    await page.getByLabel('Link').fill(link);
    await page.getByLabel('Link').press('Enter');
    await page.getByLabel('Word').fill('word1');
    await page.getByLabel('Word').press('Enter');
    await page.getByRole('button', { name: 'Accept the terms' }).click();
    await page.getByRole('button', { name: 'Link Android health aggregator' }).click();
    await page.getByText('Data is extracted in the background').waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByText('Scan the code').waitFor();
    expect(stateOf('AndroidHealth')).toBe('disconnected');
  });
});
