import { buildChart, buildStaff, DEMO_CLINICIAN, DEMO_HOSPITAL } from './seed-chart.ts';
import type { DemoEhr } from './start-ehr.ts';
import type { Resource } from './values.ts';

export const DEMO_MRN_SYSTEM = 'urn:example:chartgate:mrn';

/** Invented people. */
const PEOPLE = [
  ['1', '0001001', 'Ada', 'Lindqvist', 'female', '1961-03-14'],
  ['2', '0001002', 'Bruno', 'Castellan', 'male', '1974-11-02'],
  ['3', '0001003', 'Chiyo', 'Marlowe', 'female', '1988-07-25'],
  ['4', '0001004', 'Dov', 'Ferreira', 'male', '1995-01-09'],
  ['5', '0001005', 'Esi', 'Halvorsen', 'female', '1952-09-30'],
] as const;

export const DEMO_PATIENTS = PEOPLE.map(([n, mrn, given, family]) => ({
  id: `demo-patient-${n}`,
  mrn,
  name: `${given} ${family}`,
}));

/** A patient of the EHR whom the gateway has no link to: nobody may read of them through it. */
export const DEMO_STRANGER = { id: 'demo-stranger', mrn: '0001999' } as const;
const STRANGER = ['6', DEMO_STRANGER.mrn, 'Ferenc', 'Abernathy', 'male', '1980-04-04'] as const;

function buildPatient(
  id: string,
  [, mrn, given, family, gender, birthDate]: readonly [string, string, string, string, string, string],
): Resource & { id: string } {
  return {
    resourceType: 'Patient',
    id,
    active: true,
    identifier: [
      {
        use: 'usual',
        type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MR' }] },
        system: DEMO_MRN_SYSTEM,
        value: mrn,
      },
    ],
    name: [{ use: 'official', family, given: [given] }],
    gender,
    birthDate,
    generalPractitioner: [{ reference: `Practitioner/${DEMO_CLINICIAN.id}` }],
    managingOrganization: { reference: `Organization/${DEMO_HOSPITAL}` },
  };
}

/** What a new demo EHR begins with: staff, patients, and what the hospital itself knows of them. One that has anything is left as it is. */
export function seedEhr(ehr: DemoEhr): void {
  if (ehr.repository.count() > 0) return;
  const people = [
    ...PEOPLE.map((person) => [`demo-patient-${person[0]}`, person] as const),
    [DEMO_STRANGER.id, STRANGER] as const,
  ];
  for (const resource of buildStaff()) ehr.put(resource);
  for (const [id, person] of people) {
    ehr.put(buildPatient(id, person));
    for (const resource of buildChart(Number(person[0]), id)) ehr.put(resource);
  }
  ehr.put({
    resourceType: 'Observation',
    id: 'demo-stranger-pulse',
    status: 'final',
    category: [{ coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }] }],
    code: { coding: [{ system: 'http://loinc.org', code: '8867-4', display: 'Heart rate' }] },
    subject: { reference: `Patient/${DEMO_STRANGER.id}` },
    effectiveDateTime: '2026-01-12T09:10:00Z',
    valueQuantity: { value: 71, unit: 'beats/minute', system: 'http://unitsofmeasure.org', code: '/min' },
  });
}
