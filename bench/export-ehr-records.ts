import type { Resource } from '../sandbox/ehr/index.ts';
import { MRN_SYSTEM } from './export-world.ts';

type Named = Resource & { id: string };

/** As wearables are charted: some 800 bytes. */
export const observation = (name: string, id: string, n: number): Named => ({
  resourceType: 'Observation',
  id,
  meta: { versionId: '1', lastUpdated: '2026-01-01T00:00:00Z' },
  identifier: [{ system: 'urn:example:measurement', value: `m-${n}` }],
  status: 'final',
  category: [
    { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }] },
  ],
  code: { coding: [{ system: 'http://loinc.org', code: '8867-4', display: 'Heart rate' }], text: 'Heart rate' },
  subject: { reference: `Patient/${name}` },
  effectiveDateTime: '2026-01-01T07:00:00+01:00',
  issued: '2026-01-01T07:00:05Z',
  performer: [{ display: 'A wearable' }],
  valueQuantity: { value: 60 + (n % 40), unit: '/min', system: 'http://unitsofmeasure.org', code: '/min' },
  device: { display: 'A wearable of some brand' },
});

export const patient = (name: string): Named => ({
  resourceType: 'Patient',
  id: name,
  identifier: [{ system: MRN_SYSTEM, value: `mrn-${name}` }],
  name: [{ family: 'Bench' }],
});
