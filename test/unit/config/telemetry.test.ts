import { expect, test } from '@jest/globals';
import { ConfigError, loadConfig } from '../../../src/config/index.ts';

const key = (n: number): string => Buffer.alloc(32, n).toString('base64');
const SOUND = {
  CHARTGATE_DATA_KEY: key(1),
  CHARTGATE_AUDIT_KEY: key(2),
  CHARTGATE_PSEUDONYM_KEY: key(3),
  CHARTGATE_EHR_URL: 'https://ehr.example.org/fhir/',
  CHARTGATE_MRN_SYSTEM: 'urn:oid:1.2.3',
  CHARTGATE_WEBHOOK_SECRET: 'a'.repeat(32),
  CHARTGATE_ADMIN_TOKEN: 'b'.repeat(32),
};
const URL_GIVEN = { CHARTGATE_OTLP_URL: 'https://collector.example/' };
const load = (env: Record<string, string>) => loadConfig('serve', { ...SOUND, ...env }, () => 'text of a file');

function problemsOf(env: Record<string, string>): string[] {
  try {
    load(env);
    return [];
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.problems.map((one) => one.key);
    throw thrown;
  }
}

test('without an address nothing is told, and the log looks as it fits', () => {
  const { telemetry, log } = load({});
  expect([telemetry, log.format]).toEqual([null, null]);
  expect(load({ CHARTGATE_LOG_FORMAT: 'pretty' }).log.format).toBe('pretty');
});

test('an address is enough', () => {
  expect(load(URL_GIVEN).telemetry).toEqual({
    url: 'https://collector.example',
    headers: [],
    ca: null,
    traceShare: 1,
    metricsEveryMs: 60_000,
  });
});

test('everything else can be said, and what goes with it is a secret', () => {
  const { telemetry } = load({
    ...URL_GIVEN,
    CHARTGATE_OTLP_HEADERS: 'Authorization=Basic dXNlcjpw=, X-Scope=a b',
    CHARTGATE_OTLP_TLS_CA_FILE: 'ca.pem',
    CHARTGATE_OTLP_TRACE_SHARE: '0.05',
    CHARTGATE_OTLP_METRICS_SECONDS: '0',
  });
  expect(telemetry?.headers.map(({ name, value }) => [name, value.reveal()])).toEqual([
    ['authorization', 'Basic dXNlcjpw='],
    ['x-scope', 'a b'],
  ]);
  expect([telemetry?.ca, telemetry?.traceShare, telemetry?.metricsEveryMs]).toEqual(['text of a file', 0.05, 0]);
  expect(JSON.stringify(telemetry)).not.toContain('dXNlcjpw');
});

test.each<[Record<string, string>, string[]]>([
  [{ CHARTGATE_LOG_FORMAT: 'xml' }, ['CHARTGATE_LOG_FORMAT']],
  [{ CHARTGATE_OTLP_URL: 'grpc://collector' }, ['CHARTGATE_OTLP_URL']],
  [{ CHARTGATE_OTLP_URL: 'https://user:pw@collector' }, ['CHARTGATE_OTLP_URL']],
  [{ CHARTGATE_OTLP_URL: 'https://collector/?key=1' }, ['CHARTGATE_OTLP_URL']],
  [{ CHARTGATE_OTLP_HEADERS: 'a=b' }, ['CHARTGATE_OTLP_HEADERS']],
  [{ CHARTGATE_OTLP_TLS_CA_FILE: 'x' }, ['CHARTGATE_OTLP_TLS_CA_FILE']],
  [{ CHARTGATE_OTLP_URL: 'http://collector', CHARTGATE_OTLP_TLS_CA_FILE: 'x' }, ['CHARTGATE_OTLP_URL']],
  [{ ...URL_GIVEN, CHARTGATE_OTLP_HEADERS: 'nothing' }, ['CHARTGATE_OTLP_HEADERS']],
  [{ ...URL_GIVEN, CHARTGATE_OTLP_HEADERS: 'a=b\nc: d' }, ['CHARTGATE_OTLP_HEADERS']],
  [{ ...URL_GIVEN, CHARTGATE_OTLP_TRACE_SHARE: '1.5' }, ['CHARTGATE_OTLP_TRACE_SHARE']],
  [{ ...URL_GIVEN, CHARTGATE_OTLP_TRACE_SHARE: '-1' }, ['CHARTGATE_OTLP_TRACE_SHARE']],
  [{ ...URL_GIVEN, CHARTGATE_OTLP_METRICS_SECONDS: '9999' }, ['CHARTGATE_OTLP_METRICS_SECONDS']],
])('%p is refused', (env, problems) => {
  expect(problemsOf(env)).toEqual(problems);
});

test.each([
  ['http://collector.internal:4318', 1],
  ['http://localhost:4318', 0],
  ['https://collector.internal', 0],
])('%s leaves so much unchecked: %p', (url, weak) => {
  const found = load({ CHARTGATE_OTLP_URL: url }).weak.filter((one) => one.key === 'CHARTGATE_OTLP_URL');
  expect(found).toHaveLength(weak);
});
