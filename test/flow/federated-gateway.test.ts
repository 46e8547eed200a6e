import { beforeEach, expect, jest, test } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startGateway } from '../../src/gateway/index.ts';
import { systemClock } from '../../src/kernel/index.ts';
import { Browser, newPkce } from '../support/auth-server.ts';
import { collectLog } from '../support/collect-log.ts';
import { configOf } from '../support/gateway.ts';
import { sqlitePlace } from '../support/new-store.ts';
import { signInThere, startOpenIdProvider } from '../support/openid-provider.ts';
import { stopAfterTest } from '../support/stop-after-test.ts';

jest.setTimeout(120_000);
beforeEach(() => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  jest.spyOn(console, 'info').mockImplementation(() => undefined);
});

const TOKEN = 'operator-'.repeat(5);
const PUBLIC_URL = 'http://localhost:8080';
const NPI = 'http://hl7.org/fhir/sid/us-npi';
const REDIRECT = 'https://app.example/cb';

/** An EHR that knows two practitioners, and finds them by identifier. */
async function startEhr(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const practitioner = (id: string, npi: string, more: Record<string, unknown> = {}) => ({
    resourceType: 'Practitioner',
    id,
    identifier: [{ system: NPI, value: npi }],
    ...more,
  });
  const all = [practitioner('prac-a', '1234567893'), practitioner('prac-b', '1245319599', { active: false })];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://ehr');
      const form = new URLSearchParams(Buffer.concat(parts).toString());
      const identifier = form.get('identifier') ?? searchParams.get('identifier') ?? '';
      if (pathname.startsWith('/fhir/Practitioner')) asked.push(identifier);
      const found = all.filter((one) =>
        one.identifier.some(({ system, value }) => identifier === `${system}|${value}`),
      );
      const answer = pathname.endsWith('/metadata')
        ? { resourceType: 'CapabilityStatement', status: 'active', kind: 'instance', fhirVersion: '4.0.1' }
        : { resourceType: 'Bundle', type: 'searchset', entry: found.map((resource) => ({ resource })) };
      response.setHeader('content-type', 'application/fhir+json').end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stopAfterTest(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/fhir`, asked };
}

test('by settings alone: the whole gateway takes a clinician from the hospital’s provider, known by the EHR', async () => {
  const ehr = await startEhr();
  const provider = await startOpenIdProvider(
    { client_id: 'chartgate', client_secret: 'made-up-secret', redirect_uris: [`${PUBLIC_URL}/auth/provider/back`] },
    new Map([
      ['ada', { npi: '1234567893' }],
      ['bob', { npi: '1245319599' }],
    ]),
  );
  stopAfterTest(provider.stop);
  const place = await sqlitePlace();
  stopAfterTest(() => place.remove());
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  const log = collectLog();
  const config = configOf(`sqlite:${place.database.file}?filesystem=any`, {
    CHARTGATE_ADMIN_TOKEN: TOKEN,
    CHARTGATE_EHR_URL: ehr.url,
    CHARTGATE_SIGN_IN_ISSUER: provider.issuer,
    CHARTGATE_SIGN_IN_CLIENT_ID: 'chartgate',
    CHARTGATE_SIGN_IN_CLIENT_SECRET: 'made-up-secret',
    CHARTGATE_SIGN_IN_PRACTITIONER: 'identifier',
    CHARTGATE_SIGN_IN_USER_CLAIM: 'npi',
    CHARTGATE_SIGN_IN_IDENTIFIER_SYSTEM: NPI,
    CHARTGATE_SIGN_IN_LOCAL: 'off',
  });
  const gateway = await startGateway({ config, clock: systemClock, log });
  stopAfterTest(() => gateway.stop());
  const base = `http://127.0.0.1:${gateway.port}`;
  const here = (url: string): string => new URL(url, base).href.replace(PUBLIC_URL, base);
  const admin = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const scope = 'openid fhirUser user/Practitioner.rs';
  const made = await fetch(`${base}/admin/api/clients`, {
    method: 'POST',
    headers: admin,
    body: JSON.stringify({ name: 'App', kind: 'public', scope, redirectUris: [REDIRECT] }),
  });
  const { id: app } = (await made.json()) as { id: string };

  /** As far as we lead by ourselves; answers the last answer and its address. */
  async function follow(browser: Browser, from: string): Promise<{ answer: Response; url: string }> {
    let url = here(from);
    for (let n = 0; n < 10; n += 1) {
      const answer = await browser.go(url);
      const location = answer.headers.get('location');
      if (location === null) return { answer, url };
      const next = new URL(location, url).href;
      if (!here(next).startsWith(base)) return { answer, url: next };
      url = here(next);
    }
    throw new Error('led in circles');
  }
  const { verifier, challenge } = newPkce();
  async function signIn(login: string) {
    const browser = new Browser();
    const asked = new URLSearchParams({
      response_type: 'code',
      client_id: app,
      redirect_uri: REDIRECT,
      scope,
      state: 's',
      aud: `${PUBLIC_URL}/fhir`,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    const page = await follow(browser, `/auth/authorize?${asked.toString()}`);
    const there = await follow(browser, `${page.url}?provider=start`);
    const back = await follow(browser, await signInThere(there.url, login));
    return { browser, ...back };
  }
  const refused = await signIn('bob');
  expect([refused.answer.status, await refused.answer.text()]).toEqual([
    403,
    expect.stringContaining('exactly one active practitioner'),
  ]);

  const { browser, url, answer } = await signIn('ada');
  expect(await answer.text()).toContain('Allow access');
  const allowed = await browser.go(url, {
    method: 'POST',
    body: new URLSearchParams([
      ['step', 'allow'],
      ['scope', 'user/Practitioner.rs'],
    ]).toString(),
    // The page is at our public address, whatever we listen at.
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: PUBLIC_URL },
  });
  const led = await follow(browser, allowed.headers.get('location') ?? '');
  const tokens = await fetch(`${base}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: new URL(led.url).searchParams.get('code') ?? '',
      redirect_uri: REDIRECT,
      code_verifier: verifier,
      client_id: app,
    }),
  });
  expect(await tokens.json()).toMatchObject({ scope, id_token: expect.any(String) });
  expect(ehr.asked).toEqual([`${NPI}|1245319599`, `${NPI}|1234567893`]);
  const accounts = await fetch(`${base}/admin/api/accounts`, { headers: admin });
  expect(await accounts.json()).toMatchObject({
    accounts: [{ origin: 'provider', issuer: provider.issuer, subject: 'ada', fhirUser: 'Practitioner/prac-a' }],
  });
  const records = await fetch(`${base}/admin/api/audit?type=auth.sign-in&limit=5`, { headers: admin });
  expect(JSON.stringify(await records.json())).toContain(provider.issuer);
  // Neither the identifier nor the subject is in the log.
  expect(JSON.stringify(log.lines)).not.toMatch(/1234567893|"ada"/);
});
