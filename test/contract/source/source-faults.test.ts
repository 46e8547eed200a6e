import { afterEach, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { makeBudget, secret, type Result } from '../../../src/kernel/index.ts';
import { openSource, type Source } from '../../../src/source/index.ts';
import { testClock } from '../../support/clock.ts';
import { PDF } from '../../../sandbox/test/service/support.ts';

const USER = 'MarkerUser';
const WORDS = ['MarkerUser', 'MarkerSecret', 'MarkerAnswer', 'MarkerDocument', 'MarkerSalt'];
const NOW = '2026-01-02T03:04:05Z';

type Handle = (request: IncomingMessage, response: ServerResponse, n: number) => void;
const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function listen(handle: Handle): Promise<{ url: string; paths: string[]; bodies: Buffer[]; server: Server }> {
  const paths: string[] = [];
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => bodies.push(Buffer.concat(parts)));
    request.on('error', () => undefined);
    handle(request, response, paths.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths, bodies, server };
}

/** A client that soon gives up: only for a service that lets it wait. */
const HASTY = { silenceMs: 200, deadlineMs: 400, uploadMs: 400 };

/** The client of a service that behaves as `handle` says. */
async function against(handle: Handle, limits: Partial<typeof HASTY & { readonly heldBytesMax: number }> = {}) {
  const heard = await listen(handle);
  const source = openSource({
    settings: {
      url: heard.url,
      labUrl: heard.url,
      clientUuid: 'client-1',
      secretKey: secret('MarkerSecret'),
      password: secret('MarkerSecret'),
      lab: { kind: 'bearer', token: secret('MarkerSecret') },
    },
    agent: 'chartgate/test',
    budget: makeBudget(64 * 1024 * 1024),
    clock: testClock(NOW),
    chance: (bytes) => randomBytes(bytes),
    limits,
  });
  stops.push(() => source.close());
  return { ...heard, source };
}

async function* document(...parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(part);
}
const BIND = { user: USER, clientName: 'c', tycUrl: null, supportUrl: null, completeLogOut: null, salt: 'MarkerSalt' };

/** Every operation, and whether doing it again does the same. */
const OPERATIONS: readonly [string, 'any' | 'refused', (source: Source) => Promise<Result<unknown>>][] = [
  ['authorizer', 'any', (source) => source.authorizer(USER, 'GpsWatch', null)],
  ['revoke', 'any', (source) => source.revoke(USER)],
  ['readRule', 'any', (source) => source.readRule(USER)],
  ['replaceRule', 'any', (source) => source.replaceRule(USER, { signals: {} })],
  ['requestProfile', 'refused', (source) => source.requestProfile(USER)],
  ['bind', 'refused', (source) => source.bind(BIND)],
  [
    'submitLab',
    'refused',
    (source) =>
      source.submitLab(USER, { file: document(PDF, Buffer.from('MarkerDocument')), kind: 'pdf', timezone: 'Z' }),
  ],
];

const text = (status: number, headers: Record<string, string> = {}): Handle => {
  return (request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(status, headers).end('MarkerAnswer MarkerUser'));
  };
};

/** The fault, which names nobody. */
function faultOf(result: Result<unknown>) {
  if (result.ok) throw new Error('it should have failed');
  const shown = inspect(result.fault, { depth: 9 });
  for (const word of WORDS) expect(shown).not.toContain(word);
  return result.fault;
}

/** What every operation comes to at such a service, each at one of its own; all at once, since most of them wait. */
const everyOne = (handle: Handle, limits = {}) =>
  Promise.all(
    OPERATIONS.map(async ([name, , run]) => {
      const { source, paths } = await against(handle, limits);
      return [name, faultOf(await run(source)).code, paths.length] as const;
    }),
  );
const expected = (code: string, tries: (repeat: 'any' | 'refused') => number) =>
  OPERATIONS.map(([name, repeat]) => [name, code, tries(repeat)]);

test.each<[string, Handle, string, Partial<typeof HASTY>]>([
  ['never answers', (request) => void request.resume(), 'source.timeout', HASTY],
  [
    'stops in the middle of its answer',
    (request, response) => {
      request.resume();
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
        .write('{"MarkerAnswer":');
    },
    'source.timeout',
    HASTY,
  ],
  [
    'sends its answer by drops, without an end',
    (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => void response.write(' '), 50);
      response.on('close', () => clearInterval(timer));
    },
    'source.timeout',
    HASTY,
  ],
  ['cuts the connection', (_request, response) => void response.destroy(), 'source.cut', {}],
  [
    'cuts its answer short',
    (request, response) => {
      request.resume();
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
        .write('{"MarkerAnswer":', () => response.destroy());
    },
    'source.cut',
    {},
  ],
  ['is behind a proxy that gave up', text(504), 'source.timeout', {}],
  ['is behind a proxy that does not understand it', text(502), 'source.failed', {}],
])(
  'a service that %s may have done it: asked again only what does the same again',
  async (_what, handle, code, limits) => {
    expect(await everyOne(handle, limits)).toEqual(expected(code, (repeat) => (repeat === 'any' ? 3 : 1)));
  },
);

