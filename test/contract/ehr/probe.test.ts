import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import {
  choosePlan,
  PROBED_TYPES,
  probeEhr,
  type Identity,
  type Probed,
  type WritePlan,
} from '../../../src/ehr/index.ts';
import type { Dialect } from '../../../src/mappings/index.ts';
import type { Switches } from '../../../sandbox/index.ts';
import { aDialect } from '../../unit/ehr/a-dialect.ts';
import { anObservation, freshEhr } from '../../../sandbox/test/ehr/support.ts';
import { anEhr, anOddServer, answerJson, newId, type Misbehave } from './support.ts';

const { ehr: demo } = freshEhr();
const probe = (url: string) => probeEhr({ ehr: anEhr(url), chance: randomBytes, newRequestId: () => newId('req') });

async function probed(traits: Switches = {}): Promise<Probed> {
  demo().board.setTraits(traits);
  const result = await probe(demo().url);
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
}
const planned = async (traits: Switches, dialect: Dialect = aDialect()): Promise<WritePlan> =>
  choosePlan(await probed(traits), dialect);

describe('the demo EHR as it is', () => {
  test('says what it does, and was seen to filter by POST', async () => {
    const { capability, filters } = await probed();
    expect(capability).toMatchObject({
      fhirVersion: '4.0.1',
      software: 'Chartgate demo EHR',
      transaction: true,
      batch: true,
    });
    expect(capability.types['Observation']).toMatchObject({ create: true, update: true, updateCreate: true });
    expect(Object.keys(filters)).toEqual(PROBED_TYPES);
    for (const found of Object.values(filters)) expect(found).toEqual({ filter: 'filters', by: 'post' });
  });

  test('a probe writes nothing, and puts no value into an address', async () => {
    await probed();
    expect(demo().log.writes(0)).toEqual([]);
    expect(
      demo()
        .log.requests()
        .map(({ method, path }) => `${method} ${path}`),
    ).toEqual(['GET /fhir/metadata', ...PROBED_TYPES.map((type) => `POST /fhir/${type}/_search`), 'POST /fhir']);
  });
});

describe('what its switches make of the plan', () => {
  test.each<[string, Switches, WritePlan['bundle'], Identity]>([
    ['nothing', {}, 'transaction', 'put-by-id'],
    ['no transactions', { noTransactions: true }, 'batch', 'put-by-id'],
    ['neither', { noTransactions: true, noBatch: true }, 'none', 'put-by-id'],
    ['no ids of ours', { noClientIds: true }, 'transaction', 'conditional-update'],
    ['no conditions either', { noClientIds: true, refuseConditional: true }, 'transaction', 'search-then-write'],
    [
      'a search that ignores identifiers',
      { noClientIds: true, ignoreParams: ['identifier'] },
      'transaction',
      'ledger-only',
    ],
    ['no writes of this type', { writableTypes: ['Patient'] }, 'transaction', 'not-written'],
  ])('%s', async (_what, traits, bundle, identity) => {
    const plan = await planned(traits);
    expect([plan.bundle, plan.types['Observation']?.identity]).toEqual([bundle, identity]);
  });

  test('types that it takes no writes of are not looked for', async () => {
    expect(Object.keys((await probed({ writableTypes: ['Observation'] })).filters)).toEqual(['Patient', 'Observation']);
  });

  test('a server that ignores identifiers is caught whether it is empty, strict or full', async () => {
    const traits = { noClientIds: true, ignoreParams: ['identifier'] };
    expect((await probed(traits)).filters['Observation']?.filter).toBe('refuses');
    demo().put({ ...anObservation('1'), id: 'a' });
    expect((await probed(traits)).filters['Observation']?.filter).toBe('refuses');
  });
});

describe('a transaction that reads', () => {
  const STATEMENT = {
    resourceType: 'CapabilityStatement',
    fhirVersion: '4.0.1',
    rest: [{ mode: 'server', interaction: [{ code: 'transaction' }], resource: [{ type: 'Patient' }] }],
  };
  const FOUND = { resourceType: 'Bundle', type: 'searchset', total: 0 };
  const answered = (entry: unknown, type = 'transaction-response'): object => ({ resourceType: 'Bundle', type, entry });
  const seen = async (status: number, answer: object): Promise<boolean> => {
    const odd = await anOddServer((heard, res) =>
      heard.url.startsWith('/fhir/metadata')
        ? answerJson(res, 200, STATEMENT)
        : answerJson(res, heard.url === '/fhir' ? status : 400, answer),
    );
    const result = await probe(odd.base);
    if (!result.ok) throw new Error(result.fault.code);
    return result.value.readsInTransaction;
  };

  test('is believed when it shows what it found', async () => {
    expect((await probed()).readsInTransaction).toBe(true);
    expect(await seen(200, answered([{ resource: FOUND, response: { status: '200' } }]))).toBe(true);
  });
  test.each<[string, number, object]>([
    ['is refused', 400, { resourceType: 'OperationOutcome' }],
    ['fails', 503, { resourceType: 'OperationOutcome' }],
    ['shows nothing', 200, answered([{ response: { status: '200' } }])],
    ['has no entry', 200, answered(undefined)],
    ['has a null for an entry', 200, answered([null])],
    ['has two entries', 200, answered([{ resource: FOUND }, { resource: FOUND }])],
    ['was carried out as a batch', 200, answered([{ resource: FOUND }], 'batch-response')],
    ['shows something else', 200, answered([{ resource: { resourceType: 'OperationOutcome' } }])],
  ])('is not believed where it %s', async (_, status, answer) => {
    expect(await seen(status, answer)).toBe(false);
  });
});

