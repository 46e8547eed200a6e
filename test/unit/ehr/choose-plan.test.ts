import { describe, expect, test } from '@jest/globals';
import { choosePlan, type Identity } from '../../../src/ehr/choose-plan.ts';
import type { Probed } from '../../../src/ehr/probe-ehr.ts';
import type { TypeCapability } from '../../../src/ehr/read-capability.ts';
import type { IdentifierFilter } from '../../../src/ehr/verify-identifier.ts';
import type { Dialect } from '../../../src/mappings/index.ts';
import { aDialect } from './a-dialect.ts';

const ALL: TypeCapability = {
  read: true,
  vread: false,
  history: false,
  search: true,
  create: true,
  update: true,
  delete: true,
  updateCreate: true,
  conditionalCreate: true,
  conditionalUpdate: true,
  conditionalRead: 'full-support',
  versioning: 'versioned-update',
  searchParams: ['identifier'],
  searchIncludes: [],
  searchKinds: {},
  revIncludesProvenance: false,
  revIncludes: [],
  operations: [],
  supportedProfiles: [],
};

const probed = (
  said: Partial<TypeCapability> = {},
  filter: IdentifierFilter = 'filters',
  more: { transaction?: boolean; batch?: boolean; provenance?: Partial<TypeCapability>; reads?: boolean } = {},
): Probed => ({
  capability: {
    fhirVersion: '4.0.1',
    software: null,
    publisher: null,
    implementation: null,
    instantiates: [],
    implementationGuides: [],
    transaction: more.transaction ?? true,
    batch: more.batch ?? true,
    types: {
      Patient: { ...ALL, ...said },
      Observation: { ...ALL, ...said },
      Provenance: { ...ALL, ...said, ...more.provenance },
    },
  },
  filters: { Patient: { filter, by: 'post' }, Observation: { filter, by: 'get' } },
  readsInTransaction: more.reads ?? false,
});

const identityOf = (given: Probed, dialect: Dialect = aDialect()): Identity | undefined =>
  choosePlan(given, dialect).types['Observation']?.identity;
const because = (given: Probed, of: string, dialect: Dialect = aDialect()): string | undefined =>
  choosePlan(given, dialect).reasons.find((reason) => reason.of === of)?.because;

const NO_IDS = { updateCreate: false };
const NO_CONDITIONS = { updateCreate: false, conditionalUpdate: false };

describe('what makes a repetition the same', () => {
  test.each<[string, Partial<TypeCapability>, IdentifierFilter, Identity]>([
    ['ids of ours, whatever the search does', {}, 'ignores', 'put-by-id'],
    ['a condition that was seen to filter', NO_IDS, 'filters', 'conditional-update'],
    ['a search that was seen to filter', NO_CONDITIONS, 'filters', 'search-then-write'],
    ['a search, where nothing can be updated', { update: false }, 'filters', 'search-then-write'],
    ['the ledger alone, where the search ignores the parameter', NO_IDS, 'ignores', 'ledger-only'],
    ['the ledger alone, where the search is refused', NO_IDS, 'refuses', 'ledger-only'],
    ['the ledger alone, where the server does not say what it searched for', NO_IDS, 'unsaid', 'ledger-only'],
    ['the ledger alone, where nobody could look', NO_CONDITIONS, 'unknown', 'ledger-only'],
    ['nothing, where nothing can be created', { create: false, updateCreate: false }, 'filters', 'not-written'],
    ['ids of ours also where only PUT creates', { create: false }, 'filters', 'put-by-id'],
  ])('%s', (_what, said, filter, expected) => {
    expect(identityOf(probed(said, filter))).toBe(expected);
  });

  test('a type whose search was never tried is not trusted', () => {
    const { capability } = probed(NO_IDS);
    expect(identityOf({ capability, filters: {}, readsInTransaction: false })).toBe('ledger-only');
  });

  test.each<[Dialect['write']['identity'], IdentifierFilter, Identity]>([
    ['put-by-id', 'ignores', 'put-by-id'],
    ['ledger-only', 'filters', 'ledger-only'],
    ['conditional-update', 'filters', 'conditional-update'],
    ['conditional-update', 'ignores', 'ledger-only'],
    ['search-then-write', 'filters', 'search-then-write'],
    ['search-then-write', 'unsaid', 'ledger-only'],
  ])('a dialect that says %s over a search that %s gets %s', (identity, filter, expected) => {
    expect(identityOf(probed(NO_IDS, filter), aDialect({ write: { identity } }))).toBe(expected);
  });

  test('no plan ever rests on a search that was not seen to filter', () => {
    for (const filter of ['ignores', 'refuses', 'unsaid', 'unknown'] as const)
      for (const identity of ['auto', 'conditional-update', 'search-then-write'] as const)
        for (const updateCreate of [true, false])
          for (const conditionalUpdate of [true, false])
            expect(['put-by-id', 'ledger-only']).toContain(
              identityOf(probed({ updateCreate, conditionalUpdate }, filter), aDialect({ write: { identity } })),
            );
  });

  test('a type that the dialect does not take is not written', () => {
    expect(identityOf(probed(), aDialect({ types: ['Patient'] }))).toBe('not-written');
  });
});

