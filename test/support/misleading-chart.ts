import type { DemoEhr } from '../../sandbox/index.ts';

const LOINC = 'http://loinc.org';
const LOCAL = 'urn:chartgate:codes';
const SOURCE_CATEGORY = 'urn:chartgate:source-category';
const CATEGORY = 'http://terminology.hl7.org/CodeSystem/observation-category';

/** The moment from which a clinician looks at the chart. */
export const LOOKED_AT = '2026-11-15T10:00:00Z';

const percent = (value: number) => ({ value, unit: '%', code: '%' });
const local = (code: string, display: string) => ({ coding: [{ system: LOCAL, code, display }] });
const tagged = (code: string) => ({ tag: [{ system: LOCAL, code }] });
/** One observation of the chart, in the form in which the gateway writes it. */
type Extra = Readonly<Record<string, unknown>>;

/**
 * A chart in which every value is right, and which misleads whoever is shown it carelessly: one patient, one hazard
 * after the other.
 */
export function putMisleadingChart(ehr: DemoEhr, patient: string): void {
  const common = {
    resourceType: 'Observation',
    status: 'final',
    subject: { reference: `Patient/${patient}` },
  } as const;
  const wholeDay = (date: string) => ({
    effectivePeriod: { start: `${date}T00:00:00+01:00`, end: `${date}T23:59:59+01:00` },
  });
  const dayOf = (n: number): string => new Date(Date.UTC(2026, 9, 1 + n)).toISOString().slice(0, 10);
  const vital = (sourceCategory?: string) => [
    {
      coding: [
        { system: CATEGORY, code: 'vital-signs' },
        ...(sourceCategory === undefined ? [] : [{ system: SOURCE_CATEGORY, code: sourceCategory }]),
      ],
    },
  ];
  const put = (
    id: string,
    code: string,
    text: string,
    date: string,
    value: number,
    unit: string,
    extra: Extra = {},
  ): void =>
    ehr.put({
      ...common,
      id,
      category: vital(),
      code: { coding: [{ system: LOINC, code }], text },
      ...wholeDay(date),
      valueQuantity: { value, unit },
      ...extra,
    });

  // A scale that was last stood upon twelve days ago, and had repeated itself for a week before.
  for (let n = 12; n <= 33; n += 1)
    put(`w-${n}`, '29463-7', 'Body weight', dayOf(n), n < 27 ? 71 + (n % 5) / 10 : 72.4, 'kg');
  put('w-33', '29463-7', 'Body weight', dayOf(33), 72.4, 'kg', {
    note: [{ text: 'The same value on seven days: check the device.' }],
  });
  put('w-wrong', '29463-7', 'Body weight', '2026-11-14', 27.4, 'kg', { status: 'entered-in-error' });

  for (let n = 30; n <= 44; n += 1) {
    put(`rhr-${n}`, '40443-4', 'Resting heart rate', dayOf(n), n === 44 ? 74 : 60 + (n % 3), '/min');
    put(`spo2-body-${n}`, '103209-3', 'SpO2', dayOf(n), 97 + (n % 4) / 10, '%');
    put(`spo2-physical-${n}`, '103209-3', 'SpO2', dayOf(n), 96 + (n % 3) / 10, '%', { category: vital('activity') });
    put(`spo2-sleep-${n}`, '103209-3', 'SpO2', dayOf(n), 93 + (n % 5) / 10, '%', { category: vital('survey') });
  }
  put('rhr-tomorrow', '40443-4', 'Resting heart rate', '2026-11-17', 112, '/min');

  put('bp', '85354-9', 'Blood pressure', '2026-11-14', 0, 'mmHg', {
    status: 'amended',
    valueQuantity: undefined,
    component: [
      { code: { text: 'Systolic blood pressure' }, valueQuantity: { value: 128, unit: 'mmHg' } },
      { code: { text: 'Diastolic blood pressure' }, valueQuantity: { value: 81, unit: 'mmHg' } },
    ],
  });
  put('bmi', '39156-5', 'BMI', '2026-11-14', 31.2, 'kg/m2', {
    note: [{ text: 'Weight, height and BMI of the document do not match.' }],
  });
  put('steps', '55423-8', 'Steps so far', '2026-11-14', 8210, 'steps', {
    status: 'preliminary',
    category: [{ coding: [{ system: CATEGORY, code: 'activity' }] }],
  });
  ehr.put({
    ...common,
    id: 'potassium',
    meta: tagged('machine-extracted'),
    status: 'preliminary',
    category: [{ coding: [{ system: CATEGORY, code: 'laboratory' }] }],
    code: { coding: [{ system: LOINC, code: '2823-3' }], text: 'Potassium' },
    effectiveDateTime: '2026-10-02T08:15:00+01:00',
    valueQuantity: { value: 7.9, unit: 'mmol/L' },
    referenceRange: [{ low: { value: 3.5, unit: 'mmol/L' }, high: { value: 5.1, unit: 'mmol/L' } }],
    note: [{ text: 'Outside the usual range of such values; sent as the source reported it.' }],
  });

  // An alert as it is written today: the reading under its own LOINC code, what it was held against in components.
  put('alert-rhr', '40443-4', 'resting_heart_rate', '2026-11-14', 74, '/min', {
    meta: tagged('alert'),
    code: { coding: [{ system: LOINC, code: '40443-4', display: 'Heart rate --resting' }], text: 'resting_heart_rate' },
    interpretation: [{ coding: [{ code: 'H', display: 'High' }] }],
    component: [
      { code: local('baseline-value', 'Baseline value'), valueQuantity: { value: 60, unit: '/min' } },
      { code: local('deviation-above-percent', 'Deviation above baseline allowed'), valueQuantity: percent(15) },
    ],
  });
  put('alert-spo2', '59408-5', 'oxygenation', '2026-11-14', 90.5, '%', {
    meta: tagged('alert'),
    code: {
      coding: [{ system: LOINC, code: '59408-5', display: 'Oxygen saturation by pulse oximetry' }],
      text: 'oxygenation',
    },
    effectivePeriod: undefined,
    effectiveDateTime: '2026-11-14T03:12:00+01:00',
    interpretation: [{ coding: [{ code: 'L', display: 'Low' }] }],
    referenceRange: [
      { low: percent(92), type: { text: 'monitoring threshold' }, text: 'default rule of the health data service' },
    ],
  });
  // How many there were on a day: one more word for two of these, and a day on which nothing was found.
  for (const [date, count] of [
    ['2026-11-14', 2],
    ['2026-11-12', 0],
  ] as const)
    put(`alerts-${date}`, '', '', date, 0, '', {
      meta: tagged('alert'),
      category: [{ coding: [{ system: CATEGORY, code: 'survey' }] }],
      code: local('health-monitoring-daily-alerts', 'Health monitoring: alerts of a day'),
      valueQuantity: undefined,
      valueInteger: count,
    });
  // And under a code of its own, with a reference to the measurement.
  put('alert-derived', '', '', '2026-11-13', 0, '', {
    meta: tagged('alert'),
    code: local('alert-resting-heart-rate', 'Alert: resting heart rate'),
    valueQuantity: undefined,
    derivedFrom: [{ reference: 'Observation/rhr-43' }],
    component: [
      { code: local('baseline-value', 'Baseline value'), valueQuantity: { value: 54, unit: '/min' } },
      { code: local('deviation-above-percent', 'Deviation above baseline allowed'), valueQuantity: percent(12) },
    ],
  });
}
