import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { classifyEntries, readLocation, type EhrRequest } from '../../../src/ehr/index.ts';
import type { Rule } from '../../../sandbox/index.ts';
import { secret } from '../../../src/kernel/index.ts';
import { aBundle, anEntry, anObservation, freshEhr, must } from '../../../sandbox/test/ehr/support.ts';
import { aFreePort, anEhr, anOddServer, answerJson, CREATE, READ, shortOf } from './support.ts';

const { ehr: demo } = freshEhr();

describe('what goes out', () => {
  test('is what the request says, and not a header more', async () => {
    const server = await anOddServer((_heard, res) => answerJson(res, 200, { resourceType: 'Observation' }));
    const ehr = anEhr(server.base, { auth: { kind: 'bearer', token: secret('the-token') } });
    await ehr.send({
      ...CREATE,
      requestId: 'att_1',
      prefer: 'return=minimal',
      ifNoneExist: 'identifier=urn%3Aa%7Cb',
      ifMatch: 'W/"7"',
    });
    const [heard] = server.heard;
    expect(heard).toEqual({
      method: 'POST',
      url: '/fhir/Observation',
      body: CREATE.body,
      headers: {
        host: `localhost:${server.port}`,
        connection: 'keep-alive',
        accept: 'application/fhir+json',
        'accept-encoding': 'identity',
        'user-agent': 'chartgate',
        'x-request-id': 'att_1',
        'content-type': 'application/fhir+json',
        'content-length': String(CREATE.body.length),
        prefer: 'return=minimal',
        'if-none-exist': 'identifier=urn%3Aa%7Cb',
        'if-match': 'W/"7"',
        authorization: 'Bearer the-token',
      },
    });
  });

  test.each([
    ['none', { kind: 'none' } as const, undefined],
    ['basic', { kind: 'basic', username: 'übung', password: secret('p:w') } as const, 'Basic w7xidW5nOnA6dw=='],
    ['bearer', { kind: 'bearer', token: secret('t') } as const, 'Bearer t'],
  ])('with authentication %s', async (_what, auth, expected) => {
    const server = await anOddServer((_heard, res) => answerJson(res, 200, { resourceType: 'Patient' }));
    await anEhr(server.base, { auth }).send(READ);
    expect(server.heard[0]?.headers.authorization).toBe(expected);
  });

  test('a trace goes along, with a span of each call', async () => {
    const server = await anOddServer((_heard, res) => answerJson(res, 200, { resourceType: 'Patient' }));
    const ehr = anEhr(server.base);
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    for (let i = 0; i < 2; i += 1) await ehr.send({ ...READ, traceId });
    const sent = server.heard.map(({ headers }) => String(headers['traceparent']));
    expect(sent.map((one) => one.replace(/-[0-9a-f]{16}-/, '-*-'))).toEqual(Array(2).fill(`00-${traceId}-*-01`));
    expect(new Set(sent).size).toBe(2);
  });

  test('a token that no header can carry stops the start', () => {
    expect(() => anEhr('http://localhost:1', { auth: { kind: 'bearer', token: secret('a\nb') } })).toThrow(
      expect.objectContaining({ code: 'ehr.token' }),
    );
  });

  test('a Bundle goes to the base itself', async () => {
    const ehr = anEhr(demo().url);
    const entry = [anEntry('PUT', 'Observation/a', { resource: anObservation('1', { id: 'a' }) })];
    const { verdict, exchange } = await ehr.send({
      method: 'POST',
      path: '',
      body: JSON.stringify(aBundle('transaction', entry)),
      requestId: 'att_2',
    });
    expect(verdict).toEqual({ kind: 'ok' });
    expect(exchange).toMatchObject({ body: { value: { type: 'transaction-response' } } });
    expect(
      demo()
        .log.writes(0)
        .map(({ requestId, id }) => [requestId, id]),
    ).toEqual([['att_2', 'a']]);
  });

  test('a form leaves no search value in the address', async () => {
    await anEhr(demo().url).send({
      method: 'POST',
      path: 'Patient/_search',
      form: [['identifier', 'a|MARKER']],
      requestId: 'r',
    });
    expect(JSON.stringify(demo().log.requests())).not.toContain('MARKER');
  });

  test.each(['../_control/writes', 'https://evil.example/x', 'Patient/..', '//evil.example'])(
    'a path such as %s is refused, and nothing is sent',
    async (path) => {
      const { exchange, verdict } = await anEhr(demo().url).send({ ...READ, path });
      expect([exchange, shortOf(verdict)]).toEqual([null, 'rejected: ehr.foreign-address']);
      expect(demo().log.requests()).toEqual([]);
    },
  );
});

