import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { VALIDATE_BYTES_MAX } from '../../src/smart/answer-validate.ts';
import { TOKEN_ATTACKS } from './support/token-attacks.ts';
import { startAttacked, type Attacked } from './support/start-attacked.ts';
import { stopAfterTest } from '../support/stop-after-test.ts';

let attacked: Attacked;
beforeAll(async () => {
  attacked = await startAttacked();
});
afterAll(() => attacked.stop());

const PATH = '/fhir/Observation/$validate';
const MARKER = 'zqsent';
const JSON_BODY = ['Content-Type', 'application/fhir+json'] as const;
const SENT = JSON.stringify({ resourceType: 'Observation', status: 'final', code: { text: MARKER } });

async function send(body: string, path = PATH): Promise<number> {
  const headers = [['Authorization', await attacked.bearer()] as const, JSON_BODY];
  return (await attacked.ask({ method: 'POST', path, headers, body })).status;
}

test('the token of a patient will do, so that what follows is not refused for a trivial reason', async () => {
  expect(await send(SENT)).toBe(200);
});

test('a token that is none has nothing judged', async () => {
  const { issuer, publicUrl } = attacked;
  const kit = { issuer, audience: `${publicUrl}/fhir`, publicUrl };
  const taken: string[] = [];
  for (const { name, make } of TOKEN_ATTACKS) {
    const asked = await make(kit);
    const path = `${PATH}${asked.path.includes('?') ? asked.path.slice(asked.path.indexOf('?')) : ''}`;
    const answer = await attacked.ask({
      method: 'POST',
      path,
      headers: [...(asked.headers ?? []), JSON_BODY],
      body: SENT,
    });
    if (answer.status < 400) taken.push(`${name}: ${answer.status}`);
  }
  expect(taken).toEqual([]);
});

const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);
const observation = (elements: string): string => `{"resourceType":"Observation",${elements}}`;

test.each<[string, string, number]>([
  ['a million brackets', nested('[', ']', 250_000), 400],
  ['extensions in extensions', observation(`"extension":${nested('[{"extension":', '}]', 10_000)}`), 400],
  ['as deep as is read', observation(`"contained":${nested('[', ']', 97)}`), 200],
  ['commas', observation(`"note":[${'0,'.repeat(200_000)}0]`), 413],
  ['empty objects', observation(`"note":[${'{},'.repeat(100_000)}{}]`), 413],
  ['one object of many properties', observation(Array.from({ length: 9_000 }, (_, i) => `"a${i}":0`).join(',')), 413],
  ['one long number', observation(`"valueInteger":${'9'.repeat(400_000)}`), 200],
  ['one long string', observation(`"status":"${'a '.repeat(200_000)}"`), 200],
  ['a narrative of entities', observation(`"text":{"status":"generated","div":"${'&#x41;'.repeat(60_000)}"}`), 200],
  ['more than is read', observation(`"status":"${'a'.repeat(VALIDATE_BYTES_MAX)}"`), 413],
  ['a property of every object', observation('"__proto__":{"status":"final"},"constructor":1'), 200],
])('%s is answered, and soon', async (_name, body, status) => {
  const began = performance.now();
  expect(await send(body)).toBe(status);
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('while bombs are judged others are answered', async () => {
  const body = observation(`"component":[${'{"code":{}},'.repeat(2_000)}{}]`);
  const bombs = Array.from({ length: 20 }, () => send(body));
  let longest = 0;
  for (let i = 0; i < 10; i += 1) {
    const began = performance.now();
    expect((await attacked.ask({ path: '/healthz' })).status).toBe(200);
    longest = Math.max(longest, performance.now() - began);
  }
  expect(new Set(await Promise.all(bombs))).toEqual(new Set([200]));
  expect(longest).toBeLessThan(2_000);
});

test('what a profile names is looked up and never fetched', async () => {
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  stopAfterTest(() => new Promise((resolve) => listener.close(resolve)));
  const { port } = listener.address() as AddressInfo;
  const from = attacked.ehr.heard.length;
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `2130706433:${port}`, `0:${port}`])
    for (const scheme of ['http', 'https', 'gopher', 'file']) {
      const address = `${scheme}://${host}/StructureDefinition/x`;
      expect(await send(SENT, `${PATH}?profile=${encodeURIComponent(address)}`)).toBe(422);
      const claimed = JSON.parse(SENT) as Record<string, unknown>;
      const body = { ...claimed, meta: { profile: [address] }, extension: [{ url: address, valueString: 'x' }] };
      expect(await send(JSON.stringify(body))).toBe(200);
    }
  expect(connections).toBe(0);
  // Whether the patient in context has a link is looked up for every request; nothing of a profile is.
  expect(JSON.stringify(attacked.ehr.heard.slice(from))).not.toContain('StructureDefinition');
});

test('nothing of what was sent is in the log', () => {
  expect(attacked.logText()).not.toContain(MARKER);
});
