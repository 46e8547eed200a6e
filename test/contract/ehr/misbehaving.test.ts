import { describe, expect, test } from '@jest/globals';
import { secret } from '../../../src/kernel/index.ts';
import { gzipSync } from 'node:zlib';
import { anEhr, anOddServer, answerJson, CREATE, READ, shortOf, type Misbehave } from './support.ts';

const TOKEN = { kind: 'bearer', token: secret('the-token') } as const;

describe('a server that points elsewhere', () => {
  test.each([301, 302, 303, 307, 308])(
    '%d is never followed: no token and no body reach the other host',
    async (status) => {
      const other = await anOddServer((_heard, res) => answerJson(res, 200, {}));
      const server = await anOddServer(
        (_heard, res) => void res.writeHead(status, { location: `${other.origin}/fhir` }).end(),
      );
      const ehr = anEhr(server.base, { auth: TOKEN });
      for (const request of [READ, CREATE])
        expect(shortOf((await ehr.send(request)).verdict)).toBe('misconfigured: ehr.redirected');
      expect([other.heard.length, server.heard.length]).toEqual([0, 2]);
    },
  );

  test('a redirect to the same host is not followed either', async () => {
    const server = await anOddServer((_heard, res) => void res.writeHead(307, { location: '/fhir/Patient/2' }).end());
    await anEhr(server.base, { auth: TOKEN }).send(READ);
    expect(server.heard.map(({ url }) => url)).toEqual(['/fhir/Patient/1']);
  });

  test('a next page at another host is refused before it is asked', async () => {
    const other = await anOddServer((_heard, res) => answerJson(res, 200, {}));
    const server = await anOddServer((_heard, res) =>
      answerJson(res, 200, {
        resourceType: 'Bundle',
        type: 'searchset',
        link: [{ relation: 'next', url: `${other.origin}/fhir/Patient?page=2` }],
      }),
    );
    const ehr = anEhr(server.base, { auth: TOKEN });
    const answer = await ehr.ask({ method: 'GET', path: 'Patient', requestId: 'r' });
    if (!answer.ok || answer.value.body.kind !== 'json') throw new Error('not answered');
    const { link } = answer.value.body.value as { link: { url: string }[] };
    expect(ehr.guard.own(link[0]?.url ?? '')).toMatchObject({ ok: false, fault: { code: 'ehr.foreign-address' } });
    expect(other.heard).toEqual([]);
  });

  test('421 is not repeated on another connection, as fetch alone would', async () => {
    const server = await anOddServer((_heard, res) => void res.writeHead(421).end());
    await anEhr(server.base).send(CREATE);
    expect(server.heard).toHaveLength(1);
  });

  test('401 to a token that cannot be renewed is not repeated', async () => {
    const server = await anOddServer((_heard, res) => void res.writeHead(401, { 'www-authenticate': 'Basic' }).end());
    expect(shortOf((await anEhr(server.base, { auth: TOKEN }).send(CREATE)).verdict)).toBe('auth: ehr.unauthorized');
    expect(server.heard).toHaveLength(1);
  });
});

const raw =
  (bytes: string | Buffer, then: 'end' | 'destroy' = 'end'): Misbehave =>
  (_heard, _res, socket) => {
    socket.write(bytes);
    if (then === 'end') socket.end();
    else socket.destroy();
  };
const say =
  (body: string | Buffer, headers: Record<string, string> = {}): Misbehave =>
  (_heard, res) =>
    void res.writeHead(200, { 'content-type': 'application/fhir+json', ...headers }).end(body);
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/fhir+json\r\n';

