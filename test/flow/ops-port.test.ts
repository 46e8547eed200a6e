import { afterEach, expect, test } from '@jest/globals';
import { systemClock } from '../../src/kernel/index.ts';
import { startGateway, type Gateway } from '../../src/gateway/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { configOf } from '../support/gateway.ts';
import { sqlitePlace, type Place } from '../support/new-store.ts';

const TOKEN = 'watcher-'.repeat(5);
const WEAK = 'webhook bodies are not signed: whoever learns the address can send data';

let place: Place;
let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  await place.remove();
});

async function start(more: Record<string, string>): Promise<Gateway> {
  place = await sqlitePlace();
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  const config = configOf(`sqlite:${place.database.file}?filesystem=any`, more);
  gateway = await startGateway({ config, clock: systemClock, log: collectLog() });
  return gateway;
}

async function ask(port: number | null, path: string, token?: string): Promise<{ status: number; text: string }> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`http://127.0.0.1:${String(port)}${path}`, { headers });
  return { status: answer.status, text: await answer.text() };
}
const statuses = async (port: number | null, paths: readonly string[], token?: string): Promise<number[]> =>
  Promise.all(paths.map(async (path) => (await ask(port, path, token)).status));

const WATCH = ['/healthz', '/readyz', '/metrics'];

test('without a setting everybody may watch, but is not told what is weak', async () => {
  const { port, opsPort } = await start({});
  expect(opsPort).toBeNull();
  expect(await statuses(port, WATCH)).toEqual([200, 200, 200]);
  const { text } = await ask(port, '/readyz');
  expect(JSON.parse(text)).toMatchObject({ ready: true, process: 'serving' });
  expect(text).not.toContain('unverified');
  expect(text).not.toContain(WEAK);
});

test('on a port of their own they are nowhere else, and nothing else is there', async () => {
  const { port, opsPort } = await start({ CHARTGATE_OPS_PORT: '0' });
  expect(await statuses(port, WATCH)).toEqual([200, 404, 404]);
  expect(await statuses(opsPort, WATCH)).toEqual([200, 200, 200]);
  expect(JSON.parse((await ask(opsPort, '/readyz')).text)).toMatchObject({
    ready: true,
    unverified: expect.arrayContaining([WEAK]),
  });
  expect((await ask(opsPort, '/metrics')).text).toContain('chartgate_store_ready 1');
  const others = [
    '/',
    '/docs',
    '/openapi.json',
    '/admin/api/ledger',
    '/fhir/metadata',
    '/auth/jwks',
    '/.well-known/jwks.json',
    '/ehr/jwks.json',
  ];
  expect(new Set(await statuses(opsPort, others))).toEqual(new Set([404]));
});

test.each([
  ['the gateway’s port', {}],
  ['a port of their own', { CHARTGATE_OPS_PORT: '0' }],
])('behind a token on %s they answer to nobody else', async (_, more) => {
  const { port, opsPort } = await start({ ...more, CHARTGATE_OPS_TOKEN: TOKEN });
  const at = opsPort ?? port;
  expect(await statuses(at, WATCH, TOKEN)).toEqual([200, 200, 200]);
  expect(JSON.parse((await ask(at, '/readyz', TOKEN)).text)).toMatchObject({
    unverified: expect.arrayContaining([WEAK]),
  });
  for (const token of [undefined, 'wrong', `${TOKEN}x`]) {
    expect(await statuses(at, WATCH, token)).toEqual([200, 401, 401]);
    expect(JSON.parse((await ask(at, '/readyz', token)).text)).toMatchObject({ code: 'ops.unauthenticated' });
  }
});

test('the port for watching says 503 while the other drains, and closes last', async () => {
  const { opsPort, stop } = await start({ CHARTGATE_OPS_PORT: '0', CHARTGATE_DRAIN_SECONDS: '1' });
  const stopped = stop();
  const { status, text } = await ask(opsPort, '/readyz');
  expect([status, JSON.parse(text)]).toMatchObject([503, { ready: false, process: 'draining' }]);
  await stopped;
  await expect(ask(opsPort, '/readyz')).rejects.toThrow();
});
