import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { traceOf } from '../../../src/kernel/index.ts';
import { eventually } from '../../support/eventually.ts';
import { sqlitePlace } from '../../support/new-store.ts';
import { fieldsOf, startOtlpSink, type OtlpSink, type SinkSpan } from '../../support/otlp-sink.ts';
import { aClinicalReady } from '../../support/payloads/index.ts';
import { startRig, type Rig } from '../delivery/rig.ts';
import { startIssuer } from './issuer.ts';

const PUBLIC = 'https://gateway.example';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

let sink: OtlpSink;
let rig: Rig;
let issuer: Awaited<ReturnType<typeof startIssuer>>;

beforeAll(async () => {
  sink = await startOtlpSink();
  issuer = await startIssuer(() => `${PUBLIC}/fhir`);
  rig = await startRig(sqlitePlace, {
    settings: {
      ...issuer.settings,
      CHARTGATE_PUBLIC_URL: PUBLIC,
      CHARTGATE_OTLP_URL: sink.url,
      CHARTGATE_OTLP_HEADERS: 'X-Tenant=ward,authorization=Bearer a=b',
      CHARTGATE_OTLP_METRICS_SECONDS: '1',
    },
  });
}, 60_000);
afterAll(async () => {
  await rig.stop();
  await sink.stop();
  await issuer.stop();
});

/** A trace as a tree of names, a child below its parent, in the order of their beginning. */
function treeOf(spans: readonly SinkSpan[], parent: string | undefined, indent = ''): string[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .toSorted((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)))
    .flatMap((span) => [`${indent}${span.name}`, ...treeOf(spans, span.spanId, `${indent}  `)]);
}
const traced = (traceId: string): SinkSpan[] => sink.spans().filter((span) => span.traceId === traceId);
const until = (traceId: string, name: string): Promise<SinkSpan[]> =>
  eventually(
    () => traced(traceId),
    (spans) => spans.some((span) => span.name === name),
  );
const named = (spans: readonly SinkSpan[], name: string): Record<string, unknown> => {
  const found = spans.find((span) => span.name === name);
  return found === undefined ? {} : fieldsOf(found);
};
const isWithin = (spans: readonly SinkSpan[]): boolean =>
  spans.every((span) => {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
    return parent === undefined || BigInt(span.startTimeUnixNano) >= BigInt(parent.startTimeUnixNano);
  });

