import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { recogniseDialect, type EhrSelfDescription } from '../../../src/mappings/index.ts';
import { aDialect } from '../ehr/a-dialect.ts';
import { standardMappings } from '../../support/standard-mappings.ts';

const NOBODY: EhrSelfDescription = { software: null, publisher: null, implementation: null, address: 'ehr.example' };
const { dialects } = standardMappings();
const nameOf = (told: Partial<EhrSelfDescription>): string | null =>
  recogniseDialect(dialects, { ...NOBODY, ...told })?.name ?? null;

test.each<[string | null, Partial<EhrSelfDescription>]>([
  ['hapi', { software: 'HAPI FHIR Server 8.2.0', implementation: 'HAPI FHIR R4 Server http://127.0.0.1/fhir' }],
  ['medplum', { software: 'medplum 4.1.0' }],
  ['medplum', { address: 'api.medplum.com' }],
  ['azure', { software: 'Azure Health Data Services' }],
  ['azure', { address: 'site.fhir.azurehealthcareapis.com' }],
  ['google', { address: 'healthcare.googleapis.com' }],
  ['oracle-health', { publisher: 'Cerner' }],
  ['epic', { software: 'Epic August 2026' }],
  ['athena', { address: 'api.platform.athenahealth.com' }],
  [null, { software: 'Epicentre' }],
  [null, { software: 'My proxy in front of Epic' }],
  [null, { address: 'api.medplum.com.evil.example' }],
  [null, {}],
])('%s by %j', (name, told) => {
  expect(nameOf(told)).toBe(name);
});

test('where several fit none is chosen', () => {
  expect(nameOf({ software: 'HAPI FHIR Server', publisher: 'Cerner' })).toBeNull();
});

test('a sign is compared as a whole and without regard to case, whatever stands in it', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (text) => {
      const words = text.replace(/[^\x21-\x7e]|\*/g, 'x');
      const one = aDialect({ recognisedBy: [`software: ${words}`] });
      const found = (software: string) => recogniseDialect(new Map([['test', one]]), { ...NOBODY, software });
      expect(found(words.toUpperCase())?.name).toBe('test');
      expect(found(`${words} and more`)).toBeNull();
    }),
  );
});
