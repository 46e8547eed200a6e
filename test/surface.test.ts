import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import request from 'supertest';
import { systemClock } from '../src/kernel/index.ts';
import { CONTRACTS, type Contract } from '../src/admin/index.ts';
import { startGateway, type Gateway } from '../src/gateway/index.ts';
import { checkAnswer } from './support/check-answer.ts';
import { collectLog } from './support/collect-log.ts';
import { configOf } from './support/gateway.ts';
import { sqlitePlace, type Place } from './support/new-store.ts';
import { read } from './support/source-files.ts';

const TOKEN = 'operator-'.repeat(5);
let gateway: Gateway;
let place: Place;
const url = () => `http://127.0.0.1:${gateway.port}`;

beforeAll(async () => {
  place = await sqlitePlace();
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  gateway = await startGateway({
    config: configOf(`sqlite:${place.database.file}?filesystem=any`, { CHARTGATE_ADMIN_TOKEN: TOKEN }),
    clock: systemClock,
    log: collectLog(),
  });
});
afterAll(async () => {
  await gateway.stop();
  await place.remove();
});

/** The whole surface, and what each part of it asks for. A new route is a deliberate change of this list. */
const OPEN = [
  'GET /',
  'GET /healthz',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/reference.js',
  'GET /docs/style.css',
  'GET /operator/sign-in',
  'GET /operator/sign-in.css',
  'GET /operator/sign-in.js',
  'GET /operator/provider/start',
  'GET /operator/provider/back',
  'GET /ehr/jwks.json',
  'GET /.well-known/jwks.json',
  'GET /fhir/.well-known/smart-configuration',
  'GET /fhir/metadata',
  'OPTIONS /fhir/{*path}',
];
const OPS = ['GET /readyz', 'GET /metrics'];
const SMART = [
  'GET /fhir/Subscription/$status',
  'POST /fhir/Subscription/$status',
  'GET /fhir/Subscription/:id/$status',
  'POST /fhir/Subscription/:id/$status',
  'GET /fhir/Subscription/:id/$events',
  'POST /fhir/Subscription/:id/$events',
  'POST /fhir/Subscription/:id/$rotate-secret',
  'GET /fhir/Subscription',
  'POST /fhir/Subscription',
  'GET /fhir/Subscription/:id',
  'PUT /fhir/Subscription/:id',
  'PATCH /fhir/Subscription/:id',
  'DELETE /fhir/Subscription/:id',
  'GET /fhir/$export',
  'POST /fhir/$export',
  'GET /fhir/Patient/$export',
  'POST /fhir/Patient/$export',
  'GET /fhir/Group/:id/$export',
  'POST /fhir/Group/:id/$export',
  'GET /fhir/$export/:id',
  'DELETE /fhir/$export/:id',
  'GET /fhir/$export/:id/:file',
  'GET /fhir/Group',
  'GET /fhir/Group/:id',
  'GET /fhir/Patient/:id/$everything',
  'GET /fhir/Observation/$lastn',
  'POST /fhir/Observation/$lastn',
  'GET /fhir/DocumentReference/$docref',
  'POST /fhir/DocumentReference/$docref',
  'POST /fhir/Patient/$match',
  'GET /fhir/AuditEvent',
  'POST /fhir/AuditEvent/_search',
  'GET /fhir/AuditEvent/:id',
  'GET /fhir/:type',
  'POST /fhir/:type/_search',
  'POST /fhir/:type/$validate',
  'GET /fhir/:type/:id',
  'GET /fhir/:type/:id/_history',
  'GET /fhir/:type/:id/_history/:version',
  'GET /fhir/Patient/:id/:type',
  'POST /fhir/Patient/:id/:type/_search',
  'GET /fhir/{*path}',
];
const SOURCE = ['POST /webhooks/:secret/data', 'POST /webhooks/:secret/notifications'];
const ADMIN = [
  'GET /admin/api/series',
  'GET /admin/api/ledger',
  'GET /admin/api/webhooks/refused',
  'GET /admin/api/stream',
  'GET /admin/api/deliveries/groups',
  'GET /admin/api/deliveries/groups/patients',
  'GET /admin/api/deliveries/groups/words',
  'GET /admin/api/deliveries',
  'GET /admin/api/deliveries/:id',
  'GET /admin/api/deliveries/:id/raw',
  'POST /admin/api/deliveries/:id/replay',
  'POST /admin/api/deliveries/:id/decide',
  'POST /admin/api/replay',
  'POST /admin/api/approve',
  'POST /admin/api/deliveries/:id/discard',
  'POST /admin/api/deliveries/:id/notes',
  'PUT /admin/api/deliveries/:id/assignment',
  'POST /admin/api/jobs/preview',
  'POST /admin/api/jobs',
  'GET /admin/api/jobs',
  'GET /admin/api/jobs/:id',
  'POST /admin/api/jobs/:id/stop',
  'GET /admin/api/deliveries/:id/explain',
  'GET /admin/api/deliveries/:id/changes',
  'GET /admin/api/unmapped',
  'POST /admin/api/mappings/reload',
  'GET /admin/api/mappings/rows',
  'POST /admin/api/mappings/try',
  'POST /admin/api/mappings/check',
  'GET /admin/api/mappings/loads',
  'GET /admin/api/targets',
  'POST /admin/api/targets/:id/pause',
  'POST /admin/api/targets/:id/resume',
  'POST /admin/api/targets/:id/probe',
  'GET /admin/api/targets/:id/probes',
  'GET /admin/api/targets/:id/lanes',
  'GET /admin/api/shadow',
  'GET /admin/api/shadow/deliveries',
  'POST /admin/api/shadow/evaluate',
  'POST /admin/api/shadow/leave',
  'GET /admin/api/audit',
  'GET /admin/api/audit/key',
  'GET /admin/api/audit/export',
  'GET /admin/api/audit/records/:chain/:seq',
  'GET /admin/api/audit/verify',
  'GET /admin/api/audit/verify/progress',
  'GET /admin/api/audit/counts',
  'GET /admin/api/audit/searches',
  'POST /admin/api/audit/searches',
  'DELETE /admin/api/audit/searches/:id',
  'POST /admin/api/users/:user_id/erase',
  'GET /admin/api/keys/data',
  'POST /admin/api/keys/data/rotate',
  'GET /admin/api/links',
  'GET /admin/api/links/:user_id',
  'PUT /admin/api/links/:user_id',
  'GET /admin/api/links/:user_id/charted',
  'DELETE /admin/api/links/:user_id',
  'POST /admin/api/links/import',
  'GET /admin/api/patients/:mrn/preview',
  'GET /admin/api/links/:user_id/history',
  'GET /admin/api/patients',
  'GET /admin/api/patients/:mrn/timeline',
  'GET /admin/api/patients/:mrn/connections',
  'GET /admin/api/patients/:mrn/connections/:data_source',
  'POST /admin/api/patients/:mrn/connections/:data_source',
  'POST /admin/api/patients/:mrn/revoke',
  'POST /admin/api/patients/:mrn/binding',
  'GET /admin/api/patients/:mrn/labs',
  'POST /admin/api/patients/:mrn/labs',
  'GET /admin/api/patients/:mrn/profile',
  'POST /admin/api/patients/:mrn/profile',
  'GET /admin/api/patients/:mrn/monitoring-rules',
  'PUT /admin/api/patients/:mrn/monitoring-rules',
  'GET /admin/api/monitoring-rules',
  'PUT /admin/api/monitoring-rules',
  'GET /admin/api/overdue',
  'GET /admin/api/restrictions',
  'GET /admin/api/patients/:mrn/restriction',
  'PUT /admin/api/patients/:mrn/restriction',
  'DELETE /admin/api/patients/:mrn/restriction',
  'POST /admin/api/handles',
  'POST /admin/api/handles/open',
  'GET /admin/api/clients',
  'POST /admin/api/clients',
  'PUT /admin/api/clients/:id',
  'POST /admin/api/clients/:id/disable',
  'POST /admin/api/clients/:id/enable',
  'DELETE /admin/api/clients/:id',
  'POST /admin/api/launches',
  'POST /admin/api/keys/rotate',
  'GET /admin/api/accounts',
  'POST /admin/api/accounts',
  'POST /admin/api/accounts/:id/disable',
  'POST /admin/api/accounts/:id/enable',
  'POST /admin/api/accounts/:id/reset',
  'POST /admin/api/accounts/:id/reset-factor',
  'POST /admin/api/accounts/:id/unlock',
  'DELETE /admin/api/accounts/:id',
  'GET /admin/api/grants',
  'DELETE /admin/api/grants/:id',
  'GET /admin/api/subscriptions',
  'GET /admin/api/subscriptions/:id',
  'POST /admin/api/subscriptions/:id/end',
  'GET /admin/api/exports',
  'GET /admin/api/exports/:id',
  'POST /admin/api/exports/:id/end',
  'GET /admin/api/groups',
  'GET /admin/api/groups/:id',
  'GET /admin/api/groups/:id/members',
  'POST /admin/api/groups',
  'POST /admin/api/groups/:id',
  'DELETE /admin/api/groups/:id',
  'GET /admin/api/operators',
  'POST /admin/api/operators',
  'GET /admin/api/operators/:id',
  'DELETE /admin/api/operators/:id',
  'PUT /admin/api/operators/:id/roles',
  'POST /admin/api/operators/:id/disable',
  'POST /admin/api/operators/:id/enable',
  'POST /admin/api/operators/:id/reset',
  'GET /admin/api/operators/:id/factors',
  'DELETE /admin/api/operators/:id/factors/:factor',
  'GET /admin/api/keys',
  'POST /admin/api/keys',
  'DELETE /admin/api/keys/:id',
  'GET /admin/api/settings',
];