test.each<[boolean, boolean, Dialect['write']['bundle'], string]>([
  [true, true, 'auto', 'transaction'],
  [false, true, 'auto', 'batch'],
  [false, false, 'auto', 'none'],
  [true, true, 'batch', 'batch'],
  [false, false, 'transaction', 'transaction'],
  [true, true, 'none', 'none'],
])('transaction %s, batch %s, dialect %s: %s', (transaction, batch, bundle, expected) => {
  expect(choosePlan(probed({}, 'filters', { transaction, batch }), aDialect({ write: { bundle } })).bundle).toBe(
    expected,
  );
});

test.each<[string, Probed, Dialect, 'yes' | 'no']>([
  ['under an id of ours', probed({}, 'filters', { transaction: false }), aDialect(), 'yes'],
  ['inside a transaction', probed(NO_IDS), aDialect(), 'yes'],
  ['neither', probed(NO_IDS, 'filters', { transaction: false }), aDialect(), 'no'],
  [
    'not taken by the EHR',
    probed({}, 'filters', { provenance: { create: false, updateCreate: false } }),
    aDialect(),
    'no',
  ],
  ['not taken by the dialect', probed(), aDialect({ provenance: 'none' }), 'no'],
])('Provenance %s', (_what, given, dialect, expected) => {
  expect(choosePlan(given, dialect).provenance).toBe(expected);
});

test.each<[Partial<TypeCapability>, IdentifierFilter, 'conditional' | 'no']>([
  [{}, 'filters', 'conditional'],
  [{}, 'ignores', 'no'],
  [{ conditionalCreate: false }, 'filters', 'no'],
  [{ create: false }, 'filters', 'no'],
])('patients %j over a search that %s: %s', (said, filter, expected) => {
  expect(choosePlan(probed(said, filter), aDialect()).createPatient).toBe(expected);
});

test('resources refer to each other inside a transaction as the dialect has it, and by address wherever each stands alone', () => {
  const referring = (transaction: boolean, references: 'in-bundle' | 'by-address') =>
    choosePlan(probed({}, 'filters', { transaction }), aDialect({ write: { references } })).references;
  expect([referring(true, 'in-bundle'), referring(true, 'by-address')]).toEqual(['in-bundle', 'by-address']);
  expect([referring(false, 'in-bundle'), referring(false, 'by-address')]).toEqual(['by-address', 'by-address']);
});

test('limits are those of the dialect, versions and ways those of the EHR', () => {
  const plan = choosePlan(
    probed({ versioning: 'versioned', update: false }),
    aDialect({ write: { entriesMax: 8, bytesMax: 9 } }),
  );
  expect([plan.entriesMax, plan.bytesMax, plan.dialect]).toEqual([8, 9, 'test']);
  expect(plan.types['Observation']).toEqual({
    identity: 'search-then-write',
    change: 'none',
    ifMatch: 'supported',
    searchBy: 'get',
  });
});

test('an update names its version where the dialect says so, whatever the EHR says of versions', () => {
  const ifMatch = (versioning: 'no-version' | 'versioned' | 'versioned-update', choice: 'auto' | 'required') =>
    choosePlan(probed({ versioning }), aDialect({ write: { ifMatch: choice } })).types['Observation']?.ifMatch;
  expect([ifMatch('no-version', 'auto'), ifMatch('no-version', 'required')]).toEqual(['none', 'required']);
  expect([ifMatch('versioned', 'auto'), ifMatch('versioned', 'required')]).toEqual(['supported', 'required']);
});

test('every choice has its reason', () => {
  const given = probed(NO_IDS, 'ignores', { transaction: false, batch: false });
  expect(because(given, 'bundle')).toBe('the CapabilityStatement offers neither transaction nor batch');
  expect(because(given, 'Observation.identity')).toBe(
    'the EHR ignores the search parameter identifier, and it takes no ids of ours',
  );
  expect(because(given, 'createPatient')).toBe('the EHR ignores the search parameter identifier');
  for (const { because: why } of choosePlan(given, aDialect()).reasons) expect(why).not.toBe('');
});

test.each([
  [{ transaction: true, reads: true }, 'in-transaction', 'a transaction was seen to show what it reads'],
  [{ transaction: true, reads: false }, 'look-up', 'a transaction was not seen to show what it reads'],
  [{ transaction: false, reads: true }, 'look-up', 'nothing is written in transactions'],
] as const)('with %j a remembered patient is checked by %s', (more, chosen, why) => {
  const given = probed({}, 'filters', more);
  expect([choosePlan(given, aDialect()).patientCheck, because(given, 'patientCheck')]).toEqual([chosen, why]);
});
