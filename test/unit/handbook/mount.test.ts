import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { makeHandbookMount } from '../../../src/handbook/index.ts';
import { silentLog, type RequestId } from '../../../src/kernel/index.ts';

let folder: string;
let server: Server;
let base: string;

const SCRIPT = "document.documentElement.classList.add('dark')";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chartgate-handbook-'));
  for (const below of ['assets/chunks', 'tutorials']) mkdirSync(join(folder, below), { recursive: true });
  writeFileSync(join(folder, '..', 'handbook-secret.html'), 'secret');
  const page = `<html><head><script id="a">${SCRIPT}</script><script type="module" src="/x.js"></script></head></html>`;
  for (const name of ['index.html', 'operate.html', 'tutorials/index.html']) writeFileSync(join(folder, name), page);
  writeFileSync(join(folder, 'assets/chunks/@search.x1.js'), 'let index;');
  writeFileSync(join(folder, 'assets/chunks/@search.x1.js.br'), brotliCompressSync('let index;'));
  writeFileSync(join(folder, 'assets/picture.x2.png'), 'png');
  const mount = makeHandbookMount(pathToFileURL(`${folder}/`));
  server = createServer(
    (request, response) => void mount.handle(request, response, { requestId: 'r' as RequestId, log: silentLog }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
  rmSync(join(folder, '..', 'handbook-secret.html'), { force: true });
});

test.each(['/', '/index.html', '/operate', '/operate.html', '/tutorials/'])('%s is a page', async (path) => {
  const answer = await fetch(base + path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const policy = answer.headers.get('content-security-policy') ?? '';
  // The digest of the script that stands in the page, and of no other.
  expect(policy.match(/'sha256-[^']+'/g)).toEqual(["'sha256-8/JOXyWhT/LhKZY9U5Cdee8G1O48pXy/45IaKPBUq6s='"]);
  expect(policy).not.toContain("script-src 'self' 'unsafe-inline'");
});

test('an asset holds for ever, and is packed for whoever takes it so', async () => {
  const [packed, plain] = await Promise.all(
    ['br', 'identity'].map((encoding) =>
      fetch(`${base}/assets/chunks/@search.x1.js`, { headers: { 'accept-encoding': encoding } }),
    ),
  );
  expect([packed?.headers.get('content-encoding'), plain?.headers.get('content-encoding')]).toEqual(['br', null]);
  expect([await packed?.text(), await plain?.text()]).toEqual(['let index;', 'let index;']);
  expect(plain?.headers.get('cache-control')).toContain('immutable');
  expect((await fetch(`${base}/assets/picture.x2.png`)).headers.get('content-type')).toBe('image/png');
});

test.each([
  '/nothing',
  '/..%2fhandbook-secret.html',
  '/../handbook-secret.html',
  '/%2e%2e/handbook-secret.html',
  '/assets/../../handbook-secret.html',
  '/assets/..%5c..%5chandbook-secret.html',
  '/.env',
])('%s is not there', async (path) => {
  expect((await fetch(base + path)).status).toBe(404);
});

test('it is only read', async () => {
  expect((await fetch(base, { method: 'POST' })).status).toBe(405);
});
