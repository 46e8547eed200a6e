type Json = Readonly<Record<string, unknown>>;

/** A payload of the Data Webhook. */
export type DemoDocument = Json & { readonly user_id: string };

const SOURCE = 'urn:example:health-data-service';
const CATEGORIES = 'http://terminology.hl7.org/CodeSystem/observation-category';
const DAY_MS = 86_400_000;
export const DEMO_DAYS = 30;
/** The day, back from the newest, that the source thinks better of. */
const CORRECTED_DAY = 5;

/** From -1 to 1, the same for the same day and patient: invented, and invented alike each time. */
const sway = (seed: number, day: number): number => (Math.sin(seed * 12.9898 + day * 78.233) + Math.sin(seed + day / 4.5)) / 2;

interface Metric {
  readonly category: 'vital-signs' | 'activity' | 'survey';
  readonly code: string;
  readonly display: string;
  readonly unit: string;
  readonly ucum: string;
  readonly digits: number;
  readonly context?: string;
  /** The middle for patient `n`, and how far a day may lie from it. */
  readonly around: (n: number) => number;
  readonly spread: number;
}

const METRICS: readonly Metric[] = [
  {
    category: 'vital-signs',
    code: 'weight',
    display: 'Body weight',
    unit: 'kg',
    ucum: 'kg',
    digits: 1,
    around: (n) => 58 + n * 6,
    spread: 0.9,
  },
  {
    category: 'vital-signs',
    code: 'resting_heart_rate',
    display: 'Resting heart rate',
    unit: 'bpm',
    ucum: '/min',
    digits: 0,
    around: (n) => 54 + n * 3,
    spread: 5,
  },
  { category: 'vital-signs', code: 'spo2', display: 'SpO2', unit: '%', ucum: '%', digits: 1, around: () => 97, spread: 1.4 },
  {
    category: 'vital-signs',
    code: 'blood_pressure_systolic',
    display: 'Systolic blood pressure',
    unit: 'mmHg',
    ucum: 'mm[Hg]',
    digits: 0,
    around: (n) => 114 + n * 4,
    spread: 9,
  },
  {
    category: 'vital-signs',
    code: 'blood_pressure_diastolic',
    display: 'Diastolic blood pressure',
    unit: 'mmHg',
    ucum: 'mm[Hg]',
    digits: 0,
    around: (n) => 70 + n * 2,
    spread: 6,
  },
  {
    category: 'activity',
    code: 'steps',
    display: 'Steps',
    unit: 'steps',
    ucum: '{steps}',
    digits: 0,
    around: (n) => 9_800 - n * 900,
    spread: 3_400,
  },
  {
    category: 'activity',
    code: 'distance',
    display: 'Distance',
    unit: 'm',
    ucum: 'm',
    digits: 0,
    around: (n) => 7_000 - n * 600,
    spread: 2_300,
  },
  {
    category: 'activity',
    code: 'average_heart_rate',
    display: 'Average heart rate',
    unit: 'bpm',
    ucum: '/min',
    digits: 0,
    context: 'daily_average',
    around: (n) => 72 + n * 3,
    spread: 7,
  },
  {
    category: 'survey',
    code: 'sleep_duration',
    display: 'Sleep duration',
    unit: 's',
    ucum: 's',
    digits: 0,
    around: () => 26_000,
    spread: 4_200,
  },
  {
    category: 'survey',
    code: 'sleep_rem',
    display: 'REM sleep',
    unit: 's',
    ucum: 's',
    digits: 0,
    around: () => 5_600,
    spread: 1_300,
  },
  {
    category: 'survey',
    code: 'sleep_deep',
    display: 'Deep sleep',
    unit: 's',
    ucum: 's',
    digits: 0,
    around: () => 4_700,
    spread: 1_100,
  },
];

/** Name as a laboratory prints it, LOINC, unit, range, the middle and the spread of the invented values. */
const LABS = [
  ['Glucose', '2345-7', 'mg/dL', 70, 99, 94, 12],
  ['Creatinine', '2160-0', 'mg/dL', 0.6, 1.2, 0.9, 0.2],
  ['LDL Cholesterol', '13457-7', 'mg/dL', null, 130, 118, 26],
  ['Hemoglobin A1c', '4548-4', '%', 4, 5.6, 5.5, 0.4],
] as const;

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
/** A document keeps its name when a new version of it comes. */
const nameOf = (kind: 'd' | 'e', n: number, back: number): string =>
  `${kind}0000000-0000-4000-8000-${String(n).padStart(4, '0')}${String(back).padStart(8, '0')}`;
const urn = (n: number): string => `urn:uuid:3f2b1c4d-5e6f-4a7b-8c9d-${n.toString(16).padStart(12, '0')}`;
const patientEntry = (user: string): Json => ({
  fullUrl: urn(0),
  resource: { resourceType: 'Patient', id: 'p1', identifier: [{ system: `${SOURCE}:users`, value: user }] },
});

export interface DemoPerson {
  /** From 1. */
  readonly n: number;
  readonly user: string;
  readonly clientUuid: string;
}

function envelope({ user, clientUuid }: DemoPerson, structure: string, version: number): Json & { readonly user_id: string } {
  return { version: 1, data_structure: structure, client_uuid: clientUuid, user_id: user, document_version: version };
}

