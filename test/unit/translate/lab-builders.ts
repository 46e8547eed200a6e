import { rawNumber, type Json } from '../../support/payloads/index.ts';

export const DRAWN = '2026-11-10T08:15:00+01:00';
/** All that names something at the source. */
export const LAB_SECRETS = [
  '99999999-aaaa',
  'lab-patient-42',
  'lab-obs-',
  'lab-report-7',
  'lab-org-7',
  'lab-specimen-7',
];

const url = (n: number): string => `urn:uuid:99999999-aaaa-4000-8000-${n.toString(16).padStart(12, '0')}`;
const [PATIENT, ORGANIZATION, SPECIMEN, REPORT] = [url(0), url(1), url(2), url(3)] as const;

export type LabTest = Json;
interface Said {
  readonly value?: string;
  readonly unit?: string;
  readonly comparator?: string;
  readonly text?: string;
}

/** One biomarker as a laboratory document names it, without any code. */
export const labTest = (name: string, { value, unit, comparator, text }: Said, fields: Json = {}): LabTest => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: name },
  effectiveDateTime: DRAWN,
  ...(value === undefined
    ? {}
    : {
        valueQuantity: {
          value: rawNumber(value),
          ...(comparator === undefined ? {} : { comparator }),
          ...(unit === undefined ? {} : { unit }),
        },
      }),
  ...(text === undefined ? {} : { valueString: text }),
  ...fields,
});

export const report = (fields: Json = {}): Json => ({
  resourceType: 'DiagnosticReport',
  status: 'final',
  code: { text: 'Comprehensive metabolic panel' },
  effectiveDateTime: DRAWN,
  issued: '2026-11-11T08:00:00+01:00',
  ...fields,
});

const patient: Json = { resourceType: 'Patient', id: 'lab-patient-42' };
const organization: Json = { resourceType: 'Organization', name: 'Example laboratory' };
const specimen: Json = { resourceType: 'Specimen', type: { text: 'Serum' }, collection: { collectedDateTime: DRAWN } };

export function aLabBundleOf(
  tests: readonly LabTest[],
  type: 'collection' | 'transaction' | 'document' | 'searchset' = 'collection',
  ofReport: Json = report(),
  more: readonly Json[] = [],
): Json {
  const subject = { reference: PATIENT };
  const performer = [{ reference: ORGANIZATION }];
  const results = tests.map((one, i) => ({
    fullUrl: url(16 + i),
    resource: { specimen: { reference: SPECIMEN }, ...one, id: `lab-obs-${i}`, subject, performer },
  }));
  const entries = [
    { fullUrl: PATIENT, resource: patient },
    { fullUrl: ORGANIZATION, resource: { ...organization, id: 'lab-org-7' } },
    { fullUrl: SPECIMEN, resource: { ...specimen, id: 'lab-specimen-7', subject } },
    {
      fullUrl: REPORT,
      resource: {
        ...ofReport,
        id: 'lab-report-7',
        subject,
        performer,
        specimen: [{ reference: SPECIMEN }],
        result: results.map(({ fullUrl }) => ({ reference: fullUrl })),
      },
    },
    ...results,
    ...more.map((resource, i) => ({ fullUrl: url(64 + i), resource })),
  ];
  const composition = {
    fullUrl: url(5),
    resource: {
      resourceType: 'Composition',
      status: 'final',
      type: { text: 'Laboratory report' },
      subject,
      date: DRAWN,
      author: [{ reference: ORGANIZATION }],
      title: 'Laboratory report',
      section: [{ entry: [{ reference: REPORT }] }],
    },
  };
  const shaped = (entry: Json): Json => {
    const { resourceType } = entry['resource'] as { resourceType: string };
    if (type === 'transaction') return { ...entry, request: { method: 'POST', url: resourceType } };
    return type === 'searchset' ? { ...entry, search: { mode: 'match' } } : entry;
  };
  return {
    resourceType: 'Bundle',
    id: 'lab-bundle',
    type,
    ...(type === 'document'
      ? { identifier: { system: 'urn:example:documents', value: 'x' }, timestamp: '2026-11-11T09:00:00Z' }
      : {}),
    entry: [...(type === 'document' ? [composition] : []), ...entries].map(shaped),
  };
}

/** A DiagnosticReport alone, with all that it refers to contained. */
export function aBareReport(tests: readonly LabTest[], ofReport: Json = report()): Json {
  const subject = { reference: '#lab-patient-42' };
  return {
    ...ofReport,
    id: 'lab-report-7',
    contained: [
      patient,
      { ...organization, id: 'lab-org-7' },
      { ...specimen, id: 'lab-specimen-7', subject },
      ...tests.map((one, i) => ({
        ...one,
        id: `lab-obs-${i}`,
        subject,
        performer: [{ reference: '#lab-org-7' }],
        specimen: { reference: '#lab-specimen-7' },
      })),
    ],
    subject,
    performer: [{ reference: '#lab-org-7' }],
    specimen: [{ reference: '#lab-specimen-7' }],
    result: tests.map((_, i) => ({ reference: `#lab-obs-${i}` })),
  };
}