describe('what comes back', () => {
  test('decimals keep their digits both ways', async () => {
    const ehr = anEhr(demo().url);
    const body = '{"resourceType":"Observation","status":"final","valueQuantity":{"value":70.10}}';
    const created = await ehr.ask({ ...CREATE, body, prefer: 'return=representation' });
    if (!created.ok || created.value.body.kind !== 'json') throw new Error('not created');
    expect(JSON.stringify(created.value.body.value)).toContain('"value":70.10');
    expect(Buffer.from(created.value.bytes).toString('utf8')).toContain('"value":70.10');
  });

  test('headers are those of the list alone', async () => {
    const server = await anOddServer((_heard, res) =>
      answerJson(
        res,
        200,
        {},
        { etag: 'W/"1"', 'set-cookie': 'a=b', 'x-other': 'c', 'last-modified': 'x', location: 'y' },
      ),
    );
    const answer = await anEhr(server.base).ask(READ);
    expect(answer).toMatchObject({ ok: true, value: { headers: { etag: 'W/"1"', lastModified: 'x', location: 'y' } } });
    expect(answer.ok && Object.keys(answer.value.headers)).toEqual(['etag', 'location', 'lastModified']);
  });

  test('a create without a body says where it is by its Location', async () => {
    demo().board.setTraits({ bareCreate: true });
    const ehr = anEhr(demo().url);
    const created = await ehr.ask(CREATE);
    if (!created.ok) throw new Error('not created');
    expect(created.value.body).toEqual({ kind: 'empty' });
    const [write] = demo().log.writes(0);
    expect(readLocation(ehr.guard, must(created.value.headers.location))).toEqual({
      type: 'Observation',
      id: must(write).id,
      versionId: null,
    });
  });

  test('an entry that failed inside a 200 is found, also when the server silently made a batch of it', async () => {
    demo().board.setTraits({ silentBatch: true, failEntries: [1] });
    const ehr = anEhr(demo().url);
    const puts = ['a', 'b'].map((id) => anEntry('PUT', `Observation/${id}`, { resource: anObservation(id, { id }) }));
    const answer = await ehr.ask({
      method: 'POST',
      path: '',
      body: JSON.stringify(aBundle('transaction', puts)),
      requestId: 'r',
    });
    if (!answer.ok || answer.value.body.kind !== 'json') throw new Error('not answered');
    const requests = ['a', 'b'].map((id) => ({ method: 'PUT', path: `Observation/${id}` }) as const);
    const verdict = classifyEntries(requests, answer.value.body.value, ehr.guard, new Date(0));
    expect(verdict).toMatchObject({
      kind: 'partial',
      entries: [
        { verdict: { kind: 'ok' }, located: { type: 'Observation', id: 'a', versionId: '1' } },
        { verdict: { kind: expect.not.stringMatching('ok') as unknown } },
      ],
    });
  });
});

const read = (verdict: string): [EhrRequest, string] => [READ, verdict];
const write = (verdict: string): [EhrRequest, string] => [CREATE, verdict];

describe('every fault that the demo EHR can be asked for', () => {
  test.each<[string, Rule, [EhrRequest, string]]>([
    ['500', { status: 500 }, write('retry-later: ehr.failed')],
    ['429', { status: 429, retryAfter: '7' }, write('retry-later: ehr.busy')],
    ['503 as a page', { status: 503, body: 'html' }, write('retry-later: ehr.busy')],
    ['401', { status: 401 }, write('auth: ehr.unauthorized')],
    ['403', { status: 403 }, write('rejected: ehr.forbidden')],
    ['404', { status: 404 }, read('absent: ehr.not-found')],
    ['409', { status: 409 }, write('conflict: ehr.conflict')],
    ['412', { status: 412 }, write('conflict: ehr.conflict')],
    ['413', { status: 413 }, write('too-large: ehr.too-large')],
    ['422', { status: 422, body: 'empty' }, write('rejected: ehr.rejected')],
    ['a page with 200 for a read', { status: 200, body: 'html' }, read('retry-later: ehr.unreadable')],
    ['a page with 200 for a write', { status: 200, body: 'html' }, write('ambiguous: ehr.unreadable')],
    ['a redirect', { redirect: 'http://evil.example/' }, write('misconfigured: ehr.redirected')],
    ['a wrong content type', { contentType: 'text/plain' }, write('ambiguous: ehr.unreadable')],
    ['cut before it was done', { drop: 'before-commit' }, write('ambiguous: ehr.cut')],
    ['cut after it was done', { drop: 'after-commit' }, write('ambiguous: ehr.cut')],
    ['cut while reading', { drop: 'before-commit' }, read('retry-later: ehr.cut')],
    ['no head', { hang: 'before-head' }, write('ambiguous: ehr.timeout')],
    ['a head and no body', { hang: 'after-head' }, write('ambiguous: ehr.timeout')],
    ['half an answer', { truncate: 0.5 }, write('ambiguous: ehr.cut')],
    ['one byte at a time', { dripMs: 40 }, write('ambiguous: ehr.timeout')],
    ['an answer above the limit', { padBytes: 200_000 }, write('ambiguous: ehr.answer-too-large')],
    ['the same for a read', { padBytes: 200_000, status: 200 }, read('rejected: ehr.answer-too-large')],
  ])('%s', async (_what, rule, [request, expected]) => {
    demo().board.setRules([rule]);
    const ehr = anEhr(demo().url, { limits: { deadlineMs: 700, answerBytesMax: 100_000 } });
    const { verdict } = await ehr.send(request);
    expect(shortOf(verdict)).toBe(expected);
    if (rule.retryAfter !== undefined) expect(verdict).toMatchObject({ afterMs: 7_000 });
  });
});