function buildDay(person: DemoPerson, back: number, newest: number, version: number): DemoDocument {
  const day = dayOf(newest - back * DAY_MS);
  const isCorrected = version > 1;
  // The weight of the corrected day was somebody else's on the same scale; its steps were counted twice.
  const metrics = METRICS.filter(({ code }) => !(isCorrected && code === 'weight'));
  const entry = metrics.map((metric, i): Json => {
    const { category, code, display, unit, ucum, digits, context, around, spread } = metric;
    const mistake = back === CORRECTED_DAY && !isCorrected ? (code === 'weight' ? 31 : code === 'steps' ? 9_000 : 0) : 0;
    const value = around(person.n) + sway(person.n + METRICS.indexOf(metric) * 7, back) * spread + mistake;
    return {
      fullUrl: urn(i + 1),
      resource: {
        resourceType: 'Observation',
        id: `o${i + 1}`,
        ...(context === undefined ? {} : { extension: [{ url: `${SOURCE}:context`, valueString: context }] }),
        status: 'final',
        category: [{ coding: [{ system: CATEGORIES, code: category }] }],
        code: { coding: [{ system: `${SOURCE}:codes`, code, display }] },
        subject: { reference: urn(0) },
        effectivePeriod: { start: `${day}T00:00:00Z`, end: `${day}T23:59:59Z` },
        valueQuantity: { value: rounded(value, digits), unit, system: 'http://unitsofmeasure.org', code: ucum },
      },
    };
  });
  return {
    ...envelope(person, 'clinical_ready', version),
    clinical_ready: {
      metadata: {
        datetime_string: `${day}T23:59:59Z`,
        user_id: person.user,
        sources_of_data_array: ['ring_wearable'],
        fhir_export_ready: true,
        fhir_export_completed_at: `${day}T23:59:59Z`,
      },
      clinical_ready_data: {
        resourceType: 'Bundle',
        id: nameOf('d', person.n, back),
        meta: { tag: [{ system: `${SOURCE}:tags`, code: 'clinical-ready', display: 'Clinical Ready' }] },
        type: 'collection',
        timestamp: `${day}T23:59:5${isCorrected ? 9 : 8}Z`,
        entry: [patientEntry(person.user), ...entry],
      },
    },
    device_source_data_array: [
      {
        device_type_string: 'smart ring',
        manufacturer_string: 'Example Devices',
        medical_grade_bool: false,
        model_string: 'Ring 2',
        source_type_string: 'wearable',
      },
    ],
  };
}

function buildLab(person: DemoPerson, back: number, newest: number): DemoDocument {
  const at = `${dayOf(newest - back * DAY_MS)}T08:15:00Z`;
  const results = LABS.map(([name, loinc, unit, low, high, middle, spread], i): Json => {
    const quantity = (value: number): Json => ({ value, unit, system: 'http://unitsofmeasure.org', code: unit });
    const value = rounded(middle + sway(person.n * 3 + i, back) * spread, 1);
    return {
      fullUrl: urn(i + 3),
      resource: {
        resourceType: 'Observation',
        id: `o${i + 1}`,
        status: 'final',
        code: { coding: [{ system: 'http://loinc.org', code: loinc, display: name }], text: name },
        subject: { reference: urn(0) },
        effectiveDateTime: at,
        performer: [{ reference: urn(1) }],
        valueQuantity: quantity(value),
        referenceRange: [{ ...(low === null ? {} : { low: quantity(low) }), high: quantity(high) }],
      },
    };
  });
  return {
    ...envelope(person, 'lab_result', 1),
    lab_result: {
      document_id: nameOf('e', person.n, back),
      result: {
        resourceType: 'Bundle',
        id: `lab-${person.n}-${back}`,
        type: 'collection',
        entry: [
          patientEntry(person.user),
          { fullUrl: urn(1), resource: { resourceType: 'Organization', name: 'Example laboratory' } },
          {
            fullUrl: urn(2),
            resource: {
              resourceType: 'DiagnosticReport',
              status: 'final',
              code: { text: 'Metabolic panel' },
              subject: { reference: urn(0) },
              effectiveDateTime: at,
              performer: [{ reference: urn(1) }],
              result: LABS.map((_, i) => ({ reference: urn(i + 3) })),
            },
          },
          ...results,
        ],
      },
    },
  };
}

export interface DemoHistory {
  readonly documents: readonly DemoDocument[];
  /** Which of them is corrected later. */
  readonly mistaken: DemoDocument;
  /** Its second version: takes a value back and changes another. Seen in the chart only if the first was written before it came. */
  readonly correction: DemoDocument;
}

/** What the source would have sent of one person up to the day before `now`: a document for each day, and three laboratory reports. */
export function buildDemoHistory(person: DemoPerson, now: Date): DemoHistory {
  const newest = now.getTime() - DAY_MS;
  const mistaken = buildDay(person, CORRECTED_DAY, newest, 1);
  const days = Array.from({ length: DEMO_DAYS }, (_, i) => DEMO_DAYS - 1 - i).map((back) =>
    back === CORRECTED_DAY ? mistaken : buildDay(person, back, newest, 1),
  );
  return {
    documents: [...[28, 15, 2].map((back) => buildLab(person, back, newest)), ...days],
    mistaken,
    correction: buildDay(person, CORRECTED_DAY, newest, 2),
  };
}
