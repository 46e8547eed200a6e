import { expect, test } from '@jest/globals';
import type { IncomingHttpHeaders } from 'node:http';
import { checkRequest } from '../../../src/http/index.ts';

function check(url: string, method = 'GET', headers: IncomingHttpHeaders = {}, hosts = 1): string {
  const rawHeaders = Array.from({ length: hosts }, () => ['Host', 'x']).flat();
  const result = checkRequest({ url, method, headers, rawHeaders });
  return result.ok ? 'ok' : result.fault.code;
}

test.each<[string, string, Parameters<typeof check>]>([
  ['a plain request passes', 'ok', ['/healthz']],
  ['an absolute target is refused', 'http.target', ['http://other/healthz']],
  ['a target that begins with two slashes is refused', 'http.target', ['//other/healthz']],
  ['the asterisk is refused', 'http.target', ['*', 'OPTIONS']],
  ['two Host headers are refused', 'http.host', ['/', 'GET', {}, 2]],
  ['no Host header is refused', 'http.host', ['/', 'GET', {}, 0]],
  [
    'both framings are refused',
    'http.framing',
    ['/', 'POST', { 'transfer-encoding': 'chunked', 'content-length': '3' }],
  ],
  ['an upgrade is refused', 'http.framing', ['/', 'GET', { upgrade: 'websocket' }]],
  ['a compressed body is refused', 'http.encoding', ['/fhir/Patient/_search', 'POST', { 'content-encoding': 'gzip' }]],
  ['a compressed webhook is kept as it came', 'ok', ['/webhooks/x/data', 'POST', { 'content-encoding': 'gzip' }]],
  ['TRACE is refused', 'http.method', ['/', 'TRACE']],
  ['CONNECT is refused', 'http.method', ['/', 'CONNECT']],
])('%s', (_name, expected, args) => {
  expect(check(...args)).toBe(expected);
});