describe('connections', () => {
  test('are kept and used again', async () => {
    const server = await anOddServer((_heard, res) => answerJson(res, 200, {}));
    const ehr = anEhr(server.base);
    for (let i = 0; i < 20; i += 1) await ehr.send(READ);
    expect(server.heard.length).toBe(20);
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  test('are never more than the limit, and all requests are answered', async () => {
    const server = await anOddServer((_heard, res) => void setTimeout(() => answerJson(res, 200, {}), 5));
    const ehr = anEhr(server.base, { limits: { connectionsMax: 3 } });
    const sent = await Promise.all(Array.from({ length: 40 }, () => ehr.send(READ)));
    expect(sent.every(({ verdict }) => verdict.kind === 'ok')).toBe(true);
    expect(server.connections()).toBeLessThanOrEqual(3);
  });

  test('a request that gives up while it waits for one is never sent', async () => {
    const held: (() => void)[] = [];
    const server = await anOddServer((_heard, res) => void held.push(() => answerJson(res, 200, {})));
    const nextHeld = async (): Promise<void> =>
      (
        await eventually(
          () => held.shift(),
          (finish) => finish !== undefined,
        )
      )?.();
    const ehr = anEhr(server.base, { limits: { connectionsMax: 1 } });
    const first = ehr.send(CREATE);
    const controller = new AbortController();
    const second = ehr.send({ ...CREATE, requestId: 'second', signal: controller.signal });
    // The first is at the server, so that the second waits for its connection.
    await eventually(
      () => held.length,
      (count) => count === 1,
    );
    controller.abort();
    expect((await second).verdict).toMatchObject({ kind: 'abandoned', effect: 'none' });
    await nextHeld();
    expect((await first).verdict.kind).toBe('ok');
    const third = ehr.send({ ...CREATE, requestId: 'third' });
    await nextHeld();
    await third;
    expect(server.heard.map(({ headers }) => headers['x-request-id'])).toEqual(['r', 'third']);
  });

  test('a caller that gives up a write under way is told that it may have been done', async () => {
    demo().board.setRules([{ hang: 'before-head' }]);
    const { verdict } = await anEhr(demo().url).send({ ...CREATE, signal: AbortSignal.timeout(100) });
    expect(verdict).toMatchObject({ kind: 'abandoned', effect: 'unknown' });
  });

  test('a port where nobody listens, and a name that nobody has, are safe to try again', async () => {
    const gone = anEhr(`http://localhost:${await aFreePort()}/fhir`);
    expect(await gone.send(CREATE)).toMatchObject({
      exchange: { because: 'refused', sent: 'nothing' },
      verdict: { kind: 'retry-later', effect: 'none', fault: { code: 'ehr.unreachable' } },
    });
    const nameless = anEhr('http://ehr.invalid/fhir');
    expect(await nameless.send(CREATE)).toMatchObject({
      exchange: { because: 'dns', sent: 'nothing' },
      verdict: { kind: 'retry-later', effect: 'none', fault: { code: 'ehr.unreachable' } },
    });
  });

  test('after it is closed nothing is sent', async () => {
    const ehr = anEhr(demo().url);
    await ehr.close();
    expect((await ehr.send(CREATE)).verdict).toMatchObject({ kind: 'abandoned', effect: 'none' });
    expect(demo().log.requests()).toEqual([]);
  });
});
