import { USER, envelopeOf, type EnvelopeOverrides } from './envelope.ts';
import type { Json } from './json.ts';

const uuidOf = (n: number): string => `urn:uuid:6a1d2c3b-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

export interface LabBundleOverrides {
  /** The glucose of the panel, in mg/dL. */
  readonly glucose?: unknown;
}

/** A panel of one biomarker: a Patient, a DiagnosticReport and its Observation. Valid R4. */
export function aLabBundle({ glucose = 92 }: LabBundleOverrides = {}): Json {
  return {
    resourceType: 'Bundle',
    id: 'lab-bundle-1',
    type: 'collection',
    entry: [
      { fullUrl: uuidOf(0), resource: { resourceType: 'Patient', id: 'p1' } },
      {
        fullUrl: uuidOf(1),
        resource: {
          resourceType: 'DiagnosticReport',
          id: 'r1',
          status: 'final',
          code: { text: 'Metabolic panel' },
          subject: { reference: uuidOf(0) },
          effectiveDateTime: '2026-11-10T08:15:00+01:00',
          result: [{ reference: uuidOf(2) }],
        },
      },
      {
        fullUrl: uuidOf(2),
        resource: {
          resourceType: 'Observation',
          id: 'o1',
          status: 'final',
          code: { coding: [{ system: 'http://loinc.org', code: '2345-7', display: 'Glucose' }] },
          subject: { reference: uuidOf(0) },
          effectiveDateTime: '2026-11-10T08:15:00+01:00',
          valueQuantity: { value: glucose, unit: 'mg/dL', system: 'http://unitsofmeasure.org', code: 'mg/dL' },
        },
      },
    ],
  };
}

export interface LabResultOverrides extends EnvelopeOverrides, LabBundleOverrides {
  readonly documentId?: string;
  /** The FHIR content; by default a Bundle. */
  readonly resource?: Json;
}

/** The envelope of a laboratory result is not published; this is one that it might have. */
export function aLabResult(overrides: LabResultOverrides = {}): Json {
  return {
    ...envelopeOf('lab_result', 1, overrides),
    lab_result: {
      document_id: overrides.documentId ?? 'd0c00000-0000-4000-8000-000000000001',
      result: overrides.resource ?? aLabBundle(overrides),
    },
    ...overrides.fields,
  };
}

/** The service's own JSON, without any FHIR, in the form of the sandbox. */
export function aServiceLabResult(overrides: Omit<LabResultOverrides, 'resource'> = {}): Json {
  return {
    ...envelopeOf('lab_result', 1, overrides),
    lab_result: {
      metadata: {
        document_id_string: overrides.documentId ?? 'd0c00000-0000-4000-8000-000000000001',
        user_id_string: overrides.userId ?? USER,
        collection_datetime_string: '2026-11-10T08:15:00+01:00',
        laboratory_string: null,
        specimen_string: null,
      },
      panels_array: [
        {
          name_string: 'Basic metabolic panel',
          loinc_string: '51990-0',
          biomarkers_array: [
            {
              name_string: 'Glucose',
              name_in_document_string: 'GLUCOSE',
              code_string: 'glucose',
              loinc_string: '2345-7',
              value_float: overrides.glucose ?? 92,
              value_string: '92',
              comparator_string: null,
              unit_string: 'mg/dL',
              reference_low_float: null,
              reference_high_float: null,
              reference_string: null,
              flag_string: null,
            },
          ],
        },
      ],
    },
    ...overrides.fields,
  };
}
