import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { KEYS } from '../../src/config/index.ts';
import { SPAN_NAMES } from '../../src/kernel/index.ts';
import { eventually } from '../support/eventually.ts';
import { sqlitePlace } from '../support/new-store.ts';
import { fieldsOf, startOtlpSink, type OtlpSink } from '../support/otlp-sink.ts';
import { aClinicalReady, aLabResult, aUserProfile } from '../support/payloads/index.ts';
import { startRig, type Rig } from '../flow/delivery/rig.ts';
import { startIssuer } from '../flow/telemetry/issuer.ts';
import { howMany } from '../support/how-much.ts';

/*
 * Marked names, ids, MRNs, values, tokens and search values go through webhooks, reads, the admin API, refusals and
 * paths that nobody serves. Then every byte that was sent to the collector is searched for them.
 */

const PUBLIC = 'https://gateway.example';
const PEOPLE = howMany(8, 40);
const word = (kind: string, n: number): string => `mark${kind}${String(n).padStart(3, '0')}q`;
const personOf = (n: number) => ({
  user: word('user', n),
  mrn: word('mrn', n),
  patient: word('pat', n),
  name: word('name', n),
  evidence: word('why', n),
  resource: word('res', n),
  token: word('token', n),
  subject: word('sub', n),
  app: word('app', n),
  query: word('query', n),
  /** Numbers that stand in no code and no clock. */
  weight: `7${n % 10}.6180${String(n).padStart(3, '0')}3`,
  glucose: `9${n % 10}.2718${String(n).padStart(3, '0')}7`,
});
const ALL = Array.from({ length: PEOPLE }, (_, n) => personOf(n));
const MARKERS = ALL.flatMap((one) => Object.values(one));

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
      CHARTGATE_OTLP_METRICS_SECONDS: '1',
      CHARTGATE_LOG_LEVEL: 'debug',
    },
  });
}, 60_000);
afterAll(async () => {
  await sink.stop();
  await issuer.stop();
});

async function ask(path: string, init: RequestInit = {}): Promise<number> {
  const answer = await fetch(rig.url(path), { redirect: 'manual', ...init });
  await answer.arrayBuffer();
  return answer.status;
}

async function sendAll(): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const count = (status: number): void => void statuses.set(status, (statuses.get(status) ?? 0) + 1);
  for (const [n, one] of ALL.entries()) {
    const { user, mrn, patient, name, resource, token, query } = one;
    rig.ehr.put({
      resourceType: 'Patient',
      id: patient,
      active: true,
      identifier: [{ system: 'urn:example:mrn', value: mrn }],
      name: [{ family: name }],
    });
    rig.ehr.put({
      resourceType: 'Observation',
      id: resource,
      status: 'final',
      code: { text: name },
      subject: { reference: `Patient/${patient}` },
    });
    if (n % 3 !== 0) await rig.admin('PUT', `links/${user}`, { mrn, evidence: one.evidence });
    const weighed = { userId: user, observations: 2, bundleId: `b-${query}`, values: { weight: Number(one.weight) } };
    const id = await rig.send(aClinicalReady(weighed), {
      'x-request-id': query,
      traceparent: query,
      tracestate: `a=${query}`,
      baggage: `who=${name}`,
    });
    await rig.send(aLabResult({ userId: user, documentId: `lab-${query}`, glucose: Number(one.glucose) }));
    await rig.send(aUserProfile({ userId: user, fields: { note: name } }));
    await rig.resting(id);
    if (n % 3 === 0) await rig.admin('PUT', `links/${user}`, { mrn, evidence: one.evidence });
    issuer.add(token, { scope: 'patient/*.rs', patient, sub: one.subject, client_id: one.app, jti: token });
    const headers = {
      authorization: `Bearer ${token}`,
      'x-request-id': query,
      'user-agent': name,
      tracestate: `vendor=${query}`,
      baggage: `patient=${mrn}`,
    };
    for (const path of [
      `Observation/${resource}`,
      `Observation/${resource}/_history`,
      `Observation/${resource}/_history/${query}`,
      `Observation?patient=${patient}&code:text=${name}`,
      `Observation?patient=${query}`,
      `Patient?identifier=${mrn}`,
      `Patient/${patient}/$everything`,
      `Patient/${patient}/Observation`,
      `${query}/${resource}`,
      `Patient/${patient}/${query}`,
      `Observation/${resource}?${query}=${name}`,
    ])
      count(await ask(`/fhir/${path}`, { headers }));
    const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
    count(
      await ask('/fhir/Observation/_search', {
        method: 'POST',
        headers: form,
        body: `patient=${patient}&code=${query}`,
      }),
    );
    count(await ask(`/fhir/Patient/${patient}`, { headers: { authorization: `Bearer ${query}` } }));
    count(await ask(`/webhooks/${token}/data`, { method: 'POST', body: name }));
    count(await ask(`/${query}/${mrn}`, { method: 'DELETE', headers: { cookie: token } }));
    count(
      await ask(`/fhir/Patient/${patient}`, {
        method: query
          .slice(0, 4)
          .toUpperCase()
          .replace(/[^A-Z]/g, 'X'),
      }).catch(() => 0),
    );
    await rig.admin('GET', `audit?patient=${mrn}`);
    await rig.admin('GET', `links?mrn=${mrn}`);
  }
  return statuses;
}

