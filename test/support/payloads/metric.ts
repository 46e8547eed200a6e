import { aClinicalReady, type ClinicalReadyOverrides } from './clinical-ready.ts';
import { USER } from './envelope.ts';
import { rawNumber, type Json } from './json.ts';

const SOURCE = 'urn:example:health-data-service';
export const PATIENT_URL = 'urn:uuid:77777777-aaaa-4bbb-8ccc-000000000001';
export const PATIENT_ID = 'source-patient-0815';

/** One Observation of the source, as section 2.3 of its specification draws it. */
export interface Metric {
  readonly code: string;
  readonly category?: string;
  readonly context?: string;
  /** The digits of the number, as they stand in the payload. */
  readonly value?: string;
  readonly unit?: string;
  readonly ucum?: string;
  readonly display?: string;
  readonly status?: string;
  readonly start?: string;
  readonly end?: string;
  readonly id?: string;
  readonly system?: string;
  /** In place of the one coding of the source. */
  readonly codings?: readonly Json[];
}

export const DAY = { start: '2026-11-14T00:00:00+01:00', end: '2026-11-14T23:59:59+01:00' };

export function anObservationOf(metric: Metric, n = 0): Json {
  const { code, category = 'vital-signs', value = '70', unit = 'kg', status = 'final' } = metric;
  return {
    fullUrl: `urn:uuid:88888888-aaaa-4bbb-8ccc-${n.toString(16).padStart(12, '0')}`,
    resource: {
      resourceType: 'Observation',
      id: metric.id ?? `source-observation-${n}`,
      meta: { source: SOURCE },
      ...(metric.context === undefined
        ? {}
        : { extension: [{ url: `${SOURCE}:context`, valueString: metric.context }] }),
      status,
      category: [
        { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: category }] },
      ],
      code: {
        coding: metric.codings ?? [
          { system: metric.system ?? `${SOURCE}:codes`, code, display: metric.display ?? code },
        ],
      },
      subject: { reference: PATIENT_URL },
      effectivePeriod: { start: metric.start ?? DAY.start, end: metric.end ?? DAY.end },
      valueQuantity: { value: rawNumber(value), unit, system: 'http://unitsofmeasure.org', code: metric.ucum ?? unit },
    },
  };
}

export interface MetricsOverrides extends Omit<ClinicalReadyOverrides, 'bundle'> {
  /** The order in which the entries stand, the Patient as 0. */
  readonly order?: readonly number[];
}

/** A clinical_ready payload with just these measurements. */
export function aClinicalReadyOf(metrics: readonly Metric[], overrides: MetricsOverrides = {}): Json {
  const { userId = USER, bundleId = 'b-1', order } = overrides;
  const entries = [
    {
      fullUrl: PATIENT_URL,
      resource: {
        resourceType: 'Patient',
        id: PATIENT_ID,
        meta: { source: SOURCE },
        identifier: [{ system: `${SOURCE}:users`, value: userId }],
      },
    },
    ...metrics.map((metric, i) => anObservationOf(metric, i)),
  ];
  return aClinicalReady({
    ...overrides,
    bundle: {
      resourceType: 'Bundle',
      id: bundleId,
      type: 'collection',
      timestamp: overrides.timestamp ?? '2026-11-14T23:59:59Z',
      entry: order === undefined ? entries : order.map((i) => entries[i]),
    },
  });
}
