import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { eventually } from '../../support/eventually.ts';
import {
  OTHER_CLIENT,
  OTHER_USER,
  aClinicalReady,
  aStepsEvent,
  anAlertEvent,
  envelopeOf,
  withAt,
  withoutAt,
} from '../../support/payloads/index.ts';
import { DATA_SECRET, outcome, sendRaw, startHookGateway, type HookGateway } from './hook-gateway.ts';

let hooks: HookGateway;
beforeAll(async () => void (hooks = await startHookGateway()));
afterAll(() => hooks.stop());

/** Named so that every delivery is a document of its own; an id of R4 has no blanks. */
const sound = (name: string): string =>
  JSON.stringify(aClinicalReady({ bundleId: name.replace(/[^A-Za-z0-9]/g, '-').slice(0, 64) }));
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const withUser = (bytes: Buffer): Buffer => {
  const [before = '', after = ''] = JSON.stringify(aStepsEvent({ userId: '@@' })).split('@@', 2);
  return Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
};

describe('what cannot be read is acknowledged and quarantined', () => {
  test.each<[string, string | Buffer, string]>([
    ['not JSON', 'hello', 'json-syntax'],
    ['nothing at all', '', 'json-syntax'],
    ['truncated JSON', sound('truncated').slice(0, -20), 'json-syntax'],
    ['two values', `${sound('two')}${sound('two')}`, 'json-syntax'],
    ['a comma too many', '{"a":1,}', 'json-syntax'],
    ['NaN', '{"a":NaN}', 'json-syntax'],
    ['nesting of 101', nested(101), 'json-depth'],
    ['nesting of 500,000', nested(500_000), 'json-depth'],
    ['deep nesting inside a sound envelope', sound('deep').replace('{', `{"x":${nested(5_000)},`), 'json-depth'],
    ['a key twice', '{"a":1,"a":1}', 'json-duplicate-key'],
    ['a user_id twice', sound('twice').replace('{', `{"user_id":"${OTHER_USER}",`), 'json-duplicate-key'],
    ['a key twice, once escaped', '{"a":1,"\\u0061":2}', 'json-duplicate-key'],
    ['a byte that is no UTF-8', withUser(Buffer.from([0xff])), 'json-utf8'],
    ['an overlong form', withUser(Buffer.from([0xc0, 0xaf])), 'json-utf8'],
    ['half a surrogate pair in bytes', withUser(Buffer.from([0xed, 0xa0, 0x80])), 'json-utf8'],
    ['UTF-16', Buffer.from(`\ufeff${sound('utf-16')}`, 'utf16le'), 'json-utf8'],
  ])('%s', async (_what, body, rule) => {
    const { state, reason, findings, bodyBytes } = await hooks.deliver(body);
    expect({ state, reason, findings, bodyBytes }).toEqual({
      state: 'quarantined',
      reason: 'not-json',
      findings: [rule],
      bodyBytes: Buffer.byteLength(body),
    });
  });

  test.each<[string, Buffer]>([
    ['a gzip bomb', gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 })],
    ['a sound document in gzip', gzipSync(sound('gzip'))],
  ])('%s is kept as the bytes that came and never inflated', async (_what, body) => {
    const { state, reason, findings, bodyBytes } = await hooks.deliver(body, { 'Content-Encoding': 'gzip' });
    expect({ state, reason, findings, bodyBytes }).toEqual({
      state: 'quarantined',
      reason: 'not-json',
      findings: ['json-utf8'],
      bodyBytes: body.length,
    });
  });

  test.each(['gzip', 'br', 'deflate', 'nonsense'])(
    'JSON that merely says Content-Encoding: %s is read as it is',
    async (encoding) => {
      expect(outcome(await hooks.deliver(sound(`encoding-${encoding}`), { 'Content-Encoding': encoding }))).toEqual([
        'parked',
        'unlinked',
      ]);
    },
  );
});

test('a byte order mark before the document is passed over, and counted', async () => {
  const delivery = await hooks.deliver(`\ufeff${sound('marked')}`);
  expect(outcome(delivery)).toEqual(['parked', 'unlinked']);
  expect(delivery.findings).toContain('json-byte-order-mark');
  expect((await hooks.deliver(`\ufeff${sound('marked').slice(0, -1)}`)).findings).toEqual([
    'json-byte-order-mark',
    'json-syntax',
  ]);
});

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-16',
  'application/json; charset=nonsense',
  'application/fhir+json',
  'text/plain',
  'text/plain; charset=iso-8859-1',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'nonsense',
])('the content type does not matter: %s', async (type) => {
  expect(outcome(await hooks.deliver(sound(`type ${type}`), { 'Content-Type': type }))).toEqual(['parked', 'unlinked']);
});