/** They ask for an operator's own session, or a key, themselves. */
const OPERATOR = [
  'POST /admin/api/session',
  'GET /admin/api/session',
  'DELETE /admin/api/session',
  'POST /admin/api/session/code',
  'POST /admin/api/session/passkey',
  'POST /admin/api/session/passkey/finish',
  'POST /admin/api/session/unlock',
  'POST /admin/api/session/proof',
  'GET /admin/api/session/all',
  'DELETE /admin/api/session/all/:id',
  'POST /admin/api/session/factors/totp',
  'POST /admin/api/session/factors/totp/finish',
  'POST /admin/api/session/factors/passkey',
  'POST /admin/api/session/factors/passkey/finish',
  'DELETE /admin/api/session/factors/:id',
  'PUT /admin/api/session/password',
  'POST /admin/api/session/link',
];

test.each([
  ['open', OPEN],
  ['ops', OPS],
  ['source', SOURCE],
  ['smart', SMART],
  ['admin', ADMIN],
  ['operator', OPERATOR],
])('these routes are %s, and no other', (access, expected) => {
  const found = gateway.routes.filter((route) => route.access === access);
  expect(found.map(({ method, path }) => `${method.toUpperCase()} ${path}`)).toEqual(expected);
});

test.each(OPERATOR)('%s lets nobody in without a session or a key', async (route) => {
  const [method = '', path = ''] = route.split(' ');
  // These two are how a session begins; a browser says where it comes from.
  const begins = ['POST /admin/api/session', 'POST /admin/api/session/link'].includes(route);
  for (const headers of [{}, { authorization: 'Bearer wrong' }, { cookie: '__Host-chartgate-operator=x' }]) {
    const answer = await fetch(`${url()}${path}`, { method, headers: { ...headers } as Record<string, string> });
    const { code } = (await answer.json()) as { code: string };
    expect([answer.status, code]).toEqual(begins ? [403, 'operator.csrf'] : [401, 'operator.unauthenticated']);
  }
});

