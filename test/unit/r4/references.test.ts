import { describe, expect, test } from '@jest/globals';
import {
  COMPARTMENT_TYPES,
  compartmentParams,
  isInCompartment,
  isResourceType,
  RESOURCE_TYPES,
  rewriteReferences,
  walkReferences,
} from '../../../src/r4/index.ts';
import { aClinicalBundle } from '../../support/clinical-bundle.ts';
import { R4_EXAMPLES } from '../../support/r4-examples.ts';

const tricky = {
  resourceType: 'Observation',
  status: 'final',
  _status: { extension: [{ url: 'http://x.example/e', valueReference: { reference: 'Patient/5' } }] },
  code: {
    text: 'reference Patient/1',
    extension: [{ url: 'http://x.example/Patient/1', valueReference: { reference: 'Patient/2' } }],
  },
  contained: [{ resourceType: 'Specimen', id: 's', subject: { reference: 'Patient/3' } }],
  subject: { reference: 'Patient/1', display: 'Patient/1' },
  performer: [{ identifier: { value: 'Patient/1', assigner: { reference: 'Organization/1' } } }],
  specimen: { reference: '#s' },
  note: [{ authorReference: { reference: 'Practitioner/1' }, text: 'Patient/1' }],
  valueString: 'Patient/1',
};

describe('references are found by definition', () => {
  test('wherever a definition puts one, and nowhere else', () => {
    expect(walkReferences(tricky)).toEqual([
      { reference: 'Patient/5', path: 'Observation.status.extension[0].value' },
      { reference: 'Patient/2', path: 'Observation.code.extension[0].value' },
      { reference: 'Patient/3', path: 'Observation.contained[0].subject' },
      { reference: 'Patient/1', path: 'Observation.subject' },
      { reference: 'Organization/1', path: 'Observation.performer[0].identifier.assigner' },
      { reference: '#s', path: 'Observation.specimen' },
      { reference: 'Practitioner/1', path: 'Observation.note[0].author' },
    ]);
  });

  test('entries of a bundle are walked', () => {
    expect(walkReferences(aClinicalBundle(3)).map((r) => r.path)).toEqual(
      [1, 2, 3].map((i) => `Bundle.entry[${i}].resource.subject`),
    );
  });

  test('rewriting touches references only, copies what changes and leaves the original alone', () => {
    const before = JSON.stringify(tricky);
    const after = rewriteReferences(tricky, ({ reference }) => (reference === 'Patient/1' ? 'Patient/99' : undefined));
    expect(JSON.stringify(tricky)).toBe(before);
    expect(after).toEqual({ ...tricky, subject: { reference: 'Patient/99', display: 'Patient/1' } });
    expect(after.contained).toBe(tricky.contained);
    expect(rewriteReferences(tricky, () => undefined)).toBe(tricky);
  });

  test('every Reference of the examples is found: the walk sees as many as a blind search', () => {
    const blind = (v: unknown): number => {
      if (typeof v !== 'object' || v === null) return 0;
      const own = !Array.isArray(v) && typeof (v as Record<string, unknown>)['reference'] === 'string' ? 1 : 0;
      return Object.values(v).reduce<number>((sum, inner) => sum + blind(inner), own);
    };
    for (const [file, resource] of R4_EXAMPLES) {
      // These have elements named `reference` that are no References.
      if (['CapabilityStatement', 'Consent', 'ImplementationGuide'].includes(resource.resourceType)) continue;
      expect([file, walkReferences(resource).length]).toEqual([file, blind(resource)]);
    }
  });

  test.each([
    null,
    1,
    'x',
    [],
    {},
    { resourceType: 'Nothing', subject: { reference: 'x' } },
    { resourceType: 'Observation', subject: 'x', performer: { reference: 'a' } },
  ])('takes anything: %j', (input) => {
    expect(() => walkReferences(input)).not.toThrow();
  });
});

describe('the patient compartment', () => {
  test('is data: 66 types, each with its parameters', () => {
    expect(COMPARTMENT_TYPES).toHaveLength(66);
    expect(compartmentParams('Observation')).toEqual(expect.arrayContaining(['subject', 'performer']));
    expect(compartmentParams('Organization')).toEqual([]);
    expect(COMPARTMENT_TYPES.every(isResourceType)).toBe(true);
  });

  test.each([
    [{ resourceType: 'Observation', subject: { reference: 'Patient/1' } }, true],
    [{ resourceType: 'Observation', subject: { reference: 'Patient/1/_history/3' } }, true],
    [{ resourceType: 'Observation', performer: [{ reference: 'Practitioner/1' }, { reference: 'Patient/1' }] }, true],
    [{ resourceType: 'Observation', subject: { reference: 'Patient/10' } }, false],
    [{ resourceType: 'Observation', subject: { reference: 'https://elsewhere.example/Patient/1' } }, false],
    [{ resourceType: 'Observation', subject: { reference: 'https://ehr.example/fhir/Patient/1' } }, true],
    [{ resourceType: 'Observation', subject: { display: 'Patient/1' } }, false],
    [{ resourceType: 'Condition', subject: { reference: 'Group/1' } }, false],
    [{ resourceType: 'Patient', id: '1' }, true],
    [{ resourceType: 'Patient', id: '2' }, false],
    [{ resourceType: 'Patient', id: '2', link: [{ other: { reference: 'Patient/1' } }] }, true],
    [{ resourceType: 'AuditEvent', entity: [{ what: { reference: 'Patient/1' } }] }, true],
    [{ resourceType: 'Organization', partOf: { reference: 'Patient/1' } }, false],
    [null, false],
    [{}, false],
  ])('%j is inside: %s', (resource, isInside) => {
    expect(isInCompartment(resource, '1', 'https://ehr.example/fhir')).toBe(isInside);
  });
});

test('R4 has 146 concrete resource types', () => {
  expect(RESOURCE_TYPES).toHaveLength(146);
  expect(isResourceType('Observation')).toBe(true);
  expect(isResourceType('constructor')).toBe(false);
});
