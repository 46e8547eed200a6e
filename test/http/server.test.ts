import { afterEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Server } from 'node:http';
import { drainServer, listen, makeServer } from '../../src/http/index.ts';
import { jsonAnswer, ok, readBody } from '../../src/kernel/index.ts';
import { appOf } from '../support/gateway.ts';

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

async function start(handle: Parameters<typeof makeServer>[0]): Promise<number> {
  server = makeServer(handle, null);
  return listen(server, '127.0.0.1', 0);
}

/** Sends bytes as they are and gives what came back until the server closed. */
const raw = (port: number, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(text));
    let answer = '';
    socket.on('data', (part: Buffer) => (answer += part.toString()));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });

const app = () => appOf([{ method: 'get', path: '/x', access: 'open', handle: () => ok(jsonAnswer(200, {})) }]);

test.each([
  ['two Host headers', 'GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 421],
  ['an absolute target', 'GET http://other/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 400],
  ['no Host header', 'GET /x HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['HTTP/0.9, which names no host', 'GET /x\r\n\r\n', 421],
  [
    'both framings',
    'POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n',
    400,
  ],
  [
    'two lengths',
    'POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab',
    400,
  ],
  [
    'a header block above the limit',
    `GET /x HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(20_000)}\r\nConnection: close\r\n\r\n`,
    431,
  ],
  ['a method of no standard', 'BREW /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 400],
  ['TRACE', 'TRACE /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 405],
  ['a sound request', 'GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 200],
])('%s is answered %#', async (_what, text, status) => {
  const port = await start(app());
  expect((await raw(port, text)).split(' ')[1]).toBe(String(status));
});

test('the limits on time, headers and connections are those of the design', async () => {
  await start(app());
  expect(server).toMatchObject({
    requestTimeout: 15_000,
    headersTimeout: 8_000,
    keepAliveTimeout: 65_000,
    maxHeadersCount: 64,
    maxRequestsPerSocket: 1_000,
    maxConnections: 2_000,
    timeout: 45_000,
  });
});

test('a port that is taken is said in a sentence', async () => {
  const port = await start(app());
  const second = makeServer(app(), null);
  await expect(listen(second, '127.0.0.1', port)).rejects.toMatchObject({
    name: 'StartError',
    code: 'http.listen',
    message: expect.stringContaining('already taken') as unknown as string,
  });
});

test('a drain finishes the request under way and takes no other', async () => {
  let finish: () => void = () => undefined;
  const port = await start((_req, res) => {
    finish = () => res.end('done');
    if (server !== undefined) void drainServer(server, 0, 5_000);
    setImmediate(() => finish());
  });
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  expect(await answer.text()).toBe('done');
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
});

test('a drain cuts what does not finish in time', async () => {
  const port = await start(() => undefined);
  const hanging = fetch(`http://127.0.0.1:${port}/`).then(
    () => 'answered',
    () => 'cut',
  );
  if (server === undefined) throw new Error('no server');
  const { promise, resolve } = Promise.withResolvers<null>();
  server.once('request', () => resolve(null));
  await promise;
  expect(await drainServer(server, 0, 20)).toBe('cut');
  expect(await hanging).toBe('cut');
});

test('whoever is refused before its body was read is not listened to any longer', async () => {
  const port = await start(app());
  const socket = connect(port, '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  let answer = '';
  socket.on('data', (part: Buffer) => (answer += part.toString()));
  socket.write('POST /nix HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\nx');
  await closed;
  expect(answer).toMatch(/^HTTP\/1.1 404 [\s\S]*connection: close/i);
});

test('a body that comes byte by byte is one buffer', async () => {
  const sizes: number[] = [];
  const port = await start((req, res) => {
    void readBody(req, 1_000_000).then((body) => {
      if (body.ok) sizes.push(body.value.length, body.value.buffer.byteLength);
      res.end('ok');
    });
  });
  const bytes = Array.from({ length: 20_000 }, () => '1\r\nx\r\n').join('');
  await raw(
    port,
    `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${bytes}0\r\n\r\n`,
  );
  expect(sizes).toEqual([20_000, 20_000]);
});

test.each([
  ['its head', 'POST /x HTTP/1.1\r\nHost: a\r\nX-Slow: '],
  ['its body', 'POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{'],
])('a sender that never finishes %s is cut', async (_what, begun) => {
  const port = await start((req, res) => {
    req.on('error', () => undefined);
    req.resume().on('end', () => res.end('whole'));
  });
  const socket = connect(port, '127.0.0.1', () => socket.write(begun));
  let answer = '';
  socket.on('data', (part: Buffer) => (answer += part.toString()));
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('close', resolve));
  expect(answer === '' || answer.startsWith('HTTP/1.1 408')).toBe(true);
});

test('who was told that it took too long has done nothing, though the rest of it came after all', async () => {
  const read: (string | number)[] = [];
  const port = await start(
    appOf([
      {
        method: 'post',
        path: '/x',
        access: 'open',
        handle: async ({ request }) => {
          const body = await readBody(request, 1_000);
          read.push(body.ok ? body.value.length : body.fault.code);
          return body.ok ? ok(jsonAnswer(202, {})) : body;
        },
      },
    ]),
  );
  const accepted = once(server as Server, 'connection');
  const client = connect(port, '127.0.0.1');
  const [socket] = (await accepted) as [Socket];
  const asked = once(server as Server, 'request');
  client.write('POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab');
  await asked;
  let answer = '';
  client.on('data', (part: Buffer) => (answer += part.toString()));
  // As Node's clock does it on a machine that had no time to read what had come.
  server?.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
  client.write('cd');
  // Another request on the same connection is not done either.
  client.write('POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n');
  await once(client, 'close');
  expect([answer.split('\r\n')[0], read]).toEqual(['HTTP/1.1 408 Request Timeout', ['http.cut-short']]);
});