test.each(ADMIN)('%s refuses whoever is not the operator, and says nothing else', async (route) => {
  const [method = '', path = ''] = route.split(' ');
  for (const authorization of ['', 'Bearer wrong', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`]) {
    const answer = await fetch(`${url()}${path}`, { method, headers: authorization === '' ? {} : { authorization } });
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([401, 'admin.unauthenticated']);
  }
});

test.each([
  ['GET', '/admin/api/ledger', 200],
  ['GET', '/admin/api/series', 200],
  ['GET', '/admin/api/series?span=month', 200],
  ['GET', '/admin/api/series?span=year', 400],
  ['GET', '/admin/api/webhooks/refused', 200],
  ['GET', '/admin/api/webhooks/refused?span=year', 400],
  ['GET', '/admin/api/stream?x=1', 400],
  ['GET', '/admin/api/deliveries?limit=1', 200],
  ['GET', '/admin/api/deliveries?limit=0', 400],
  ['GET', '/admin/api/deliveries?state=lost', 400],
  ['GET', '/admin/api/deliveries?cursor=x', 400],
  ['GET', '/admin/api/deliveries?stat=parked', 400],
  ['GET', '/admin/api/deliveries?state=parked&state=queued', 400],
  ['GET', '/admin/api/deliveries/dlv_none', 404],
  ['GET', '/admin/api/deliveries/dlv_none/raw', 403],
  ['POST', '/admin/api/deliveries/dlv_none/replay', 404],
  ['POST', '/admin/api/deliveries/dlv_none/decide', 400],
  ['POST', '/admin/api/deliveries/dlv_none/discard', 400],
  ['GET', '/admin/api/deliveries/dlv_none/explain', 404],
  ['POST', '/admin/api/deliveries/dlv_none/notes', 400],
  ['PUT', '/admin/api/deliveries/dlv_none/assignment', 400],
  ['GET', '/admin/api/deliveries/groups', 200],
  ['GET', '/admin/api/deliveries/groups?state=parked', 400],
  ['GET', '/admin/api/jobs', 200],
  ['GET', '/admin/api/jobs?cursor=x', 400],
  ['GET', '/admin/api/jobs/job_none', 404],
  ['POST', '/admin/api/jobs', 400],
  ['POST', '/admin/api/jobs/preview', 400],
  ['POST', '/admin/api/jobs/job_none/stop', 404],
  ['GET', '/admin/api/exports', 200],
  ['GET', '/admin/api/exports?cursor=x', 400],
  ['GET', '/admin/api/exports?state=lost', 400],
  ['GET', '/admin/api/exports/exp_none', 404],
  ['POST', '/admin/api/exports/exp_none/end', 404],
  ['GET', '/admin/api/groups', 200],
  ['GET', '/admin/api/groups?cursor=x', 400],
  ['GET', '/admin/api/groups/all', 200],
  ['GET', '/admin/api/groups/none', 404],
  ['GET', '/admin/api/groups/none/members', 404],
  ['POST', '/admin/api/groups', 400],
  ['POST', '/admin/api/groups/none', 400],
  ['DELETE', '/admin/api/groups/none', 404],
  ['GET', '/admin/api/unmapped', 200],
  ['GET', '/admin/api/unmapped?limit=x', 400],
  ['POST', '/admin/api/mappings/reload', 200],
  ['POST', '/admin/api/replay?state=parked', 200],
  ['POST', '/admin/api/replay?state=delivered', 200],
  ['POST', '/admin/api/replay?state=superseded', 400],
  ['POST', '/admin/api/approve', 200],
  ['POST', '/admin/api/approve?reason=unlinked', 400],
  ['GET', '/admin/api/targets', 200],
  ['POST', '/admin/api/targets/ehr/pause', 200],
  ['POST', '/admin/api/targets/ehr/resume', 200],
  ['POST', '/admin/api/targets/other/pause', 404],
  ['GET', '/admin/api/shadow', 200],
  ['GET', '/admin/api/shadow?x=1', 400],
  ['GET', '/admin/api/shadow/deliveries?kind=write&limit=5', 200],
  ['GET', '/admin/api/shadow/deliveries?kind=nonsense', 400],
  ['GET', '/admin/api/shadow/deliveries?reason=No%20Reason', 400],
  ['GET', '/admin/api/shadow/deliveries?cursor=x', 400],
  ['POST', '/admin/api/shadow/evaluate?kind=park&reason=patient', 200],
  ['POST', '/admin/api/shadow/evaluate?kind=nonsense', 400],
  ['POST', '/admin/api/shadow/leave', 400],
  ['GET', '/admin/api/audit?limit=3', 200],
  ['GET', '/admin/api/audit?patient=Patient/1&outcome=refused', 200],
  ['GET', '/admin/api/audit?type=nonsense', 400],
  ['GET', '/admin/api/audit?from=2026-01-01', 400],
  ['GET', '/admin/api/audit?cursor=x', 400],
  ['GET', '/admin/api/audit/key', 200],
  ['GET', '/admin/api/audit/verify', 200],
  ['GET', '/admin/api/audit/verify/progress', 200],
  ['GET', '/admin/api/audit/records/chain_none/1', 404],
  ['GET', '/admin/api/audit/records/chain_none/0', 400],
  ['GET', '/admin/api/audit?actor=ada', 200],
  ['GET', '/admin/api/audit/export?form=other', 400],
  ['GET', '/admin/api/audit/export?form=csv&particulars=open', 400],
  ['GET', '/admin/api/audit/counts?by=actor', 200],
  ['GET', '/admin/api/audit/counts?by=patient&interval=day', 200],
  ['GET', '/admin/api/audit/counts', 400],
  ['GET', '/admin/api/audit/searches', 200],
  ['POST', '/admin/api/audit/searches', 400],
  ['DELETE', '/admin/api/audit/searches/asr_none', 404],
  ['GET', '/admin/api/session', 200],
  ['GET', '/admin/api/session?x=1', 400],
  ['GET', '/admin/api/session/all', 403],
  ['GET', '/admin/api/operators', 200],
  ['POST', '/admin/api/operators', 400],
  ['GET', '/admin/api/operators/opr_none', 404],
  ['DELETE', '/admin/api/operators/opr_none', 404],
  ['POST', '/admin/api/operators/opr_none/reset', 404],
  ['GET', '/admin/api/operators/opr_none/factors', 404],
  ['DELETE', '/admin/api/operators/opr_none/factors/fac_none', 404],
  ['GET', '/admin/api/keys', 200],
  ['POST', '/admin/api/keys', 400],
  ['DELETE', '/admin/api/keys/key_none', 404],
  ['GET', '/admin/api/settings', 200],
  ['GET', '/admin/api/settings?key=x', 400],
  ['GET', '/admin/api/clients', 200],
  ['GET', '/admin/api/clients?x=1', 400],
  ['POST', '/admin/api/clients', 400],
  ['PUT', '/admin/api/clients/app_none', 400],
  ['POST', '/admin/api/clients/app_none/disable', 404],
  ['POST', '/admin/api/clients/app_none/enable', 404],
  ['DELETE', '/admin/api/clients/app_none', 404],
  ['POST', '/admin/api/launches', 400],
  ['GET', '/admin/api/accounts', 200],
  ['POST', '/admin/api/accounts', 400],
  ['POST', '/admin/api/accounts/usr_none/disable', 404],
  ['POST', '/admin/api/accounts/usr_none/enable', 404],
  ['POST', '/admin/api/accounts/usr_none/reset', 400],
  ['POST', '/admin/api/accounts/usr_none/reset-factor', 404],
  ['POST', '/admin/api/accounts/usr_none/unlock', 404],
  ['DELETE', '/admin/api/accounts/usr_none', 404],
  ['GET', '/admin/api/grants', 400],
  ['GET', '/admin/api/grants?client_id=a&account_id=b', 400],
  ['GET', '/admin/api/grants?client_id=app', 200],
  ['GET', '/admin/api/grants?account_id=usr&cursor=x', 400],
  ['DELETE', '/admin/api/grants/grt_none', 404],
  ['GET', '/admin/api/subscriptions', 200],
  ['GET', '/admin/api/subscriptions?cursor=x', 400],
  ['GET', '/admin/api/subscriptions?state=gone', 400],
  ['GET', '/admin/api/subscriptions/sub_none', 404],
  ['POST', '/admin/api/subscriptions/sub_none/end', 404],
  ['POST', '/admin/api/users/user_none/erase', 400],
  ['POST', '/admin/api/users/user_none/erase?client_uuid=c', 404],
  ['POST', '/admin/api/users/user_none/erase?client_uuid=c&preview=maybe', 400],
  ['GET', '/admin/api/links/user_none/charted?client_uuid=c', 404],
  ['GET', '/admin/api/links', 200],
  ['GET', '/admin/api/links?status=lost', 400],
  ['GET', '/admin/api/links?user_id=u', 400],
  ['GET', '/admin/api/links/user_none', 400],
  ['GET', '/admin/api/links/user_none?client_uuid=c', 404],
  ['PUT', '/admin/api/links/user_none', 400],
  ['DELETE', '/admin/api/links/user_none?client_uuid=c', 404],
  ['POST', '/admin/api/links/import', 400],
  ['GET', '/admin/api/patients/mrn_none/connections', 404],
  ['POST', '/admin/api/patients/mrn_none/revoke', 404],
  ['POST', '/admin/api/patients/mrn_none/binding', 400],
  ['POST', '/admin/api/patients/mrn_none/labs?timezone=UTC', 400],
  ['POST', '/admin/api/patients/mrn_none/labs?timezone=Z', 400],
  ['GET', '/admin/api/patients/mrn_none/profile', 404],
  ['GET', '/admin/api/monitoring-rules', 503],
  ['GET', '/admin/api/overdue', 200],
  ['GET', '/admin/api/restrictions', 200],
  ['GET', '/admin/api/patients/mrn_none/restriction', 200],
  ['DELETE', '/admin/api/patients/mrn_none/restriction', 200],
])('%s %s answers %i as openapi/ describes it', async (method, path, status) => {
  const answer = await fetch(`${url()}${path}`, { method, headers: { authorization: `Bearer ${TOKEN}` } });
  expect(answer.status).toBe(status);
  const template = path
    .replace(/\?.*/, '')
    .replace(
      /dlv_none|job_none|app_none|usr_none|opr_none|key_none|asr_none|grt_none|sub_none|exp_none|(?<=(?:targets|api\/groups)\/)\w+/,
      '{id}',
    )
    .replace('fac_none', '{factor}')
    .replace('user_none', '{user_id}')
    .replace('mrn_none', '{mrn}')
    .replace(/chain_none\/\d/, '{chain}/{seq}');
  const [type = '', content] =
    Object.entries(described.paths[template]?.[method.toLowerCase()]?.responses[String(status)]?.content ?? {})[0] ??
    [];
  expect(answer.headers.get('content-type')?.split(';')[0]).toBe(type);
  const body = (await answer.json()) as Readonly<Record<string, unknown>>;
  expect(differences(body, content?.schema ?? {})).toEqual([]);
  checkAnswer(method, path, answer.status, body);
  // Whoever is refused learns what would be taken, or what is not there.
  if (body['code'] === 'admin.parameter') {
    expect(body['detail']).toEqual(expect.stringMatching(/ must be | takes /));
    if (body['at'] !== '') expect(body['detail']).toContain(String(body['at']));
  }
  if (status === 404)
    expect(body['detail']).toEqual(expect.stringMatching(/^(There is no|This source user|Nothing is|No source)/));
});

test.each([
  ['deliveries?state=lost', 'state', 'received, queued, sending'],
  ['deliveries?limit=0', 'limit', '1 to 500'],
  ['deliveries?stat=parked', '', 'state, reason, fault, user_id'],
  ['links?status=lost', 'status', 'proposed, confirmed, revoked'],
  ['audit?type=nonsense', 'type', 'hook.accept'],
  ['audit?from=2026-01-01', 'from', 'instant with its zone'],
  ['shadow?x=1', '', 'no parameters'],
])('GET /admin/api/%s names the parameter and what is taken', async (path, at, taken) => {
  const answer = await fetch(`${url()}/admin/api/${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(await answer.json()).toMatchObject({
    status: 400,
    code: 'admin.parameter',
    at,
    detail: expect.stringContaining(taken),
  });
});

test('an unknown delivery is said to be unknown, whatever is asked of it', async () => {
  for (const [method, act] of [
    ['GET', ''],
    ['GET', '/explain'],
    ['POST', '/replay'],
  ] as const) {
    const answer = await fetch(`${url()}/admin/api/deliveries/dlv_none${act}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(await answer.json()).toMatchObject({
      code: 'delivery.not-found',
      detail: 'There is no delivery of this id.',
    });
  }
});

type Schema = Readonly<Record<string, unknown>>;
interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly responses: Readonly<
              Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
            >;
          }
        >
      >
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
const described = JSON.parse(read('openapi/openapi.json')) as OpenApi;

// OpenAPI adds keywords that say nothing about a value (example, discriminator, …): JSON Schema passes them over.
const ajv = new Ajv2020({ allErrors: true, strict: false });
addFormats.default(ajv);
ajv.addSchema(described, 'openapi');

/** Where a value differs from a schema of openapi/. */
function differences(value: unknown, schema: Schema): string[] {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as Schema;
  const isValid = ajv.compile(absolute);
  return isValid(value)
    ? []
    : (isValid.errors ?? []).map(({ instancePath, message, params }) =>
        [instancePath, message, JSON.stringify(params)].join(' '),
      );
}

test('a value that differs from its description is told, and where', () => {
  const described = { type: 'object', required: ['a', 'b'], properties: { a: { type: 'string' } } };
  expect(differences({ a: 1 }, described)).toHaveLength(2);
  expect(differences({ status: 'x' }, { $ref: '#/components/schemas/Problem' })).not.toEqual([]);
});

test('openapi/ describes exactly these routes', () => {
  const paths = Object.entries(described.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  // An OpenAPI path has no way to say "whatever follows".
  const routes = [...OPEN, ...OPS, ...SOURCE, ...SMART, ...ADMIN, ...OPERATOR].map((route) =>
    route.replace('{*path}', ':type/:id/:path').replace(/:(\w+)/g, '{$1}'),
  );
  expect(paths.sort()).toEqual(routes.sort());
});

interface Described {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: Readonly<Record<string, unknown>>;
  }[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}
const operations = Object.entries(described.paths).flatMap(([path, of]) =>
  Object.entries(of).map(
    ([method, operation]) => [`${method.toUpperCase()} ${path}`, path, operation as Described] as const,
  ),
);

test.each(operations)(
  '%s: its description names every part of its path, and what is answered to a request that is none',
  (route, path, operation) => {
    const { parameters = [], requestBody, responses } = operation;
    const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
    expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(named);
    if (route.includes('OPTIONS') || path === '/fhir/{type}/{id}/{path}') return;
    const statuses = Object.keys(responses);
    if (parameters.length > 0) expect(statuses).toContain('400');
    if (requestBody !== undefined) expect(statuses).toEqual(expect.arrayContaining(['400', '413']));
    if (requestBody !== undefined && !path.startsWith('/webhooks/')) expect(statuses).toContain('415');
  },
);

/** Of a choice, each. */
const isBounded = (schema: object): boolean =>
  'anyOf' in schema
    ? (schema.anyOf as object[]).every(isBounded)
    : ['enum', 'pattern', 'format', 'maximum'].some((bound) => bound in schema);

test.each(operations.filter(([route]) => route.includes('/admin/')))(
  '%s: what a parameter may be is bounded or listed',
  (_route, _path, operation) => {
    for (const { name, in: where, schema } of operation.parameters ?? [])
      if (!(where === 'path' && name === 'id')) expect([name, isBounded(schema)]).toEqual([name, true]);
  },
);

test.each(SMART)('%s shows nothing to whoever has no token', async (route) => {
  const [method = '', path = ''] = route.split(' ');
  const answer = await fetch(
    `${url()}${path.replace(/:type/, 'Patient').replace(/:\w+/g, 'x').replace('{*path}', 'x/y/z')}`,
    {
      method,
    },
  );
  expect([401, 503]).toContain(answer.status);
  expect(answer.headers.get('content-type')).toBe('application/fhir+json; charset=utf-8');
  expect(differences(await answer.json(), { $ref: '#/components/schemas/OperationOutcome' })).toEqual([]);
});

test.each([...OPEN, ...OPS].filter((route) => route.startsWith('GET')))(
  '%s answers as openapi/ describes it',
  async (route) => {
    const [, path = ''] = route.split(' ');
    const answer = await request(url()).get(path);
    const response = described.paths[path]?.['get']?.responses[String(answer.status)];
    expect(response).toBeDefined();
    const [type = '', content] = Object.entries(response?.content ?? {})[0] ?? [];
    if (content === undefined) return;
    expect(answer.headers['content-type']?.split(';')[0]).toBe(type);
    if (/json$/.test(type)) expect(differences(JSON.parse(answer.text), content.schema)).toEqual([]);
  },
);

test('a problem is as openapi/ describes it', async () => {
  const answer = await request(url()).get('/nix');
  expect(differences(JSON.parse(answer.text), { $ref: '#/components/schemas/Problem' })).toEqual([]);
});

test('metrics name routes by their template', async () => {
  await request(url()).get('/nix/MarkerPatient?name=MarkerPatient');
  const { text } = await request(url()).get('/metrics');
  expect(text).toContain('chartgate_http_request_seconds_count{route="(none)",method="GET",status="404"}');
  expect(text).toContain('chartgate_store_ready 1');
  expect(text).not.toContain('MarkerPatient');
});

test('the reference is a page of our own: every script is a file of ours, and none stands in the page', async () => {
  const { text, headers } = await request(url()).get('/docs');
  const scripts = [...text.matchAll(/<script([^>]*)>([^<]*)</g)];
  expect(scripts.map(([, attributes, content]) => [attributes, content])).toEqual([
    [' src="/docs/reference.js" defer', ''],
  ]);
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toContain('unsafe-eval');
});

test('every admin route has the permission that its contract asks for', () => {
  const asked = gateway.routes.flatMap((route) =>
    route.access === 'admin' ? [[`${route.method} ${route.path}`, route.permission]] : [],
  );
  const contracts = Object.values<Contract>(CONTRACTS).flatMap(({ method, path, permission }) =>
    permission === null ? [] : [[`${method} ${path}`, permission]],
  );
  expect(asked.sort()).toEqual(contracts.sort());
});
