import { USER, envelopeOf, type EnvelopeOverrides } from './envelope.ts';
import type { Json } from './json.ts';

const SOURCE = 'urn:example:health-data-service';
const UCUM = 'http://unitsofmeasure.org';
const CATEGORIES = 'http://terminology.hl7.org/CodeSystem/observation-category';

/** Specification, section 2.3: what body, physical and sleep summaries hold. */
const METRICS = [
  ['vital-signs', 'weight', 'Body weight', 71.25, 'kg', 'kg'],
  ['vital-signs', 'height', 'Body height', 178, 'cm', 'cm'],
  ['vital-signs', 'bmi', 'BMI', 22.5, 'kg/m2', 'kg/m2'],
  ['vital-signs', 'resting_heart_rate', 'Resting heart rate', 58, 'bpm', '/min', 'daily_average'],
  ['vital-signs', 'spo2', 'SpO2', 97.5, '%', '%'],
  ['vital-signs', 'caloric_intake', 'Caloric intake', 2150, 'kcal', 'kcal'],
  ['activity', 'steps', 'Steps', 8421, 'steps', '{steps}'],
  ['activity', 'distance', 'Distance', 6120.4, 'm', 'm'],
  ['activity', 'average_heart_rate', 'Average heart rate', 82, 'bpm', '/min', 'daily_average'],
  ['activity', 'vo2max', 'VO2max', 41.2, 'mL/kg/min', 'mL/kg/min'],
  ['activity', 'spo2', 'SpO2', 96.8, '%', '%'],
  ['survey', 'sleep_duration', 'Sleep duration', 26_100, 's', 's'],
  ['survey', 'sleep_rem', 'REM sleep', 5_700, 's', 's'],
  ['survey', 'breathing_rate', 'Breathing rate', 14.5, 'bpm', '/min'],
  ['survey', 'sleep_latency', 'Time to fall asleep', 780, 's', 's'],
] as const;

const uuidOf = (family: string, n: number): string =>
  `3f2b1c4d-5e6f-4a7b-8c9d-${family}${n.toString(16).padStart(11, '0')}`;

export interface BundleOverrides {
  readonly userId?: string;
  readonly bundleId?: string;
  /** The local date that the summaries are about. */
  readonly day?: string;
  readonly timestamp?: string;
  /** One Observation for each of the first so many metrics; 15 of them exist. */
  readonly observations?: number;
  /** Other values, by the code of the metric. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/** One Patient and 15 Observations, about 10 kB with its envelope. */
export function aClinicalBundle(overrides: BundleOverrides = {}): Json {
  const { userId = USER, bundleId = 'c0ffee00-0000-4000-8000-000000000001', day = '2026-11-14' } = overrides;
  const patientUrl = `urn:uuid:${uuidOf('a', 0)}`;
  return {
    resourceType: 'Bundle',
    id: bundleId,
    meta: {
      profile: ['http://hl7.org/fhir/StructureDefinition/Bundle'],
      source: SOURCE,
      tag: [{ system: `${SOURCE}:tags`, code: 'clinical-ready', display: 'Clinical Ready' }],
    },
    type: 'collection',
    timestamp: overrides.timestamp ?? `${day}T23:59:59Z`,
    entry: [
      {
        fullUrl: patientUrl,
        resource: {
          resourceType: 'Patient',
          id: 'p1',
          meta: { source: SOURCE },
          identifier: [{ system: `${SOURCE}:users`, value: userId }],
        },
      },
      ...METRICS.slice(0, overrides.observations ?? METRICS.length).map(
        ([category, code, display, value, unit, ucum, context], i) => ({
          fullUrl: `urn:uuid:${uuidOf('b', i)}`,
          resource: {
            resourceType: 'Observation',
            id: `o${i + 1}`,
            meta: { source: SOURCE },
            ...(context === undefined ? {} : { extension: [{ url: `${SOURCE}:context`, valueString: context }] }),
            status: 'final',
            category: [{ coding: [{ system: CATEGORIES, code: category }] }],
            code: { coding: [{ system: `${SOURCE}:codes`, code, display }] },
            subject: { reference: patientUrl },
            effectivePeriod: { start: `${day}T00:00:00Z`, end: `${day}T23:59:59Z` },
            valueQuantity: { value: overrides.values?.[code] ?? value, unit, system: UCUM, code: ucum },
          },
        }),
      ),
    ],
  };
}

export interface ClinicalReadyOverrides extends EnvelopeOverrides, BundleOverrides {
  readonly bundle?: Json;
  readonly exportedAt?: string;
}

export function aClinicalReady(overrides: ClinicalReadyOverrides = {}): Json {
  const { userId = USER, day = '2026-11-14' } = overrides;
  return {
    ...envelopeOf('clinical_ready', 1, overrides),
    clinical_ready: {
      metadata: {
        datetime_string: `${day}T23:59:59Z`,
        user_id: userId,
        sources_of_data_array: ['ring_wearable'],
        fhir_export_ready: true,
        fhir_export_completed_at: overrides.exportedAt ?? `${day}T23:59:59Z`,
      },
      clinical_ready_data: overrides.bundle ?? aClinicalBundle(overrides),
    },
    ...overrides.fields,
  };
}