test.each([500, 503])('a service that says %i is asked three times', async (status) => {
  expect(await everyOne(text(status))).toEqual(expected('source.failed', () => 3));
});

test.each<[number, string]>([
  [400, 'source.rejected'],
  [401, 'source.unauthorized'],
  [403, 'source.not-activated'],
  [409, 'source.rejected'],
  [413, 'source.too-large'],
  [415, 'source.rejected'],
  [422, 'source.rejected'],
  [429, 'source.too-many'],
])('%i is %s, and asked once', async (status, code) => {
  // Of all that is asked only a rule holds what a person wrote.
  const isAboutRule = status === 400 || status === 422;
  const wanted = expected(code, () => 1).map(([name, ...rest]) =>
    name === 'replaceRule' && isAboutRule ? [name, 'source.rule', 1] : [name, ...rest],
  );
  expect(await everyOne(text(status))).toEqual(wanted);
});

test.each([301, 302, 303, 307, 308])('%i leads nowhere', async (status) => {
  const elsewhere = await listen((_request, response) => response.end());
  const location = `${elsewhere.url}/MarkerAnswer`;
  expect(await everyOne(text(status, { location }))).toEqual(expected('source.rejected', () => 1));
  expect(elsewhere.paths).toEqual([]);
});

test('an answer of several megabytes is not taken in', async () => {
  const endless: Handle = (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    const part = Buffer.alloc(256 * 1024, ' ');
    let sent = 0;
    const more = (): void => {
      for (; sent < 64 && !response.destroyed; sent += 1)
        if (!response.write(part)) return void response.once('drain', more);
      response.end();
    };
    more();
  };
  expect(await everyOne(endless)).toEqual(expected('source.unreadable', () => 1));
});

test('nor are headers without an end', async () => {
  const wide: Handle = (request, response) => {
    request.resume();
    response.writeHead(200, { 'x-much': 'MarkerAnswer'.repeat(4_000) }).end();
  };
  expect(await everyOne(wide)).toEqual(expected('source.unreadable', () => 1));
});

describe.each(OPERATIONS)('%s', (name, _repeat, run) => {
  // What revoke answers is not published, and is not read.
  if (name !== 'revoke')
    test.each([
      ['{', 'application/json'],
      ['', 'application/json'],
      ['null', 'application/json'],
      ['[]', 'application/json'],
      ['"MarkerAnswer"', 'application/json'],
      ['{"data_source":"GpsWatch","authorized":true}', 'text/html'],
      ['<h1>MarkerAnswer</h1>', 'text/html'],
      ['\u0000\uFFFF', 'application/json'],
    ])('an answer %p of type %s is not believed', async (body, type) => {
      const wanted = name === 'requestProfile' ? 202 : 200;
      const { source, paths } = await against((request, response) => {
        request.resume();
        request.on('end', () => response.writeHead(wanted, { 'content-type': type }).end(body));
      });
      expect([faultOf(await run(source)).code, paths.length]).toEqual(['source.unreadable', 1]);
    });

  test('a failure that passes is not noticed', async () => {
    const good: Record<string, readonly [number, unknown]> = {
      authorizer: [200, { data_source: 'GpsWatch', authorized: true }],
      revoke: [204, null],
      readRule: [200, {}],
      replaceRule: [200, {}],
      requestProfile: [202, { message: 'm', request_id: 'r-1' }],
      bind: [200, { qr_code: 'data:image/png;base64,AAAA', universal_link: 'https://service.example/x' }],
      submitLab: [200, { document_id: 'd-1', status: 'received' }],
    };
    const [status, value] = good[name] ?? [500, null];
    const { source, bodies } = await against((request, response, n) => {
      request.resume();
      request.on('end', () => {
        response.writeHead(n === 1 ? 500 : status, { 'content-type': 'application/json' });
        response.end(status === 204 && n > 1 ? undefined : JSON.stringify(value));
      });
    });
    expect((await run(source)).ok).toBe(true);
    expect(bodies.length).toBe(2);
    expect(bodies[1]).toEqual(bodies[0]);
  });
});

describe('answers that are nearly right', () => {
  const answer = (status: number, value: unknown): Handle => {
    return (request, response) => {
      request.resume();
      request.on('end', () =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value)),
      );
    };
  };
  test.each([
    [{ data_source: 'RingWearable', authorized: true }],
    [{ data_source: 'GpsWatch', authorized: 'yes' }],
    [{ data_source: 'GpsWatch', authorized: false }],
    [{ data_source: 'GpsWatch', authorized: false, authorization_url: 'javascript:alert(1)' }],
    [{ data_source: 'GpsWatch', authorized: false, authorization_url: `https://a.example/${'x'.repeat(5_000)}` }],
  ])('authorizer %j', async (value) => {
    const { source } = await against(answer(200, value));
    expect(faultOf(await source.authorizer(USER, 'GpsWatch', null)).code).toBe('source.unreadable');
  });
  test.each([
    [{ document_id: 'd-1', status: 'failed' }],
    [{ document_id: '../../x', status: 'received' }],
    [{ document_id: 7, status: 'received' }],
    [{ status: 'received' }],
  ])('lab %j', async (value) => {
    const { source } = await against(answer(200, value));
    const file = document(PDF);
    expect(faultOf(await source.submitLab(USER, { file, kind: 'pdf', timezone: 'Z' })).code).toBe('source.unreadable');
  });
  test.each([
    [{ qr_code: 'data:text/html,x', universal_link: 'https://a.example' }],
    [{ qr_code: 'data:image/png;base64,AA==', universal_link: 'intent://x' }],
    [{ qr_code: 'data:image/png;base64,AA==' }],
  ])('binding %j', async (value) => {
    const { source } = await against(answer(200, value));
    expect(faultOf(await source.bind(BIND)).code).toBe('source.unreadable');
  });
});

