import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeBudget } from '../../../src/kernel/index.ts';
import { loadValidator } from '../../../src/r4/index.ts';
import { VALIDATE_BYTES_MAX } from '../../../src/smart/answer-validate.ts';
import { howMany } from '../../support/how-much.ts';
import { ADDRESS, smallGuide } from '../../support/a-guide.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';
import { stopAfterTest } from '../../support/stop-after-test.ts';

interface Outcome {
  readonly resourceType: string;
  readonly issue: readonly {
    readonly severity: string;
    readonly code: string;
    readonly details: { readonly text: string; readonly coding?: readonly { readonly code: string }[] };
    readonly diagnostics?: string;
    readonly expression?: readonly string[];
  }[];
}

const MARKER = 'zqmarker';
const SOUND = {
  resourceType: 'Observation',
  text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">x</div>' },
  status: 'final',
  code: { text: MARKER },
  subject: { reference: 'Patient/1' },
};
const PROFILED = { ...SOUND, subject: undefined, status: 'amended' };
const wrap = (resource: unknown, ...more: object[]) => ({
  resourceType: 'Parameters',
  parameter: [...(resource === null ? [] : [{ name: 'resource', resource }]), ...more],
});

/** A server that answers its CapabilityStatement, and counts who comes. */
async function startCounting(statement: (base: string) => object) {
  let connections = 0;
  let base = '';
  const server: Server = createServer((_req, res) =>
    res.writeHead(200, { 'content-type': 'application/fhir+json' }).end(JSON.stringify(statement(base))),
  );
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/fhir`;
  return {
    base,
    connections: () => connections,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

const type = (name: string, more: object = {}) => ({ type: name, interaction: [{ code: 'read' }], ...more });
const statementOf = (base: string): object => ({
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  instantiates: [
    'http://hl7.org/fhir/us/core/CapabilityStatement/us-core-server|6.1.0',
    `${base}/CapabilityStatement/x`,
  ],
  implementationGuide: ['http://hl7.org/fhir/us/core/ImplementationGuide/hl7.fhir.us.core|6.1.0', 'no canonical', 7],
  rest: [
    {
      mode: 'server',
      resource: [
        type('Observation', {
          supportedProfile: ['http://example.org/StructureDefinition/a', `${base}/StructureDefinition/own`],
        }),
        type('Patient'),
        type('Account', { supportedProfile: ['http://example.org/StructureDefinition/not-served'] }),
      ],
    },
  ],
});

let ehr: Awaited<ReturnType<typeof startCounting>>;
let rig: SmartRig;
let bare: SmartRig;
let token = '';
beforeAll(async () => {
  ehr = await startCounting(statementOf);
  rig = await startSmart(ehr.base, { capability: 'probed', profiles: smallGuide() });
  bare = await startSmart(ehr.base);
  token = rig.token(aGrant('user/Observation.rs'));
}, 60_000);
afterAll(async () => {
  await rig.stop();
  await bare.stop();
  await ehr.close();
});

const send = async (
  body: unknown,
  query = '',
  { by = token, at = rig, headers = {} }: { by?: string; at?: SmartRig; headers?: Record<string, string> } = {},
): Promise<[number, Outcome]> => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await at.post(`/fhir/Observation/$validate${query}`, by, text, headers);
  return [answer.status, (await answer.json()) as Outcome];
};
const shown = ({ issue }: Outcome) =>
  issue.map(({ severity, code, details, expression = [] }) => [
    severity,
    code,
    details.coding?.[0]?.code ?? '',
    ...expression,
  ]);

describe('what is said of a resource', () => {
  test('of a sound one, that nothing was found, and by what it was judged', async () => {
    expect(await send(SOUND)).toEqual([
      200,
      {
        resourceType: 'OperationOutcome',
        issue: [
          { severity: 'information', code: 'informational', details: { text: 'No findings. Judged by R4 4.0.1.' } },
        ],
      },
    ]);
  });

  test('errors and warnings, each with its place, its rule and words', async () => {
    const [status, outcome] = await send({ resourceType: 'Observation', status: 'nonsense', subject: {} });
    expect(status).toBe(200);
    expect(shown(outcome)).toEqual(
      expect.arrayContaining([
        ['error', 'required', 'cardinality-min', 'Observation'],
        ['error', 'code-invalid', 'binding-required', 'Observation.status'],
        ['warning', 'invariant', 'dom-6', 'Observation'],
      ]),
    );
    for (const { details, diagnostics } of outcome.issue)
      expect([details.text !== '', diagnostics]).toEqual([true, `Rule ${details.coding?.[0]?.code}`]);
  });

  test.each([
    ['the address', (profile: string) => send(PROFILED, `?profile=${encodeURIComponent(profile)}`)],
    ['Parameters', (profile: string) => send(wrap(PROFILED, { name: 'profile', valueUri: profile }))],
    [
      'a canonical in Parameters',
      (profile: string) => send(wrap(PROFILED, { name: 'profile', valueCanonical: profile })),
    ],
    ['the resource itself', (profile: string) => send({ ...PROFILED, meta: { profile: [profile] } })],
  ])('rules of a profile that %s names', async (_where, judged) => {
    const [status, outcome] = await judged(`${ADDRESS}final-result`);
    expect([status, shown(outcome).map((one) => one.at(-1))]).toEqual([200, ['Observation.status']]);
    expect(outcome.issue[0]?.severity).toBe('error');
    expect(outcome.issue[0]?.diagnostics).toMatch(new RegExp(`^Rule [a-z-]+ of ${ADDRESS}final-result$`));
    expect((await judged(`${ADDRESS}final-result|1.2.0`))[1].issue).toEqual(outcome.issue);
  });

  test('what a profile asks and nobody could judge', async () => {
    const [, outcome] = await send(SOUND, `?profile=${ADDRESS}about-somebody`);
    expect(outcome.issue.map(({ severity, code }) => [severity, code])).toEqual([
      ['information', 'informational'],
      ['information', 'incomplete'],
    ]);
    expect(outcome.issue[0]?.details.text).toBe(`No findings. Judged by R4 4.0.1, ${ADDRESS}about-somebody.`);
    expect(outcome.issue[1]?.details.text).toContain('binding https://guide.example.org/ValueSet/unknown');
  });

  test('a claim of a profile that is not loaded is named by its place', async () => {
    const [, outcome] = await send({ ...SOUND, meta: { profile: [`${ADDRESS}final-result`, 'http://x.example/y'] } });
    expect(shown(outcome).slice(1)).toEqual([['warning', 'not-supported', '', 'Observation.meta.profile[1]']]);
  });

  test("R4's own definition is a profile; one of another type is not met", async () => {
    const core = 'http://hl7.org/fhir/StructureDefinition/Observation';
    for (const profile of [core, `${core}|4.0.1`])
      expect((await send(SOUND, `?profile=${encodeURIComponent(profile)}`))[1].issue[0]?.code).toBe('informational');
    const [status, outcome] = await send(SOUND, `?profile=${ADDRESS}known-patient`);
    expect([status, shown(outcome)]).toEqual([200, [['error', expect.any(String), 'profile-type', 'Observation']]]);
  });

  test.each([
    ['create', ['information informational', 'warning not-supported']],
    ['update', ['information informational', 'warning not-supported']],
    ['delete', ['information informational', 'error not-supported']],
  ])('mode %s: that apps write nothing through us', async (mode, expected) => {
    for (const answer of [
      await send(SOUND, `?mode=${mode}`),
      await send(wrap(SOUND, { name: 'mode', valueCode: mode })),
    ])
      expect([answer[0], answer[1].issue.map(({ severity, code }) => `${severity} ${code}`)]).toEqual([200, expected]);
  });

  test('a deletion needs no resource', async () => {
    for (const body of [wrap(null), ''])
      expect((await send(body, '?mode=delete'))[1].issue).toEqual([
        expect.objectContaining({ severity: 'error', code: 'not-supported' }),
      ]);
  });

  test('digits are judged as they were written', async () => {
    const text = JSON.stringify({ ...SOUND, valueInteger: 1 }).replace('"valueInteger":1', '"valueInteger":1.0');
    expect(shown((await send(text))[1])).toEqual([['error', 'value', 'primitive-integer', 'Observation.value']]);
  });
});

describe('a profile that is not loaded', () => {
  test('is an error that names it and those nearby, the most alike first', async () => {
    const [status, { issue }] = await send(SOUND, `?profile=${ADDRESS}final-results`);
    expect([status, issue.length, issue[0]?.severity, issue[0]?.code]).toEqual([422, 1, 'error', 'not-supported']);
    expect(issue[0]?.expression).toEqual(['profile']);
    expect(issue[0]?.diagnostics).toContain(
      `${ADDRESS}final-results is not loaded; of Observation there are ${ADDRESS}final-result|1.2.0, ${ADDRESS}about-somebody|1.2.0`,
    );
  });

  test('is one of another version, too', async () => {
    const [status, { issue }] = await send(SOUND, `?profile=${encodeURIComponent(`${ADDRESS}about-somebody|2.0.0`)}`);
    expect(status).toBe(422);
    expect(issue[0]?.diagnostics).toContain(`there are ${ADDRESS}about-somebody|1.2.0`);
  });

  test('is every one where there is no guide; then R4 alone judges', async () => {
    const by = bare.token(aGrant('user/*.r'));
    const [status, { issue }] = await send(SOUND, `?profile=${ADDRESS}final-result`, { at: bare, by });
    expect([status, issue[0]?.diagnostics]).toEqual([422, expect.stringContaining('no profile of Observation is')]);
    expect((await send(PROFILED, '', { at: bare, by }))[1].issue[0]?.code).toBe('informational');
  });
});

describe('what cannot be judged', () => {
  const deep = `${'{"extension":['.repeat(120)}${']}'.repeat(120)}`;
  const many = JSON.stringify({ ...SOUND, note: Array.from({ length: 6_000 }, () => ({ text: 'x' })) });
  const bytes = JSON.stringify({ ...SOUND, note: [{ text: 'x'.repeat(VALIDATE_BYTES_MAX) }] });
  test.each<[string, unknown, string, number, string]>([
    ['no JSON', '{"resourceType":', '', 400, 'read.body'],
    ['no UTF-8', '\ud800', '', 400, 'read.body'],
    ['a property twice', '{"resourceType":"Observation","resourceType":"Observation"}', '', 400, 'read.body'],
    ['no object', '[]', '', 400, 'read.body'],
    ['null', 'null', '', 400, 'read.body'],
    ['no resource', '{}', '', 400, 'read.body'],
    ['another type than the address names', { ...SOUND, resourceType: 'Patient' }, '', 400, 'read.body'],
    ['another type in Parameters', wrap({ resourceType: 'Patient' }), '', 400, 'read.body'],
    ['Parameters in Parameters', wrap(wrap(SOUND)), '', 400, 'read.body'],
    ['Parameters without a list', { resourceType: 'Parameters', parameter: {} }, '', 400, 'read.body'],
    ['Parameters without a resource', wrap(null), '', 400, 'read.body'],
    ['nothing at all', '', '', 400, 'read.body'],
    ['two resources', { ...wrap(SOUND, { name: 'resource', resource: SOUND }) }, '', 400, 'read.body'],
    ['an unknown parameter', wrap(SOUND, { name: 'usageContext' }), '', 400, 'read.body'],
    ['a parameter that is none', wrap(SOUND, []), '', 400, 'read.body'],
    ['a mode in the body that is none', wrap(SOUND, { name: 'mode', valueCode: 'x' }), '', 400, 'read.body'],
    ['a mode of another kind', wrap(SOUND, { name: 'mode', valueString: 'create' }), '', 400, 'read.body'],
    ['a mode in both', wrap(SOUND, { name: 'mode', valueCode: 'create' }), '?mode=create', 400, 'read.body'],
    ['a profile that is no URI', wrap(SOUND, { name: 'profile', valueUri: 'x y' }), '', 400, 'read.body'],
    ['mode profile without one', SOUND, '?mode=profile', 400, 'read.body'],
    ['a mode that is none', SOUND, '?mode=patch', 400, 'read.parameter'],
    ['a mode twice', SOUND, '?mode=create&mode=update', 400, 'read.parameter'],
    ['a relative profile', SOUND, '?profile=us-core-patient', 400, 'read.parameter'],
    ['a parameter of the address that nobody knows', SOUND, '?_count=1', 400, 'read.parameter'],
    ['what is nested too deep', deep, '', 400, 'read.body'],
    ['too many values', many, '', 413, 'http.too-large'],
    ['too many bytes', bytes, '', 413, 'http.too-large'],
  ])('%s is refused', async (_name, body, query, status, code) => {
    const [found, { issue }] = await send(body, query);
    expect([found, issue.map(({ details }) => details.coding?.[0]?.code)]).toEqual([status, [code]]);
  });

  test.each(['text/plain', 'application/xml', 'application/fhir+xml', 'application/json; charset=latin1'])(
    'a body that is %s is refused',
    async (media) => {
      const [status, { issue }] = await send(SOUND, '', { headers: { 'content-type': media } });
      expect([status, issue[0]?.details.coding?.[0]?.code]).toEqual([415, 'read.media']);
    },
  );

  test.each([
    ['POST', 'Account/$validate', 404],
    ['POST', 'Bundle/$validate', 404],
    ['POST', 'AuditEvent/$validate', 404],
    ['POST', 'nonsense/$validate', 404],
    ['GET', 'Observation/$validate', 404],
    ['POST', 'Observation/1/$validate', 405],
    ['POST', '$validate', 405],
  ])('%s %s is not served', async (method, path, status) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = method === 'GET' ? null : JSON.stringify(SOUND);
    expect((await fetch(`${rig.base}/${path}`, { method, headers, body })).status).toBe(status);
  });

  test('where there is no room for it, it is asked to come again', async () => {
    const full = { ...makeBudget(1), take: () => Promise.resolve(null) };
    const busy = await startSmart(ehr.base, { budget: full });
    stopAfterTest(() => busy.stop());
    expect((await send(SOUND, '', { at: busy, by: busy.token(aGrant('user/*.r')) }))[0]).toBe(503);
  });

  test('whatever is sent, the answer is an OperationOutcome that is valid, and never a fault of ours', async () => {
    const validator = loadValidator();
    const bodies = fc.oneof(
      fc.json({ maxDepth: 6 }),
      fc
        .record({ status: fc.jsonValue(), code: fc.jsonValue(), meta: fc.jsonValue(), contained: fc.jsonValue() })
        .map((elements) => JSON.stringify({ resourceType: 'Observation', ...elements })),
      fc.array(fc.jsonValue()).map((parameter) => JSON.stringify({ resourceType: 'Parameters', parameter })),
      fc.string({ unit: 'binary' }),
    );
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const [status, outcome] = await send(body, `?profile=${ADDRESS}final-result`);
        expect([200, 400]).toContain(status);
        expect(validator.validate(outcome)).toEqual([]);
      }),
      { numRuns: howMany(60, 2_000) },
    );
  });
});

describe('who may ask', () => {
  test.each([
    ['user/Observation.r', {}, 200],
    ['user/Observation.rs?category=laboratory', {}, 200],
    ['user/Observation.s', {}, 200],
    ['system/*.rs', {}, 200],
    ['patient/Observation.rs', {}, 403],
    ['user/Patient.rs', {}, 403],
    ['user/Observation.cud', {}, 403],
    ['openid fhirUser', {}, 403],
  ])('a token with %s', async (scope, more, status) => {
    expect((await send(SOUND, '', { by: rig.token(aGrant(scope, more)) }))[0]).toBe(status);
  });

  test('nobody without a token', async () => {
    expect((await send(SOUND, '', { by: 'none' }))[0]).toBe(401);
  });
});

describe('what is left of it', () => {
  test('one record: who, when, which type, and nothing of the body; nothing in the log', async () => {
    const before = (await rig.audits()).length;
    await send({ ...SOUND, note: [{ text: MARKER }] });
    await send({ ...SOUND, status: MARKER }, `?profile=${ADDRESS}${MARKER}`);
    await send(`{"${MARKER}":`);
    const records = (await rig.audits()).slice(before);
    expect(
      records.map((one) => [one['type'], one['interaction'], one['resourceType'], one['outcome'], one['why']]),
    ).toEqual([
      ['fhir.validate', 'operation', 'Observation', '0', undefined],
      ['fhir.deny', 'operation', 'Observation', '4', 'read.profile'],
      ['fhir.deny', 'operation', 'Observation', '4', 'read.body'],
    ]);
    expect(records[0]).toMatchObject({ client: 'app-1', tokenId: 'tok-1', action: 'E' });
    expect(JSON.stringify([records, rig.log.lines])).not.toContain(MARKER);
  });

  test('no answer without its record', async () => {
    rig.failAudit('fails-once');
    expect((await send(SOUND))[0]).toBe(503);
  });

  test('no connection, neither to the EHR nor to the address that a profile names', async () => {
    const other = await startCounting(() => ({}));
    stopAfterTest(() => other.close());
    const before = ehr.connections();
    for (const profile of [
      `${other.base}/StructureDefinition/x`,
      `${ehr.base}/StructureDefinition/x`,
      'file:///etc/passwd',
    ]) {
      expect((await send(SOUND, `?profile=${profile}`))[0]).toBe(422);
      expect((await send(wrap(SOUND, { name: 'profile', valueUri: profile })))[0]).toBe(422);
      const claimed = { ...SOUND, meta: { profile: [profile] }, extension: [{ url: profile, valueString: 'x' }] };
      expect((await send(claimed))[0]).toBe(200);
    }
    expect([other.connections(), ehr.connections() - before]).toEqual([0, 0]);
  });
});

test('the CapabilityStatement names the operation at each type, and of profiles what the EHR says', async () => {
  const statement = (await (await fetch(`${rig.base}/metadata`)).json()) as Record<string, unknown> & {
    readonly rest: readonly {
      readonly resource: readonly {
        readonly type: string;
        readonly supportedProfile?: unknown;
        readonly operation?: readonly { readonly name: string; readonly documentation: string }[];
      }[];
    }[];
  };
  const { resource = [] } = statement.rest[0] ?? {};
  expect(resource.map((one) => [one.type, one.operation?.map(({ name }) => name), one.supportedProfile])).toEqual([
    ['Patient', ['everything', 'match', 'export', 'validate'], undefined],
    ['Observation', ['lastn', 'validate'], ['http://example.org/StructureDefinition/a']],
    ['AuditEvent', undefined, undefined],
    ['Group', ['export'], undefined],
  ]);
  expect(resource[1]?.operation?.[1]?.documentation).toContain(`${ADDRESS}about-somebody, ${ADDRESS}final-result.`);
  expect([statement['instantiates'], statement['implementationGuide']]).toEqual([
    [
      'http://hl7.org/fhir/us/core/CapabilityStatement/us-core-server|6.1.0',
      'http://hl7.org/fhir/uv/bulkdata/CapabilityStatement/bulk-data',
    ],
    ['http://hl7.org/fhir/us/core/ImplementationGuide/hl7.fhir.us.core|6.1.0'],
  ]);
  expect(loadValidator().validate(statement)).toEqual([]);
  const unknown = (await (await fetch(`${bare.base}/metadata`)).json()) as Record<string, unknown>;
  expect([unknown['instantiates'], unknown['implementationGuide']]).toEqual([
    ['http://hl7.org/fhir/uv/bulkdata/CapabilityStatement/bulk-data'],
    undefined,
  ]);
});
