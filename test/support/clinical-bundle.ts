/** A clinical_ready Bundle as the source sends it: one Patient and `count` Observations. Synthetic throughout. */
const METRICS = [
  ['vital-signs', 'weight', 'Body weight', 71.25, 'kg', 'kg'],
  ['vital-signs', 'height', 'Body height', 178, 'cm', 'cm'],
  ['vital-signs', 'bmi', 'Body mass index', 22.5, 'kg/m2', 'kg/m2'],
  ['vital-signs', 'resting_heart_rate', 'Resting heart rate', 58, 'beats/minute', '/min'],
  ['vital-signs', 'spo2', 'Oxygen saturation', 97.5, '%', '%'],
  ['activity', 'steps', 'Steps', 8421, 'steps', '{steps}'],
  ['activity', 'distance', 'Distance', 6120.4, 'm', 'm'],
  ['activity', 'vo2max', 'VO2max', 41.2, 'mL/kg/min', 'mL/kg/min'],
  ['survey', 'sleep_duration', 'Sleep duration', 7.25, 'h', 'h'],
  ['survey', 'sleep_rem', 'REM sleep', 95, 'min', 'min'],
] as const;

const uuid = (n: number): string => `urn:uuid:3f2b1c4d-5e6f-4a7b-8c9d-${n.toString(16).padStart(12, '0')}`;

export function anObservation(n: number): Record<string, unknown> {
  const [category, code, display, value, unit, ucum] = METRICS[n % METRICS.length] ?? METRICS[0];
  return {
    resourceType: 'Observation',
    id: `obs-${n}`,
    meta: { source: 'https://source.example' },
    ...(n % 3 === 0 ? { extension: [{ url: 'https://source.example/context', valueString: 'daily_average' }] } : {}),
    status: 'final',
    category: [{ coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: category }] }],
    code: { coding: [{ system: 'https://source.example/codes', code, display }] },
    subject: { reference: uuid(0) },
    effectivePeriod: { start: '2026-11-14T00:00:00Z', end: '2026-11-14T23:59:59Z' },
    valueQuantity: { value: value + (n % 8) / 8, unit, system: 'http://unitsofmeasure.org', code: ucum },
  };
}

export function aClinicalBundle(count = 15): Record<string, unknown> {
  return {
    resourceType: 'Bundle',
    id: 'bundle-1',
    meta: {
      profile: ['http://hl7.org/fhir/StructureDefinition/Bundle'],
      source: 'https://source.example/fhir',
      tag: [{ system: 'https://source.example/fhir/tags', code: 'clinical-ready', display: 'Clinical Ready' }],
    },
    type: 'collection',
    timestamp: '2026-11-14T23:59:59Z',
    entry: [
      {
        fullUrl: uuid(0),
        resource: {
          resourceType: 'Patient',
          id: 'patient-1',
          meta: { source: 'https://source.example/fhir' },
          identifier: [{ system: 'https://source.example/fhir/users', value: 'user-0001' }],
        },
      },
      ...Array.from({ length: count }, (_, i) => ({ fullUrl: uuid(i + 1), resource: anObservation(i) })),
    ],
  };
}