test('no content type at all does not matter', async () => {
  const body = sound('type none');
  const heard = await sendRaw(
    hooks.port,
    `POST /webhooks/${DATA_SECRET}/data HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect(heard.split('\r\n')[0]).toBe('HTTP/1.1 202 Accepted');
});

describe('what is not believed is acknowledged and quarantined', () => {
  const DATA = 'clinical_ready.clinical_ready_data';
  test.each<[string, unknown, string, string]>([
    [
      'absent fields',
      withoutAt(aClinicalReady(), 'clinical_ready.metadata'),
      'shape',
      'payload.shape clinical_ready.metadata',
    ],
    ['an absent envelope', { hello: 'world' }, 'shape', 'payload.shape data_structure'],
    ['an absent user', withoutAt(aStepsEvent(), 'user_id'), 'shape', 'payload.shape user_id'],
    ['wrong types', withAt(aStepsEvent(), 'document_version', '1'), 'shape', 'payload.shape document_version'],
    ['a list', [aStepsEvent()], 'shape', 'payload.shape '],
    ['null', 'null', 'shape', 'payload.shape '],
    ['a number', '42', 'shape', 'payload.shape '],
    ['a text', '"text"', 'shape', 'payload.shape '],
    ['a user id of 51 characters', aStepsEvent({ userId: 'u'.repeat(51) }), 'shape', 'payload.shape user_id'],
    ['an empty user id', aStepsEvent({ userId: '' }), 'shape', 'payload.shape user_id'],
    [
      'a foreign client',
      aStepsEvent({ clientUuid: OTHER_CLIENT }),
      'foreign-client',
      'payload.foreign-client client_uuid',
    ],
    [
      'identities that disagree',
      withAt(aClinicalReady(), 'clinical_ready.metadata.user_id', OTHER_USER),
      'identity',
      'payload.identity clinical_ready.metadata.user_id',
    ],
    [
      'another Patient',
      withAt(aClinicalReady(), `${DATA}.entry.0.resource.identifier.0.value`, OTHER_USER),
      'identity',
      `payload.identity ${DATA}.Patient.identifier[0].value`,
    ],
    [
      'fields of `__proto__`',
      `{"__proto__":${JSON.stringify(aStepsEvent())}}`,
      'shape',
      'payload.shape data_structure',
    ],
    [
      'signals of an alert that are none',
      withAt(anAlertEvent(), 'alerts.alert_signals_array', [null]),
      'shape',
      'payload.shape alerts.alert_signals_array.0',
    ],
  ])('%s', async (_what, value, reason, finding) => {
    const delivery = await hooks.deliver(value);
    expect([...outcome(delivery), delivery.findings]).toEqual(['quarantined', reason, [finding]]);
  });

  test.each<[string, string, unknown]>([
    ['a wrong status', `${DATA}.entry.2.resource.status`, 'done'],
    ['a wrong date', `${DATA}.entry.2.resource.effectivePeriod.start`, '2026-02-30T00:00:00Z'],
    ['a wrong value', `${DATA}.entry.2.resource.valueQuantity.value`, 'much'],
    ['an element that R4 does not have', `${DATA}.entry.2.resource.nix`, 1],
  ])('content that is not R4: %s', async (what, path, value) => {
    const delivery = await hooks.deliver(withAt(aClinicalReady({ bundleId: `not-r4-${what.length}` }), path, value));
    expect([...outcome(delivery), delivery.findings.length > 0]).toEqual(['quarantined', 'not-r4', true]);
  });

  test('an identifier that is null is quarantined and never stuck', async () => {
    const value = withAt(aClinicalReady({ bundleId: 'null-identifier' }), `${DATA}.entry.0.resource.identifier`, [
      null,
    ]);
    const { id } = (await hooks.postData(value)).body as { id: string };
    const delivery = await eventually(
      () => hooks.read(id),
      ({ state }) => state !== 'received',
      2_500,
    );
    expect(delivery.state).toBe('quarantined');
  });

  test('a user of a refused payload is not invented: 51 characters are not kept as an id', async () => {
    const { userId } = await hooks.deliver(aStepsEvent({ userId: 'v'.repeat(51) }));
    expect(userId).toBeNull();
  });
});

test('`__proto__` beside sound fields changes nothing', async () => {
  const body = sound('proto').replace('{', '{"__proto__":{"client_uuid":"foreign","polluted":1},');
  expect(outcome(await hooks.deliver(body))).toEqual(['parked', 'unlinked']);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('an unknown structure of 51 devices, odd names and odd values is kept', async () => {
  const value = {
    ...envelopeOf('constructor', 0, {}),
    toString: null,
    'a\u0000b': '\ud83d\ude00',
    device_source_data_array: Array(51).fill({}),
  };
  expect(outcome(await hooks.deliver(value))).toEqual(['parked', 'unmapped']);
});

describe('requests that are not sound HTTP', () => {
  const line = `POST /webhooks/${DATA_SECRET}/data HTTP/1.1\r\n`;

  test.each<[string, string, number]>([
    ['two Host headers', `${line}Host: a\r\nHost: b\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`, 421],
    ['the same Host twice', `${line}Host: a\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`, 421],
    ['no Host', `${line}Connection: close\r\nContent-Length: 2\r\n\r\n{}`, 400],
    ['two lengths', `${line}Host: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
    ['a length that is no number', `${line}Host: a\r\nContent-Length: two\r\n\r\n{}`, 400],
    ['a broken chunk', `${line}Host: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    ['no HTTP', 'hello\r\n\r\n', 400],
  ])('%s', async (_what, text, status) => {
    const { acknowledged } = await hooks.ledger();
    expect(Number((await sendRaw(hooks.port, text)).split(' ')[1])).toBe(status);
    expect((await hooks.ledger()).acknowledged).toBe(acknowledged);
  });

  test('a body that ends before its length is not stored', async () => {
    const { acknowledged } = await hooks.ledger();
    await new Promise<void>((resolve) => {
      const socket = connect(hooks.port, '127.0.0.1', () => {
        socket.end(`${line}Host: a\r\nContent-Length: 5000\r\n\r\n{"data_structure":`);
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
      socket.resume();
    });
    expect((await hooks.ledger()).acknowledged).toBe(acknowledged);
  });
});

test('after all of it the gateway is well and its ledger adds up', async () => {
  const ready = await fetch(`http://127.0.0.1:${hooks.port}/readyz`);
  const { addsUp, acknowledged, byState } = await hooks.ledger();
  const sum = Object.values(byState).reduce((total, count) => total + count, 0);
  expect([ready.status, addsUp, sum, byState['received']]).toEqual([200, true, acknowledged, 0]);
  expect(acknowledged).toBeGreaterThan(0);
  expect(hooks.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
});