describe('an answer that is none', () => {
  test.each<[string, Misbehave, string, string]>([
    ['garbage', say('{"resourceType":'), 'ambiguous: ehr.unreadable', 'retry-later: ehr.unreadable'],
    [
      'a page',
      say('<html>', { 'content-type': 'text/html' }),
      'ambiguous: ehr.unreadable',
      'retry-later: ehr.unreadable',
    ],
    ['no content type', say('{}', { 'content-type': '' }), 'ambiguous: ehr.unreadable', 'retry-later: ehr.unreadable'],
    [
      'XML',
      say('<Patient/>', { 'content-type': 'application/fhir+xml' }),
      'ambiguous: ehr.unreadable',
      'retry-later: ehr.unreadable',
    ],
    ['a key twice', say('{"id":"1","id":"2"}'), 'ambiguous: ehr.unreadable', 'retry-later: ehr.unreadable'],
    ['a deep nest', say('['.repeat(100_000)), 'ambiguous: ehr.unreadable', 'retry-later: ehr.unreadable'],
    ['broken UTF-8', say(Buffer.from([0x22, 0xff, 0x22])), 'ambiguous: ehr.unreadable', 'retry-later: ehr.unreadable'],
    [
      'packed though we asked for plain',
      say(gzipSync('{}'), { 'content-encoding': 'gzip' }),
      'ambiguous: ehr.unreadable',
      'retry-later: ehr.unreadable',
    ],
    ['no HTTP', raw('SSH-2.0-OpenSSH_9.9\r\n'), 'ambiguous: ehr.unreadable', 'retry-later: ehr.unreadable'],
    ['nothing, and the end', raw(''), 'ambiguous: ehr.cut', 'retry-later: ehr.cut'],
    ['a reset', raw('', 'destroy'), 'ambiguous: ehr.cut', 'retry-later: ehr.cut'],
    ['half a head', raw('HTTP/1.1 200 OK\r\nContent-'), 'ambiguous: ehr.cut', 'retry-later: ehr.cut'],
    [
      'less body than it promised',
      raw(`${HEAD}Content-Length: 50\r\n\r\n{}`),
      'ambiguous: ehr.cut',
      'retry-later: ehr.cut',
    ],
    [
      'a broken chunk',
      raw(`${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
      'ambiguous: ehr.unreadable',
      'retry-later: ehr.unreadable',
    ],
    [
      'a head without end',
      raw(`HTTP/1.1 200 OK\r\nX-Long: ${'a'.repeat(100_000)}\r\n\r\n`),
      'ambiguous: ehr.answer-too-large',
      'rejected: ehr.answer-too-large',
    ],
  ])('%s', async (_what, misbehave, write, read) => {
    const ehr = anEhr((await anOddServer(misbehave)).base);
    expect(shortOf((await ehr.send(CREATE)).verdict)).toBe(write);
    expect(shortOf((await ehr.send(READ)).verdict)).toBe(read);
  });

  test.each<[string, Misbehave]>([
    ['JSON under its plain name', say('{"a":1}', { 'content-type': 'application/json; charset=utf-8' })],
    ['JSON in capitals', say('{"a":1}', { 'content-type': 'Application/FHIR+JSON;charset=UTF-8' })],
    [
      'an early hint before it',
      (_heard, res) =>
        void (res.writeEarlyHints({ link: '</x>; rel=preload' }),
        res.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}')),
    ],
  ])('%s is one', async (_what, misbehave) => {
    const ehr = anEhr((await anOddServer(misbehave)).base);
    expect(await ehr.ask(READ)).toMatchObject({
      ok: true,
      value: { status: 200, body: { kind: 'json', value: { a: 1 } } },
    });
  });
});

describe('a server without end', () => {
  test('an endless body is cut at the limit, and the connection with it', async () => {
    let sent = 0;
    let isClosed: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => (isClosed = resolve));
    const server = await anOddServer((_heard, res) => {
      res.writeHead(200, { 'content-type': 'application/fhir+json' });
      const part = Buffer.alloc(16_384, 0x20);
      const pour = (): void => {
        if (res.destroyed) return;
        sent += part.length;
        if (res.write(part)) setImmediate(pour);
        else res.once('drain', pour);
      };
      res.on('close', () => isClosed());
      pour();
    });
    const { verdict } = await anEhr(server.base, { limits: { answerBytesMax: 1_000_000 } }).send(READ);
    await closed;
    expect(shortOf(verdict)).toBe('rejected: ehr.answer-too-large');
    expect(sent).toBeLessThan(20_000_000);
  });

  test('a head that does not come ends at its own limit', async () => {
    const server = await anOddServer(() => undefined);
    const ehr = anEhr(server.base, { limits: { headersMs: 200, deadlineMs: 20_000 } });
    expect(await ehr.send(CREATE)).toMatchObject({
      exchange: { because: 'timeout', sent: 'something' },
      verdict: { kind: 'ambiguous', fault: { code: 'ehr.timeout' } },
    });
  });

  test('a body that stops coming ends at its own limit', async () => {
    const server = await anOddServer(
      (_heard, res) => void res.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    );
    const ehr = anEhr(server.base, { limits: { bodyMs: 200, deadlineMs: 20_000 } });
    expect(shortOf((await ehr.send(READ)).verdict)).toBe('retry-later: ehr.timeout');
  });
});

describe('Retry-After', () => {
  const asks = async (status: number, retryAfter: string): Promise<unknown> => {
    const server = await anOddServer((_heard, res) => void res.writeHead(status, { 'retry-after': retryAfter }).end());
    const { verdict } = await anEhr(server.base).send(CREATE);
    return verdict.kind === 'retry-later' ? verdict.afterMs : verdict.kind;
  };

  test('in seconds, as a date, and far too long', async () => {
    expect(await asks(429, '30')).toBe(30_000);
    expect(await asks(503, '315360000')).toBe(6 * 3_600_000);
    expect(await asks(503, 'Fri, 31 Dec 2299 23:59:59 GMT')).toBe(6 * 3_600_000);
    expect(await asks(503, 'Thu, 01 Jan 1970 00:00:00 GMT')).toBe(0);
    expect(await asks(503, 'later')).toBeNull();
  });
});

describe('an answer for which there is no room', () => {
  const LONG = { resourceType: 'Patient', id: '1', name: [{ text: 'x'.repeat(2_000_000) }] };

  test('is held back until there is, and comes whole', async () => {
    const server = await anOddServer((_heard, res) => answerJson(res, 200, LONG));
    const parts: number[] = [];
    const admit = (bytes: number): true | Promise<boolean> => {
      parts.push(bytes);
      return parts.length % 2 === 0 ? true : Promise.resolve(true);
    };
    const answer = await anEhr(server.base).ask({ ...READ, admit });
    expect(answer).toMatchObject({ ok: true, value: { body: { kind: 'json', value: LONG } } });
    expect(parts.reduce((sum, one) => sum + one, 0)).toBe(JSON.stringify(LONG).length);
  });

  test('is not read any further once nobody has room, and its connection is not used again', async () => {
    const server = await anOddServer((_heard, res) => answerJson(res, 200, LONG));
    const ehr = anEhr(server.base);
    let asked = 0;
    const admit = (): Promise<boolean> => Promise.resolve(++asked < 3);
    expect(await ehr.ask({ ...READ, admit })).toMatchObject({ ok: false, fault: { code: 'ehr.abandoned' } });
    expect(asked).toBe(3);
    expect(await ehr.ask(READ)).toMatchObject({ ok: true });
    expect(server.connections()).toBeGreaterThan(1);
  });
});
