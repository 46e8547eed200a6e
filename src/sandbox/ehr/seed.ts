import type { DemoEhr } from './start-ehr.ts';

export const DEMO_MRN_SYSTEM = 'urn:example:chartgate:mrn';

/** Invented people. */
const PEOPLE = [
  ['1', '0001001', 'Ada', 'Lindqvist', 'female', '1961-03-14'],
  ['2', '0001002', 'Bruno', 'Castellan', 'male', '1974-11-02'],
  ['3', '0001003', 'Chiyo', 'Marlowe', 'female', '1988-07-25'],
  ['4', '0001004', 'Dov', 'Ferreira', 'male', '1995-01-09'],
  ['5', '0001005', 'Esi', 'Halvorsen', 'female', '1952-09-30'],
] as const;

export const DEMO_PATIENTS = PEOPLE.map(([n, mrn]) => ({ id: `demo-patient-${n}`, mrn }));

/** The people and the organization that a new demo EHR begins with; one that has them already is left as it is. */
export function seedEhr(ehr: DemoEhr): void {
  if (ehr.repository.count() > 0) return;
  ehr.put({ resourceType: 'Organization', id: 'demo-hospital', active: true, name: 'Demo Hospital' });
  for (const [n, mrn, given, family, gender, birthDate] of PEOPLE)
    ehr.put({
      resourceType: 'Patient',
      id: `demo-patient-${n}`,
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
      managingOrganization: { reference: 'Organization/demo-hospital' },
    });
}
