import { describe, expect, test } from '@jest/globals';
import type { Grant } from '../../../src/auth/index.ts';
import { parseResourceScope } from '../../../src/auth/index.ts';
import { manifestOf, parseFileName } from '../../../src/export/manifest.ts';
import { parseKickOff, type KickOffRules } from '../../../src/export/parse-kick-off.ts';
import { stillCovers } from '../../../src/export/scope.ts';
import { fail, fault, ok } from '../../../src/kernel/index.ts';

const RULES: KickOffRules = {
  level: 'patient',
  method: 'GET',
  isServed: (type) => ['Patient', 'Observation'].includes(type),
  parseFilter: (_type, query) => (query.includes('=') ? ok([['status', 'final']]) : fail(fault('read.parameter'))),
  handling: 'strict',
};
const NOTHING = { types: null, since: null, elements: [], filters: [], patients: null, provenance: 'as-a-type' };
const parse = (pairs: [string, string][], rules: Partial<KickOffRules> = {}) =>
  parseKickOff(pairs, { ...RULES, ...rules });

describe('what is asked of $export', () => {
  test('nothing is everything', () => {
    expect(parse([])).toEqual(ok(NOTHING));
  });

  test('every parameter is read', () => {
    const read = parse(
      [
        ['_outputFormat', 'application/fhir ndjson'],
        ['_type', 'Patient,Observation'],
        ['_type', 'Patient'],
        ['_since', '2026-01-31T08:00:00Z'],
        ['_elements', 'Patient.name,status'],
        ['_typeFilter', 'Observation?code=a,b'],
        ['patient', 'Patient/1'],
        ['patient', 'https://ehr.example.org/fhir/Patient/1'],
        ['includeAssociatedData', 'RelevantProvenanceResources'],
      ],
      { method: 'POST' },
    );
    expect(read).toEqual(
      ok({
        types: ['Patient', 'Observation'],
        since: Date.parse('2026-01-31T08:00:00Z'),
        elements: [
          { type: 'Patient', name: 'name' },
          { type: null, name: 'status' },
        ],
        filters: [{ type: 'Observation', query: 'code=a,b' }],
        patients: ['1'],
        provenance: 'asked',
      }),
    );
  });

  test.each<[string, string]>([
    ['_type', 'Patient,Media'],
    ['_typeFilter', 'Media?status=final'],
    ['_typeFilter', 'Observation?nothing'],
    ['includeAssociatedData', 'LatestProvenanceResources'],
    ['organizeOutputBy', 'Patient'],
  ])('%s=%s is refused, and left undone where the client is lenient', (name, value) => {
    expect(parse([[name, value]])).toMatchObject({ ok: false, fault: { code: 'read.parameter' } });
    expect(parse([[name, value]], { handling: 'lenient' }).ok).toBe(true);
  });

  test.each<[string, string]>([
    ['_outputFormat', 'text/csv'],
    ['_since', '2026'],
    ['_elements', 'a.b.c'],
    ['patient', 'Patient/1'],
    ['_type', 'Media'],
  ])('%s=%s is refused also where the client is lenient', (name, value) => {
    expect(parse([[name, value]], { handling: 'lenient' })).toMatchObject({
      ok: false,
      fault: { code: 'read.parameter' },
    });
  });

  test('all problems are told at once', () => {
    const read = parse([
      ['_since', 'x'],
      ['_since', 'y'],
      ['_outputFormat', 'z'],
    ]);
    expect(read.ok ? 0 : (read.fault.problems ?? []).length).toBe(3);
  });
});

describe('a token that fetches what another asked for', () => {
  const LAB = 'system/Observation.rs?category=lab';
  const now = (scope: string) =>
    ({ scopes: scope.split(' ').flatMap((text) => parseResourceScope(text) ?? []) }) as unknown as Grant;
  test.each([
    ['system/*.rs', 'system/*.rs', true],
    ['system/Observation.rs', 'system/*.rs', true],
    ['system/Patient.rs', 'system/*.rs', false],
    [LAB, 'system/*.rs', false],
    [LAB, LAB, true],
    [LAB.replace('lab', 'vital'), LAB, false],
    ['system/Observation.rs', `${LAB} ${LAB.replace('lab', 'vital')}`, true],
    [LAB, `${LAB} ${LAB.replace('lab', 'vital')}`, false],
  ])('%s covers the Observations of %s: %s', (scope, once, isCovered) => {
    expect(stillCovers(now(scope), once, 'Observation')).toBe(isCovered);
  });
});

test('files with errors stand apart in the manifest', () => {
  const of = (type: string) => ({ type, part: 1, resources: 2, bytes: 9 });
  expect(
    manifestOf({ startedAt: 0 }, 'asked', [of('Patient'), of('OperationOutcome')], ({ type }) => `at/${type}`),
  ).toEqual({
    transactionTime: '1970-01-01T00:00:00.000Z',
    request: 'asked',
    requiresAccessToken: true,
    output: [{ type: 'Patient', url: 'at/Patient', count: 2 }],
    deleted: [],
    error: [{ type: 'OperationOutcome', url: 'at/OperationOutcome', count: 2 }],
  });
});

test.each([
  ['Observation.1.ndjson', { type: 'Observation', part: 1 }],
  ['Observation.12.ndjson', { type: 'Observation', part: 12 }],
  ['Observation.0.ndjson', null],
  ['Observation.01.ndjson', null],
  ['observation.1.ndjson', null],
  ['Observation.1.ndjson.gz', null],
  ['../Observation.1.ndjson', null],
])('%s is the file %j', (name, file) => {
  expect(parseFileName(name)).toEqual(file);
});
