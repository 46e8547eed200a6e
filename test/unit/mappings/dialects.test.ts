import { expect, test } from '@jest/globals';
import { shippedMappings } from '../../support/mapping-files.ts';

const { dialects } = shippedMappings();

test('these dialects are shipped', () => {
  expect([...dialects.keys()].sort()).toEqual([
    'athena',
    'azure',
    'default',
    'epic',
    'google',
    'hapi',
    'medplum',
    'oracle-health',
  ]);
});

test('the default takes FHIR as it stands', () => {
  expect(dialects.get('default')).toMatchObject({
    types: null,
    categories: null,
    componentsOf: null,
    effective: 'as-given',
    interpretationsMax: null,
    retraction: 'entered-in-error',
    write: { bundle: 'auto', identity: 'auto' },
  });
});

test('Oracle Health takes what its documentation says', () => {
  expect(dialects.get('oracle-health')).toMatchObject({
    types: ['Observation'],
    categories: ['vital-signs', 'laboratory'],
    componentsOf: ['85354-9', '59408-5', '2708-6'],
    effective: 'start',
    interpretationsMax: 1,
    referenceRange: 'normal-only',
    performer: 'practitioner',
    device: 'note',
    provenance: 'none',
    extensions: 'drop',
    amendedStatus: 'corrected',
    retraction: 'corrected',
    write: { bundle: 'none', ifMatch: 'required' },
  });
});

test('a transaction to Medplum has at most eight entries, because conditional ones are refused beyond', () => {
  expect(dialects.get('medplum')?.write).toMatchObject({ identity: 'conditional-update', entriesMax: 8 });
});

test.each(['epic', 'athena'])('%s says that nobody confirmed it', (name) => {
  expect(dialects.get(name)?.source).toMatch(/^NOT CONFIRMED/);
  expect(dialects.get(name)?.reviewer).toMatch(/^not reviewed/);
});
