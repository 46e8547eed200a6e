import { expect, test } from '@jest/globals';
import { prepareBundle, type Transaction } from '../../../../tools/inferno/prepare-bundle.ts';

const GIVEN: Transaction = {
  resourceType: 'Bundle',
  type: 'transaction',
  entry: [
    {
      fullUrl: 'urn:uuid:p',
      resource: { resourceType: 'Patient', id: '7', identifier: [{ system: 'urn:x', value: '1' }] },
      request: { method: 'PUT', url: 'Patient/7' },
    },
    {
      fullUrl: 'urn:uuid:c',
      resource: { resourceType: 'Coverage', beneficiary: { reference: 'urn:uuid:p' } },
    },
    {
      fullUrl: 'urn:uuid:v',
      resource: {
        resourceType: 'Provenance',
        target: [{ reference: 'urn:uuid:p' }, { reference: 'urn:uuid:c' }],
        entity: [{ role: 'source', what: { reference: 'urn:uuid:c' } }],
        agent: [{ who: { reference: 'urn:uuid:c' } }],
        recorded: '',
        policy: [],
      },
    },
  ],
};

test('patients get an MRN of the gateway beside their identifiers, and are told', () => {
  const { bundle, patients } = prepareBundle(GIVEN, new Set(['Patient', 'Coverage', 'Provenance']), 'urn:mrn');
  expect(patients).toEqual([{ id: '7', mrn: 'INF7' }]);
  expect(bundle.entry[0]?.resource['identifier']).toEqual([
    { system: 'urn:x', value: '1' },
    {
      use: 'usual',
      type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MR' }] },
      system: 'urn:mrn',
      value: 'INF7',
    },
  ]);
  expect(bundle.entry[0]?.['request']).toEqual({ method: 'PUT', url: 'Patient/7' });
  expect(bundle.entry.slice(1)).toEqual(GIVEN.entry.slice(1));
});

test('a type that the EHR does not keep is left out, with every reference to it and what that leaves empty', () => {
  const { bundle, leftOut } = prepareBundle(GIVEN, new Set(['Patient', 'Provenance']), 'urn:mrn');
  expect(leftOut).toEqual(['Coverage']);
  expect(bundle.entry.map(({ resource }) => resource.resourceType)).toEqual(['Patient', 'Provenance']);
  expect(bundle.entry[1]?.resource).toEqual({
    resourceType: 'Provenance',
    target: [{ reference: 'urn:uuid:p' }],
    entity: [{ role: 'source' }],
    recorded: '',
    policy: [],
  });
});