describe('a delivery', () => {
  test('is one trace from the webhook to the chart', async () => {
    const user = 'ada';
    await rig.enrol(user);
    // The patient is looked up anew; what is claimed as it is settled does not wait in a lane.
    const id = await rig.send(aClinicalReady({ userId: user, observations: 2 }), { 'x-request-id': 'a'.repeat(32) });
    await rig.resting(id);
    const traceId = traceOf('a'.repeat(32));
    const spans = await until(traceId, 'delivery.finish');
    const all = await eventually(
      () => traced(traceId),
      (some) => some.some(({ name }) => name === 'POST /webhooks/:secret/data'),
    );
    const tree = treeOf(all, undefined).filter((name) => name.trim() !== 'delivery.wait');
    expect(tree.slice(0, 2)).toEqual(['POST /webhooks/:secret/data', '  delivery.store']);
    expect(new Set(tree)).toEqual(
      new Set([
        'POST /webhooks/:secret/data',
        '  delivery.store',
        '    delivery.judge',
        '    delivery.settle',
        '    delivery.attempt',
        '      POST /Patient/_search',
        '      POST /',
        '      delivery.finish',
      ]),
    );
    expect(isWithin(all)).toBe(true);
    expect(named(all, 'POST /webhooks/:secret/data')).toEqual({
      'http.request.method': 'POST',
      'http.route': '/webhooks/:secret/data',
      'http.response.status_code': '202',
      'chartgate.request.id': 'a'.repeat(32),
    });
    expect(named(spans, 'delivery.store')).toMatchObject({
      'chartgate.delivery.id': id,
      'chartgate.delivery.hook': 'data',
      // On PostgreSQL it is known at once whether the same bytes came before.
      'chartgate.delivery.state': expect.stringMatching(/^(?:accepted|received)$/) as unknown,
    });
    expect(named(spans, 'delivery.judge')).toMatchObject({ 'chartgate.verdict': 'sound' });
    expect(named(spans, 'delivery.settle')['chartgate.delivery.state']).toMatch(/^(?:queued|sending)$/);
    expect(named(spans, 'delivery.attempt')).toMatchObject({
      'chartgate.delivery.id': id,
      'chartgate.attempt.number': '1',
      'chartgate.attempt.outcome': 'delivered',
    });
    expect(named(spans, 'delivery.finish')).toEqual({
      'chartgate.delivery.id': id,
      'chartgate.delivery.state': 'delivered',
    });
    const address = new URL(rig.ehr.url);
    expect(named(spans, 'POST /')).toEqual({
      'http.request.method': 'POST',
      'url.template': '/',
      'server.address': address.hostname,
      'server.port': address.port,
      'http.response.status_code': '200',
    });
    // The lines of the log join them.
    expect(rig.log.lines.find(({ event }) => event === 'delivery.sent')).toMatchObject({ deliveryId: id, traceId });
  });

  test('goes on in the same trace after a restart, and tells how long it waited and why it was tried again', async () => {
    const user = 'bob';
    await rig.enrol(user);
    await rig.admin('POST', 'targets/ehr/pause');
    const id = await rig.send(aClinicalReady({ userId: user, observations: 1 }), {
      traceparent: `00-${TRACE}-${CALLER}-00`,
    });
    await rig.until(id, ({ state }) => state === 'queued');
    await rig.restart();
    await rig.admin('POST', 'targets/ehr/resume');
    await rig.resting(id);
    const spans = await until(TRACE, 'delivery.finish');
    // The first is the caller's own child, though the caller said that it records nothing.
    const tree = treeOf(spans, CALLER);
    expect(tree[0]).toBe('POST /webhooks/:secret/data');
    expect(tree).toContain('    delivery.wait');
    expect(tree).toContain('    delivery.attempt');
    expect(tree).toContain('      delivery.finish');
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  });

  test('that nobody is linked to is parked, and says so', async () => {
    const id = await rig.send(aClinicalReady({ userId: 'nobody', observations: 1 }), {
      'x-request-id': 'b'.repeat(32),
    });
    await rig.resting(id);
    const spans = await until(traceOf('b'.repeat(32)), 'delivery.settle');
    expect(named(spans, 'delivery.settle')).toEqual({
      'chartgate.delivery.id': id,
      'chartgate.delivery.state': 'parked',
      'chartgate.park.reason': 'unlinked',
    });
  });

  test('the EHR is told the very step that asks it', async () => {
    const sent = rig.ehr.log.requests().length;
    await rig.deliver(aClinicalReady({ userId: 'ada', observations: 3, bundleId: 'another' }));
    const spans = await eventually(sink.spans, (all) => all.filter(({ kind }) => kind === 3).length > 3);
    expect(rig.ehr.log.requests().length).toBeGreaterThan(sent);
    expect(spans.filter(({ kind }) => kind === 3).every(({ parentSpanId }) => parentSpanId !== undefined)).toBe(true);
  });
});

