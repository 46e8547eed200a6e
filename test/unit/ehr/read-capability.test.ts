import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readCapability } from '../../../src/ehr/read-capability.ts';

const statement = (rest: unknown, more: object = {}): object => ({
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest,
  ...more,
});

const NOTHING = {
  read: false,
  vread: false,
  history: false,
  search: false,
  create: false,
  update: false,
  delete: false,
  updateCreate: false,
  conditionalCreate: false,
  conditionalUpdate: false,
  conditionalRead: 'not-supported',
  versioning: 'no-version',
  searchParams: [],
  searchIncludes: [],
  searchKinds: {},
  revIncludesProvenance: false,
  revIncludes: [],
  operations: [],
  supportedProfiles: [],
};

test('what the server says is read, type by type', () => {
  const read = readCapability(
    statement(
      [
        { mode: 'client' },
        {
          mode: 'server',
          interaction: [{ code: 'transaction' }, { code: 'batch' }],
          resource: [
            {
              type: 'Observation',
              interaction: ['read', 'search-type', 'create', 'update', 'delete'].map((code) => ({ code })),
              versioning: 'versioned-update',
              updateCreate: true,
              conditionalCreate: true,
              conditionalUpdate: true,
              conditionalRead: 'full-support',
              searchParam: [{ name: 'identifier', type: 'token' }, { name: 'code' }],
              supportedProfile: [
                'https://guide.example/a',
                'https://guide.example/a',
                'urn:oid:1.2.3|1.0',
                'no uri',
                7,
              ],
            },
          ],
        },
      ],
      {
        software: { name: 'Some EHR', version: '7' },
        publisher: 'Some',
        instantiates: ['https://guide.example/server|6.1.0', 'javascript:alert(1)', '<b>'],
        implementationGuide: 'https://guide.example/not-a-list',
        implementation: { url: 'https://ehr.example' },
      },
    ),
  );
  expect(read).toEqual({
    ok: true,
    value: {
      fhirVersion: '4.0.1',
      software: 'Some EHR 7',
      publisher: 'Some',
      implementation: 'https://ehr.example',
      instantiates: ['https://guide.example/server|6.1.0'],
      implementationGuides: [],
      transaction: true,
      batch: true,
      types: {
        Observation: {
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
          searchParams: ['identifier', 'code'],
          searchIncludes: [],
          searchKinds: { identifier: 'token' },
          revIncludesProvenance: false,
          revIncludes: [],
          operations: [],
          supportedProfiles: ['https://guide.example/a', 'urn:oid:1.2.3|1.0'],
        },
      },
    },
  });
});

test('what it does not say it does not do', () => {
  const read = readCapability(
    statement([{ mode: 'server', resource: [{ type: 'Observation' }, { type: '__proto__' }, null] }]),
  );
  expect(read).toEqual({
    ok: true,
    value: {
      fhirVersion: '4.0.1',
      software: null,
      publisher: null,
      implementation: null,
      instantiates: [],
      implementationGuides: [],
      transaction: false,
      batch: false,
      types: { Observation: NOTHING },
    },
  });
});

test('a word that is not one of the standard is none', () => {
  const read = readCapability(
    statement([
      {
        mode: 'server',
        resource: [{ type: 'Observation', versioning: 'yes', updateCreate: 'true', conditionalUpdate: 1 }],
      },
    ]),
  );
  expect(read).toMatchObject({ ok: true, value: { types: { Observation: NOTHING } } });
});

test.each<[string, unknown, string | undefined]>([
  ['no object', 'text', 'CapabilityStatement'],
  ['null', null, 'CapabilityStatement'],
  ['another resource', { resourceType: 'OperationOutcome' }, 'CapabilityStatement'],
  ['DSTU2', statement([{ mode: 'server' }], { fhirVersion: '1.0.2' }), 'CapabilityStatement.fhirVersion'],
  ['R4B', statement([{ mode: 'server' }], { fhirVersion: '4.3.0' }), 'CapabilityStatement.fhirVersion'],
  ['R5', statement([{ mode: 'server' }], { fhirVersion: '5.0.0' }), 'CapabilityStatement.fhirVersion'],
  ['no version', statement([{ mode: 'server' }], { fhirVersion: undefined }), 'CapabilityStatement.fhirVersion'],
  ['a client', statement([{ mode: 'client' }]), 'CapabilityStatement.rest'],
  ['no rest', statement(undefined), 'CapabilityStatement.rest'],
])('%s is a fault that says where', (_what, value, at) => {
  expect(readCapability(value)).toMatchObject({ ok: false, fault: { code: 'ehr.capability', at } });
});

test('anything at all is read or refused, never thrown', () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (rest, resource) => {
      readCapability(rest);
      readCapability(statement(rest));
      readCapability(statement([{ mode: 'server', resource, interaction: rest }]));
    }),
  );
});
