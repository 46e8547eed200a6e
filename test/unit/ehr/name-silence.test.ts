import { expect, test } from '@jest/globals';
import { nameSilence } from '../../../src/ehr/name-silence.ts';

const error = (code: string, cause?: unknown): Error =>
  Object.assign(new Error('MARKER https://ehr.example.org/Patient?identifier=MARKER', { cause }), { code });

test.each([
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['ECONNREFUSED', 'refused'],
  ['EHOSTUNREACH', 'refused'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect-timeout'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
  ['UND_ERR_BODY_TIMEOUT', 'timeout'],
  ['UND_ERR_SOCKET', 'reset'],
  ['ECONNRESET', 'reset'],
  ['EPIPE', 'reset'],
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'too-large'],
  ['HPE_INVALID_CONSTANT', 'not-http'],
  ['CERT_HAS_EXPIRED', 'tls'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
  ['UND_ERR_DESTROYED', 'closed'],
  ['SOMETHING_NEW', 'reset'],
])('%s is called %s, however deep it is wrapped', (code, because) => {
  for (const thrown of [error(code), new TypeError('fetch failed', { cause: error(code) })])
    expect(nameSilence(thrown, 'something')).toMatchObject({ because, sent: 'something', cause: { code } });
});

test('several addresses of one host that all refuse are a refusal', () => {
  const thrown = new AggregateError([error('ECONNREFUSED'), error('ECONNREFUSED')]);
  expect(nameSilence(new TypeError('fetch failed', { cause: thrown }), 'nothing').because).toBe('refused');
});

test('a socket error that wraps a TLS error is a TLS error', () => {
  expect(nameSilence(error('UND_ERR_SOCKET', error('ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC')), 'something')).toMatchObject({
    because: 'tls',
    sent: 'something',
  });
});

test('a server that refuses our certificate has read nothing, though TLS 1.3 lets us send first', () => {
  expect(nameSilence(error('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), 'something')).toMatchObject({
    because: 'tls',
    sent: 'nothing',
  });
});

test('what is no error at all is the careful thing', () => {
  for (const thrown of [null, undefined, 'text', {}])
    expect(nameSilence(thrown, 'something')).toEqual({ kind: 'unanswered', because: 'reset', sent: 'something' });
});

test('no message of another system is kept', () => {
  const { cause } = nameSilence(error('ECONNRESET'), 'something');
  expect(`${String(cause)} ${(cause as Error).stack ?? ''} ${JSON.stringify(cause)}`).not.toContain('MARKER');
});
