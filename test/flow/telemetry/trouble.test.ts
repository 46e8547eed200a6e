import { afterEach, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../../src/kernel/index.ts';
import { makeTelemetry } from '../../../src/telemetry/index.ts';
import { collectLog } from '../../support/collect-log.ts';
import { eventually } from '../../support/eventually.ts';
import { sqlitePlace } from '../../support/new-store.ts';
import { startOtlpSink, TAKES, type OtlpSink } from '../../support/otlp-sink.ts';
import { aClinicalReady } from '../../support/payloads/index.ts';
import { startRig } from '../delivery/rig.ts';

const file = (name: string): string => new URL(`../../support/tls/${name}`, import.meta.url).pathname;
const text = (name: string): string => readFileSync(file(name), 'utf8');

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

async function aSink(tls: { readonly cert: string; readonly key: string } | null = null): Promise<OtlpSink> {
  const sink = await startOtlpSink(tls);
  open.push(sink.stop);
  return sink;
}

/** A port at which nobody listens. */
async function aClosedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  return port;
}

function telling(url: string, more: Partial<Parameters<typeof makeTelemetry>[0]> = {}) {
  const log = collectLog();
  let n = 0;
  const telemetry = makeTelemetry({
    url,
    headers: [],
    ca: null,
    traceShare: 1,
    metricsEveryMs: 0,
    sampleKey: 'k',
    version: '1',
    instance: 'ins_1',
    attributes: {},
    clock: systemClock,
    chance: (bytes) => new Uint8Array(bytes).fill((n = (n % 250) + 1)),
    log,
    limits: { gatherMs: 1, firstRetryMs: 5, retryMaxMs: 20, triesMax: 3, timeoutMs: 200 },
    ...more,
  });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (!isStopped) await telemetry.stop();
    isStopped = true;
  };
  open.push(stop);
  const tell = (requestId: string): void =>
    telemetry.trace?.request({ requestId, parent: null })?.endHttp('server', { 'http.request.method': 'GET' });
  return { telemetry, log, tell, stop };
}
const dropped = (of: { readonly dropped: () => number }, count: number): Promise<number> =>
  eventually(of.dropped, (many) => many >= count);

describe('a collector', () => {
  test('that is not there costs the spans, and one line, however many are lost', async () => {
    const { telemetry, log, tell } = telling(`http://127.0.0.1:${await aClosedPort()}`);
    for (let n = 1; n <= 3; n += 1) {
      tell(`req_${n}`);
      expect(await dropped(telemetry, n)).toBe(n);
    }
    expect(log.lines).toEqual([{ level: 'warn', event: 'telemetry.failed', signal: 'traces', reason: 'ECONNREFUSED' }]);
  });

  test('that comes back is told of again, with one line for the end of the outage', async () => {
    const sink = await aSink();
    let n = 0;
    sink.answerBy((response, taken) => {
      n += 1;
      if (n < 3) response.writeHead(503, { 'retry-after': '0' }).end();
      else TAKES(response, taken);
    });
    const { telemetry, log, tell } = telling(sink.url);
    tell('req_1');
    await eventually(
      () => log.lines.length,
      (count) => count === 2,
    );
    // The same batch, three times.
    expect(new Set(sink.taken.map((one) => one.text)).size).toBe(1);
    expect([sink.taken.length, telemetry.dropped()]).toEqual([3, 0]);
    expect(log.lines.map(({ event, status }) => [event, status])).toEqual([
      ['telemetry.failed', 503],
      ['telemetry.recovered', undefined],
    ]);
  });

  test.each([400, 401, 404, 413, 301])('that answers %p is not asked again with the same', async (status) => {
    const sink = await aSink();
    sink.answerBy((response) => void response.writeHead(status, { location: '/elsewhere' }).end());
    const { telemetry, log, tell } = telling(sink.url);
    tell('req_1');
    expect(await dropped(telemetry, 1)).toBe(1);
    expect(sink.taken).toHaveLength(1);
    expect(log.lines).toMatchObject([{ event: 'telemetry.failed', status }]);
  });

  test('that never answers is given up after its time, and does not hold up the end', async () => {
    const sink = await aSink();
    sink.answerBy(() => undefined);
    const { telemetry, log, tell, stop } = telling(sink.url);
    tell('req_1');
    await eventually(
      () => sink.taken.length,
      (count) => count >= 2,
    );
    expect(log.lines).toMatchObject([{ event: 'telemetry.failed' }]);
    await stop();
    expect(telemetry.dropped()).toBe(1);
  });

  test('that answers with more than it may is not read to its end', async () => {
    const sink = await aSink();
    sink.answerBy((response) => void response.end('x'.repeat(200_000)));
    const { telemetry, tell } = telling(sink.url);
    tell('req_1');
    expect(await dropped(telemetry, 1)).toBe(1);
  });

  test.each([
    ['signed by nobody we know', 'server', null],
    ['of another name', 'other', 'ca.pem'],
    ['that has run out', 'expired', 'ca.pem'],
  ])('with a certificate %s is told nothing', async (_, name, ca) => {
    const sink = await aSink({ cert: text(`${name}.pem`), key: text(`${name}.key.pem`) });
    const { telemetry, log, tell } = telling(sink.url.replace('127.0.0.1', 'localhost'), {
      ca: ca === null ? null : text(ca),
    });
    tell('req_1');
    expect(await dropped(telemetry, 1)).toBe(1);
    expect(sink.taken).toEqual([]);
    expect(log.lines).toMatchObject([{ event: 'telemetry.failed' }]);
  });

  test('with a certificate of an authority that a setting names is told', async () => {
    const sink = await aSink({ cert: text('server.pem'), key: text('server.key.pem') });
    const { tell } = telling(sink.url.replace('127.0.0.1', 'localhost'), { ca: text('ca.pem') });
    tell('req_1');
    expect(await eventually(sink.spans, (spans) => spans.length === 1)).toHaveLength(1);
  });

  test('that takes traces alone is told of metrics in vain, with one line', async () => {
    const sink = await aSink();
    sink.answerBy((response, taken) => {
      if (taken.path === '/v1/traces') TAKES(response, taken);
      else response.writeHead(404).end();
    });
    const { telemetry, log, tell } = telling(sink.url, { metricsEveryMs: 5 });
    telemetry.watch(() =>
      Promise.resolve([{ name: 'a', help: 'a', type: 'gauge', values: [{ value: 1, labels: {} }] }]),
    );
    telemetry.start();
    tell('req_1');
    await eventually(
      () => sink.taken.filter(({ path }) => path === '/v1/metrics').length,
      (count) => count >= 3,
    );
    await eventually(sink.spans, (spans) => spans.length === 1);
    expect(log.lines).toEqual([
      { level: 'warn', event: 'telemetry.failed', signal: 'metrics', reason: 'status', status: 404 },
    ]);
  });

  test('below a path is told there', async () => {
    const sink = await aSink();
    const { tell } = telling(`${sink.url}/otlp`);
    tell('req_1');
    await eventually(
      () => sink.taken.length,
      (count) => count === 1,
    );
    expect(sink.taken.map(({ path }) => path)).toEqual(['/otlp/v1/traces']);
  });
});