describe('Retry-After of a 429', () => {
  test.each<[string, number | undefined]>([
    ['7', 7_000],
    ['0', 0],
    ['Fri, 02 Jan 2026 03:05:05 GMT', 60_000],
    ['Fri, 02 Jan 2020 03:05:05 GMT', 0],
    ['999999999', 86_400_000],
    ['Fri, 02 Jan 9999 03:05:05 GMT', 86_400_000],
    ['99999999999999999999', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['Infinity', undefined],
    ['NaN GMT', undefined],
    ['soon', undefined],
    ['7, 9', undefined],
  ])('%p', async (header, expected) => {
    const { source, paths } = await against(text(429, { 'retry-after': header }));
    const found = faultOf(await source.requestProfile(USER));
    expect([found.code, found.retryAfterMs]).toEqual(['source.too-many', expected]);
    // While it is to be waited for, nothing is sent; otherwise the service is asked again.
    faultOf(await source.requestProfile(USER));
    expect(paths.length).toBe(expected === undefined || expected === 0 ? 2 : 1);
    await source.requestProfile('another');
    expect(paths.length).toBe(expected === undefined || expected === 0 ? 3 : 2);
  });
  test('twice is the first', async () => {
    const { source } = await against((request, response) => {
      request.resume();
      response.setHeader('retry-after', ['3', '900']);
      response.writeHead(429).end();
    });
    expect(faultOf(await source.requestProfile(USER)).retryAfterMs).toBe(3_000);
  });
});

describe('a laboratory document that is sent again', () => {
  const parts = [PDF, Buffer.alloc(300_000, 'a'), Buffer.alloc(300_000, 'b')];
  test('is whole, also where the service refused it before it had read it', async () => {
    const { source, bodies } = await against((request, response, n) => {
      if (n === 1) {
        response.writeHead(500, { connection: 'close' }).end();
        return;
      }
      request.resume();
      request.on('end', () => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"document_id":"d-1","status":"received"}');
      });
    });
    const done = await source.submitLab(USER, { file: document(...parts), kind: 'pdf', timezone: 'Z' });
    expect(done).toMatchObject({ ok: true, value: { documentId: 'd-1' } });
    expect(bodies.at(-1)?.includes(Buffer.concat(parts))).toBe(true);
  });
  test('is not sent again when the file itself ended in an error', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(PDF);
      throw new Error('MarkerDocument');
    }
    const { source, bodies } = await against(text(200));
    expect(faultOf(await source.submitLab(USER, { file: broken(), kind: 'pdf', timezone: 'Z' })).code).toBe(
      'source.cut',
    );
    expect(bodies.length).toBe(0);
  });
  test('is sent once where it is larger than what is held', async () => {
    const { source, paths } = await against(text(500));
    const file = document(...Array.from({ length: 11 }, () => Buffer.alloc(1024 * 1024)));
    expect(faultOf(await source.submitLab(USER, { file, kind: 'pdf', timezone: 'Z' })).code).toBe('source.failed');
    expect(paths.length).toBe(1);
  });
});

test('a user id that would lead elsewhere or has no room in the path is sent to nobody', async () => {
  const { source, paths } = await against(text(200));
  for (const user of ['', '.', '..', 'x'.repeat(51), '\ud800']) {
    const file = document(PDF);
    const all = [
      await source.authorizer(user, 'GpsWatch', null),
      await source.revoke(user),
      await source.readRule(user),
      await source.replaceRule(user, {}),
      await source.submitLab(user, { file, kind: 'pdf', timezone: 'Z' }),
    ];
    expect(all.map((one) => faultOf(one).code)).toEqual(all.map(() => 'source.rejected'));
  }
  expect(paths).toEqual([]);
});

test('many documents at once hold no more than there is room for, and give it back', async () => {
  const { source, paths } = await against(
    (request, response) => {
      request.resume();
      request.on('end', () => response.writeHead(503).end());
    },
    { heldBytesMax: 5_000 },
  );
  const send = () => source.submitLab(USER, { file: document(Buffer.alloc(2_000, 'a')), kind: 'pdf', timezone: 'Z' });
  for (let n = 0; n < 2; n += 1) {
    paths.length = 0;
    const sent = await Promise.all(Array.from({ length: 6 }, send));
    expect(sent.every(({ ok }) => !ok)).toBe(true);
    // Two had room and came three times each.
    expect(paths).toHaveLength(2 * 3 + 4);
  }
});