describe('a server that is lenient whatever we ask for', () => {
  const STATEMENT = {
    resourceType: 'CapabilityStatement',
    fhirVersion: '4.0.1',
    rest: [
      {
        mode: 'server',
        resource: [
          {
            type: 'Observation',
            interaction: [{ code: 'create' }, { code: 'update' }, { code: 'search-type' }],
            conditionalUpdate: true,
            searchParam: [{ name: 'identifier', type: 'token' }],
          },
        ],
      },
    ],
  };
  const set = (more: object): object => ({ resourceType: 'Bundle', type: 'searchset', ...more });
  const server = async (search: Misbehave): Promise<unknown> => {
    const odd = await anOddServer((heard, res, socket) =>
      heard.url.startsWith('/fhir/metadata') ? answerJson(res, 200, STATEMENT) : search(heard, res, socket),
    );
    const result = await probe(odd.base);
    if (!result.ok) throw new Error(result.fault.code);
    const { filters } = result.value;
    return [filters['Observation'], choosePlan(result.value, aDialect()).types['Observation']?.identity];
  };
  const selfOf = (base: string, url: string): object => ({
    link: [{ relation: 'self', url: `http://inside${base}${url}` }],
  });

  test.each<[string, Misbehave, unknown]>([
    [
      'gives a stranger',
      (_h, res) => answerJson(res, 200, set({ entry: [{ resource: { resourceType: 'Observation' } }] })),
      [{ filter: 'ignores', by: 'post' }, 'ledger-only'],
    ],
    [
      'is empty and does not say what it searched for',
      (_h, res) => answerJson(res, 200, set({ total: 0 })),
      [{ filter: 'unsaid', by: 'post' }, 'ledger-only'],
    ],
    [
      'is empty and says that it searched for all',
      (_h, res) => answerJson(res, 200, set({ total: 0, ...selfOf('', '/Observation') })),
      [{ filter: 'ignores', by: 'post' }, 'ledger-only'],
    ],
    [
      'wants more than an identifier',
      (_h, res) => answerJson(res, 400, { resourceType: 'OperationOutcome', issue: [{ code: 'required' }] }),
      [{ filter: 'refuses', by: 'post' }, 'ledger-only'],
    ],
    ['is down for searches', (_h, res) => answerJson(res, 503, {}), [{ filter: 'unknown', by: 'post' }, 'ledger-only']],
    [
      'answers with something else',
      (_h, res) => answerJson(res, 200, { resourceType: 'Parameters' }),
      [{ filter: 'unknown', by: 'post' }, 'ledger-only'],
    ],
    [
      'knows no POST, and filters by GET',
      (heard, res) =>
        heard.method === 'POST'
          ? answerJson(res, 405, {})
          : answerJson(res, 200, set({ total: 0, ...selfOf('/fhir', heard.url.slice(5)) })),
      [{ filter: 'filters', by: 'get' }, 'conditional-update'],
    ],
    [
      'filters by POST',
      (heard, res) => answerJson(res, 200, set({ total: 0, ...selfOf('', `/Observation?${heard.body}`) })),
      [{ filter: 'filters', by: 'post' }, 'conditional-update'],
    ],
  ])('and %s', async (_what, search, expected) => {
    expect(await server(search)).toEqual(expected);
  });
});

test.each<[string, Misbehave, string]>([
  ['is no CapabilityStatement', (_h, res) => answerJson(res, 200, { resourceType: 'Patient' }), 'ehr.capability'],
  [
    'is of another version',
    (_h, res) => answerJson(res, 200, { resourceType: 'CapabilityStatement', fhirVersion: '3.0.2' }),
    'ehr.capability',
  ],
  ['is forbidden', (_h, res) => answerJson(res, 403, {}), 'ehr.unauthorized'],
  ['is not there', (_h, res) => answerJson(res, 404, {}), 'ehr.not-found'],
  ['is a page', (_h, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<html>'), 'ehr.unreadable'],
])('metadata that %s is a fault', async (_what, misbehave, code) => {
  const server = await anOddServer(misbehave);
  expect(await probe(server.base)).toMatchObject({ ok: false, fault: { code } });
});
