import { afterEach, expect, test } from '@jest/globals';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeEndpointGuard, type Resolve } from '../../../src/subscriptions/guard-endpoint.ts';
import { makePoster, type Poster } from '../../../src/subscriptions/post-notification.ts';

const open: { server?: Server; poster?: Poster } = {};
afterEach(async () => {
  open.poster?.close();
  await new Promise((resolve) => {
    if (open.server === undefined) resolve(null);
    else open.server.close(resolve);
    open.server?.closeAllConnections();
  });
});

async function start(listener: RequestListener): Promise<number> {
  open.server = createServer(listener);
  await new Promise<void>((resolve) => open.server?.listen(0, '127.0.0.1', resolve));
  return (open.server.address() as AddressInfo).port;
}
const toLoopback: Resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
const post = (url: string, { resolve = toLoopback, timeoutMs = 5_000, privateHosts = ['app.test'] } = {}) => {
  open.poster = makePoster({ guard: makeEndpointGuard({ privateHosts, resolve }), agent: 'test' });
  return open.poster.post({ endpoint: new URL(url), headers: { 'X-Own': 'yes' }, body: '{}', timeoutMs });
};

test('the connection goes to the address that was checked, under the name of the endpoint', async () => {
  const seen: unknown[] = [];
  const port = await start((request, response) => {
    seen.push([request.method, request.url, request.headers.host, request.headers['x-own']]);
    response.end();
  });
  expect(await post(`http://app.test:${port}/hook?a=1`)).toEqual({ kind: 'taken' });
  expect(seen).toEqual([['POST', '/hook?a=1', `app.test:${port}`, 'yes']]);
});

test('nothing is sent to an endpoint that may not be one', async () => {
  let count = 0;
  const port = await start((_request, response) => {
    count += 1;
    response.end();
  });
  expect(await post(`https://app.test:${port}/`, { privateHosts: [] })).toEqual({
    kind: 'refused',
    because: 'address',
  });
  expect(count).toBe(0);
});

test.each([
  [302, 'redirect'],
  [404, 'http-404'],
  [410, 'gone'],
  [500, 'http-500'],
])('an answer of %i is told as %s', async (status, because) => {
  const port = await start((_request, response) =>
    response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(),
  );
  expect(await post(`http://app.test:${port}/`)).toEqual({ kind: 'refused', because });
});

test('an endpoint that does not answer is left in time', async () => {
  const port = await start(() => undefined);
  expect(await post(`http://app.test:${port}/`, { timeoutMs: 50 })).toEqual({ kind: 'refused', because: 'timeout' });
});

test('a name that nobody resolves is left in time', async () => {
  const resolve: Resolve = () => new Promise(() => undefined);
  expect(await post('http://app.test/', { resolve, timeoutMs: 50 })).toEqual({ kind: 'refused', because: 'timeout' });
});

test('an answer without end is cut off, and what it said counts', async () => {
  const port = await start((_request, response) => {
    response.on('error', () => undefined);
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });
  expect(await post(`http://app.test:${port}/`)).toEqual({ kind: 'taken' });
});

test('a certificate that nobody vouches for, or none, is not taken', async () => {
  const port = await start((_request, response) => response.end());
  expect(await post(`https://app.test:${port}/`)).toMatchObject({ kind: 'refused', because: 'tls' });
});