test('what is left is told at the end, with the metrics as they are then', async () => {
  const sink = await aSink();
  const { telemetry, tell, stop } = telling(sink.url, { metricsEveryMs: 600_000, limits: { gatherMs: 600_000 } });
  telemetry.watch(() =>
    Promise.resolve([{ name: 'a', help: 'a', type: 'counter', values: [{ value: 4, labels: {} }] }]),
  );
  telemetry.start();
  for (const id of ['req_1', 'req_2']) tell(id);
  await stop();
  expect([sink.spans().length, sink.metrics()[0]?.sum?.dataPoints[0]?.asDouble]).toEqual([2, 4]);
});

test('metrics that cannot be read are not told, and nothing ends by it', async () => {
  const sink = await aSink();
  const { telemetry, stop } = telling(sink.url, { metricsEveryMs: 5 });
  let asked = 0;
  telemetry.watch(() => {
    asked += 1;
    return Promise.reject(new Error('planted'));
  });
  telemetry.start();
  await eventually(
    () => asked,
    (count) => count >= 2,
  );
  await stop();
  expect(sink.taken).toEqual([]);
});

test.each([
  ['is down', async () => `http://127.0.0.1:${await aClosedPort()}`],
  [
    'never answers',
    async () => {
      const sink = await aSink();
      sink.answerBy(() => undefined);
      return sink.url;
    },
  ],
  [
    'is overloaded',
    async () => {
      const sink = await aSink();
      sink.answerBy((response) => void response.writeHead(503, { 'retry-after': '60' }).end());
      return sink.url;
    },
  ],
])('deliveries reach the chart while the collector %s, and the gateway comes to its end', async (_, address) => {
  const rig = await startRig(sqlitePlace, {
    settings: { CHARTGATE_OTLP_URL: await address(), CHARTGATE_OTLP_METRICS_SECONDS: '1' },
  });
  const outages = () => rig.log.lines.filter(({ event }) => event === 'telemetry.failed');
  try {
    await rig.enrol('ada');
    for (let n = 0; n < 5; n += 1) {
      const shown = await rig.deliver(aClinicalReady({ userId: 'ada', observations: 1, bundleId: `b-${n}` }));
      expect(shown.state).toBe('delivered');
    }
  } finally {
    await rig.stop();
  }
  expect(rig.log.lines.some(({ event }) => event === 'process.stopped')).toBe(true);
  expect(rig.log.lines.filter(({ event }) => event === 'process.part-late')).toEqual([]);
  // One for each signal, at most: it is one outage.
  expect(outages().length).toBeGreaterThan(0);
  expect(new Set(outages().map(({ signal }) => signal)).size).toBe(outages().length);
});
