import { describe, expect, test } from '@jest/globals';
import type { Switches } from '../../index.ts';
import { freshEhr, must } from './support.ts';

const server = freshEhr();
const { ask } = server;

type ResourceRow = {
  type: string;
  interaction: { code: string }[];
  updateCreate: boolean;
  conditionalCreate: boolean;
  conditionalUpdate: boolean;
  searchParam: { name: string; type: string }[];
};
type Statement = { rest: { mode: string; resource: ResourceRow[]; interaction?: { code: string }[] }[] };

async function statement(traits: Switches = {}) {
  server.ehr().board.setTraits(traits);
  const reply = await ask('GET', 'metadata');
  const rest = must((reply.body as unknown as Statement).rest[0]);
  const row = (type: string): ResourceRow => must(rest.resource.find((r) => r.type === type));
  return { reply, rest, row, interactions: (rest.interaction ?? []).map((i) => i.code) };
}
const codes = (row: ResourceRow): string[] => row.interaction.map((i) => i.code);

test('metadata is a CapabilityStatement of an R4 server', async () => {
  const { reply, rest } = await statement();
  expect(reply.status).toBe(200);
  expect(reply.body).toMatchObject({
    resourceType: 'CapabilityStatement',
    status: 'active',
    kind: 'instance',
    fhirVersion: '4.0.1',
  });
  expect(reply.body['format']).toEqual(expect.arrayContaining(['application/fhir+json']));
  expect(rest.mode).toBe('server');
});

test('the types, what can be done with them and what they can be searched by are told', async () => {
  const { rest, row, interactions } = await statement();
  expect(interactions).toEqual(expect.arrayContaining(['transaction', 'batch']));
  expect(rest.resource.length).toBeGreaterThanOrEqual(25);
  for (const type of ['Patient', 'Observation', 'DiagnosticReport', 'Device', 'Provenance', 'Condition', 'Encounter']) {
    expect(codes(row(type))).toEqual(
      expect.arrayContaining(['read', 'vread', 'history-instance', 'create', 'update', 'delete', 'search-type']),
    );
  }
  expect(row('Observation')).toMatchObject({ updateCreate: true, conditionalCreate: true, conditionalUpdate: true });
  expect(row('Observation').searchParam).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'identifier', type: 'token' }),
      expect.objectContaining({ name: 'patient', type: 'reference' }),
      expect.objectContaining({ name: 'subject', type: 'reference' }),
      expect.objectContaining({ name: 'code', type: 'token' }),
      expect.objectContaining({ name: 'category', type: 'token' }),
      expect.objectContaining({ name: 'status', type: 'token' }),
      expect.objectContaining({ name: 'date', type: 'date' }),
      expect.objectContaining({ name: '_id', type: 'token' }),
      expect.objectContaining({ name: '_lastUpdated', type: 'date' }),
    ]),
  );
});

test('every search parameter that is told is taken under Prefer: handling=strict', async () => {
  const { rest } = await statement();
  const plausible: Readonly<Record<string, string>> = {
    date: '2024',
    number: '1',
    quantity: '1',
    uri: 'urn:x',
    reference: 'Patient/x',
    special: '48.2|11.6|5|km',
  };
  // A composite has a value of each of its parts.
  const ofComposite: Readonly<Record<string, string>> = { quantity: 'x$1', date: 'x$2024' };
  const refused: string[] = [];
  const told = rest.resource.flatMap((row) =>
    row.searchParam.map(
      ({ name, type }) =>
        `${row.type}?${name}=${
          type === 'composite' ? (ofComposite[name.split('-').at(-1) ?? ''] ?? 'x$x') : (plausible[type] ?? 'x')
        }`,
    ),
  );
  for (const path of told) {
    const { status, body } = await ask('GET', path, { headers: { prefer: 'handling=strict' } });
    if (status !== 200 || body.type !== 'searchset') refused.push(path);
  }
  expect(refused).toEqual([]);
  expect(told.length).toBeGreaterThanOrEqual(9 * 25);
});

test('every type that is told can be created, read and found', async () => {
  const { rest } = await statement();
  const failed: string[] = [];
  for (const { type } of rest.resource) {
    const put = await ask('PUT', `${type}/x`, { body: { resourceType: type, id: 'x' } });
    const read = await ask('GET', `${type}/x`);
    const found = await ask('GET', `${type}?_id=x`);
    if (put.status !== 201 || read.status !== 200 || found.body.total !== 1) failed.push(type);
  }
  expect(failed).toEqual([]);
  expect(rest.resource.length).toBeGreaterThanOrEqual(25);
});

describe('traits are told', () => {
  test('noTransactions: no transaction', async () => {
    expect((await statement({ noTransactions: true })).interactions).toEqual(['batch']);
  });

  test('noBatch: no batch', async () => {
    expect((await statement({ noBatch: true })).interactions).toEqual(['transaction']);
  });

  test('noClientIds: updateCreate is false everywhere', async () => {
    const { rest } = await statement({ noClientIds: true });
    expect(new Set(rest.resource.map((row) => row.updateCreate))).toEqual(new Set([false]));
  });

  test('refuseConditional: the conditional flags are false everywhere', async () => {
    const { rest } = await statement({ refuseConditional: true });
    expect(new Set(rest.resource.flatMap((row) => [row.conditionalCreate, row.conditionalUpdate]))).toEqual(
      new Set([false]),
    );
  });

  test('ignoreParams: those search parameters are not told', async () => {
    const { rest } = await statement({ ignoreParams: ['identifier'] });
    const names = rest.resource.flatMap((row) => row.searchParam.map((param) => param.name));
    expect([names.includes('identifier'), names.includes('patient')]).toEqual([false, true]);
  });

  test('writableTypes: all other types are read and searched only', async () => {
    const { row } = await statement({ writableTypes: ['Observation'] });
    const written = (type: string) =>
      codes(row(type)).filter((code) => ['create', 'update', 'delete', 'patch'].includes(code));
    expect([written('Patient'), written('Observation')]).toEqual([[], expect.arrayContaining(['create', 'update'])]);
  });
});