test(`of ${MARKERS.length} marks that were sent, none is in what a collector is told`, async () => {
  const statuses = await sendAll();
  // They went all the way: reads were answered and refused, and charts hold what was sent.
  expect(statuses.get(200) ?? 0).toBeGreaterThanOrEqual(4 * PEOPLE);
  for (const refused of [401, 403, 404]) expect(statuses.get(refused) ?? 0).toBeGreaterThan(0);
  const chart = JSON.stringify(rig.live());
  expect(ALL.filter(({ weight }) => chart.includes(weight)).length).toBeGreaterThan(PEOPLE / 2);
  await eventually(sink.metrics, (all) => all.some(({ name }) => name === 'chartgate_ehr_attempt_seconds'));
  await rig.stop();
  const spans = sink.spans();
  const told = new Set(spans.map(({ name }) => name));
  expect(SPAN_NAMES.filter((name) => name !== 'delivery.wait' && !told.has(name))).toEqual([]);
  expect(spans.length).toBeGreaterThan(30 * PEOPLE);
  expect(sink.taken.length).toBeGreaterThan(2);
  const everything = sink.taken.map(({ text, headers, path }) => `${path}\n${JSON.stringify(headers)}\n${text}`);
  expect(MARKERS.filter((mark) => everything.some((one) => one.includes(mark)))).toEqual([]);
  // Neither are the secrets of the gateway.
  const secrets = Object.entries(rig.settings()).filter(
    ([name, value]) =>
      value.length > 8 &&
      Object.hasOwn(KEYS, name) &&
      (KEYS as Record<string, { isSecret?: true }>)[name]?.isSecret === true,
  );
  expect(secrets.length).toBeGreaterThan(5);
  expect(secrets.filter(([, value]) => everything.some((one) => one.includes(value))).map(([name]) => name)).toEqual(
    [],
  );
}, 180_000);

test('every attribute is one of a closed set, and every text a word, a template or an id of ours', () => {
  const texts = new Map<string, Set<string>>();
  for (const span of sink.spans())
    for (const [key, value] of Object.entries(fieldsOf(span)))
      texts.set(key, (texts.get(key) ?? new Set()).add(String(value)));
  const FORMS: Readonly<Record<string, RegExp>> = {
    'http.request.method': /^[A-Z_]{3,7}$/,
    'http.route': /^\/(?:[A-Za-z$:_.{}*-]+\/?)*$/,
    'http.response.status_code': /^\d{3}$/,
    'url.template': /^\/(?:[A-Za-z_]+|:id)?(?:\/(?:[A-Za-z_]+|:id))*$/,
    'server.address': /^localhost$/,
    'server.port': /^\d+$/,
    'chartgate.request.id': /^(?:req_[0-9a-z]{26}|[0-9a-f-]{16,64})$/,
    'chartgate.delivery.id': /^dlv_[0-9a-z]{26}$/,
    'chartgate.attempt.number': /^\d+$/,
    'chartgate.count': /^\d+$/,
    'chartgate.resources.written': /^\d+$/,
    'chartgate.resources.retracted': /^\d+$/,
    'chartgate.resource.type': /^[A-Z][A-Za-z]+$/,
  };
  const WORD = /^[a-z][a-z.-]{1,40}$|^[45]\d\d$/;
  for (const [key, values] of texts)
    for (const value of values) expect([key, value]).toEqual([key, expect.stringMatching(FORMS[key] ?? WORD)]);
  expect(texts.size).toBeGreaterThan(12);
});