describe('a read', () => {
  const ask = (path: string, token: string, headers: Record<string, string> = {}) =>
    fetch(rig.url(`/fhir/${path}`), { headers: { authorization: `Bearer ${token}`, ...headers } });

  beforeAll(async () => {
    const reference = await rig.enrol('cyd');
    rig.ehr.put({
      resourceType: 'Observation',
      id: 'o1',
      status: 'final',
      code: { coding: [{ system: 'http://loinc.org', code: '8867-4' }] },
      subject: { reference },
    });
    issuer.add('token-1', { scope: 'patient/*.rs', patient: reference.slice('Patient/'.length), sub: 'u1' });
  });

  test('is one trace from the request to the answer', async () => {
    const requestId = 'c'.repeat(32);
    const answer = await ask('Observation/o1', 'token-1', { 'x-request-id': requestId });
    expect(answer.status).toBe(200);
    const spans = await until(traceOf(requestId), 'GET /fhir/:type/:id');
    const tree = treeOf(spans, undefined);
    expect(tree[0]).toBe('GET /fhir/:type/:id');
    expect(tree[1]).toBe('  read.token');
    expect(new Set(tree)).toEqual(
      new Set([
        'GET /fhir/:type/:id',
        '  read.token',
        '  read.decide',
        '  GET /Patient/:id',
        '  GET /Observation/:id',
        '  read.check',
        '  read.audit',
      ]),
    );
    expect(tree.at(-1)).toBe('  read.audit');
    expect(named(spans, 'read.decide')).toEqual({
      'chartgate.decision': 'allow',
      'chartgate.interaction': 'read',
      'chartgate.resource.type': 'Observation',
    });
    expect(named(spans, 'read.check')).toEqual({ 'chartgate.decision': 'seen' });
    expect(named(spans, 'read.audit')).toMatchObject({ 'chartgate.count': '1' });
    expect(isWithin(spans)).toBe(true);
  });

  test('a search has its check, whether on bytes or on resources', async () => {
    const patient = 'pat-mrn-cyd';
    for (const [n, query] of [`patient=${patient}`, `patient=${patient}&_include=Observation:subject`].entries()) {
      const requestId = `${n}${'d'.repeat(31)}`;
      expect((await ask(`Observation?${query}`, 'token-1', { 'x-request-id': requestId })).status).toBe(200);
      const spans = await until(traceOf(requestId), 'GET /fhir/:type');
      expect(treeOf(spans, undefined)).toContain('  POST /Observation/_search');
      expect(named(spans, 'read.check')['chartgate.count']).toBe(n === 0 ? '1' : '2');
    }
  });

  test('that is refused says why, and is no failure of ours', async () => {
    const requestId = 'e'.repeat(32);
    expect((await ask('Observation?patient=somebody', 'token-1', { 'x-request-id': requestId })).status).toBe(403);
    const spans = await until(traceOf(requestId), 'GET /fhir/:type');
    expect(named(spans, 'read.decide')['chartgate.decision']).toBe('other-patient');
    const [first] = spans.filter(({ kind }) => kind === 2);
    expect([first?.status, first && fieldsOf(first)['chartgate.fault.code']]).toEqual([
      undefined,
      'read.other-patient',
    ]);
  });

  test('of somebody without a token ends there', async () => {
    const requestId = 'f'.repeat(32);
    expect((await ask('Observation/o1', 'nonsense', { 'x-request-id': requestId })).status).toBe(401);
    const spans = await until(traceOf(requestId), 'GET /fhir/:type/:id');
    expect(treeOf(spans, undefined)).toEqual(['GET /fhir/:type/:id', '  read.token']);
    expect(named(spans, 'read.token')).toEqual({ 'error.type': 'smart.unauthenticated' });
  });
});

test('what probes ask is not told of, and metrics come by themselves with the credential', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics']) await fetch(rig.url(path));
  const metrics = await eventually(sink.metrics, (all) =>
    all.some(({ name }) => name === 'chartgate_deliveries_settled_total'),
  );
  expect(
    metrics.find(({ name }) => name === 'chartgate_http_request_seconds')?.histogram?.dataPoints.length,
  ).toBeGreaterThan(2);
  expect(metrics.find(({ name }) => name === 'chartgate_telemetry_dropped_total')?.sum?.dataPoints[0]?.asDouble).toBe(
    0,
  );
  expect(sink.spans().filter(({ name }) => /healthz|readyz|metrics/.test(name))).toEqual([]);
  const sent = sink.taken.at(-1);
  expect(sent?.headers).toMatchObject({
    'content-type': 'application/json',
    'content-encoding': 'gzip',
    'x-tenant': 'ward',
    authorization: 'Bearer a=b',
  });
  expect(sent?.text).toContain('"service.instance.id"');
});
