import { buildChart, buildStaff, DEMO_CLINICIAN, DEMO_HOSPITAL } from './seed-chart.ts';
import { buildDemographics, buildUsCoreChart } from './seed-us-core.ts';
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

export const DEMO_PATIENTS: readonly { readonly id: string; readonly mrn: string; readonly name: string }[] =
  PEOPLE.map(([n, mrn, given, family]) => ({
    id: `demo-patient-${n}`,
    mrn,
    name: `${given} ${family}`,
  }));

const FAMILY = [
  'Okafor',
  'Brandt',
  'Silva',
  'Novak',
  'Tanaka',
  'Moreau',
  'Haddad',
  'Jensen',
  'Kaur',
  'Rossi',
  'Walsh',
] as const;
const GIVEN = [
  'Nia',
  'Jonas',
  'Leila',
  'Marek',
  'Yuki',
  'Paul',
  'Amira',
  'Lars',
  'Simran',
  'Carlo',
  'Maeve',
  'Tom',
  'Ines',
] as const;
const pick = (list: readonly string[], n: number): string => list[n % list.length] ?? '';

/**
 * The person with the number `n`, from 0: the first few have names of their own, the others are made as many as are
 * wanted.
 */
function personOf(n: number): readonly [string, string, string, string, string, string] {
  const known = PEOPLE[n];
  if (known !== undefined) return known;
  const birthDate = `${1940 + ((n * 7) % 65)}-${String(1 + (n % 12)).padStart(2, '0')}-${String(1 + (n % 28)).padStart(2, '0')}`;
  const gender = n % 2 === 0 ? 'female' : 'male';
  return [
    String(n + 1),
    String(2_000_000 + n).padStart(7, '0'),
    pick(GIVEN, n),
    pick(FAMILY, n * 3),
    gender,
    birthDate,
  ];
}

/** As many as are wanted; the first five are DEMO_PATIENTS. */
export const demoPatients = (count: number): typeof DEMO_PATIENTS =>
  Array.from({ length: count }, (_, n) => {
    const [, mrn, given, family] = personOf(n);
    return { id: `demo-patient-${n + 1}`, mrn, name: `${given} ${family}` };
  });

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

/** The one whose chart has something of each profile of US Core. */
const US_CORE_PATIENT = 'demo-patient-1';

/** By which whoever keeps another EHR finds what the demonstration has added to it. */
export const DEMO_TAG = { system: 'urn:chartgate:demo', code: 'invented' } as const;

/**
 * The same people for an EHR that is not the demonstration's: under ids that nobody else has there, without its staff
 * and hospital.
 */
export const buildGuests = (
  count: number,
): readonly { readonly mrn: string; readonly resource: Resource & { id: string } }[] =>
  Array.from({ length: count }, (_, n) => {
    const person = personOf(n);
    const {
      generalPractitioner: _doctor,
      managingOrganization: _hospital,
      ...patient
    } = buildPatient(`chartgate-demo-patient-${n + 1}`, person);
    return { mrn: person[1], resource: { ...patient, meta: { tag: [DEMO_TAG] } } };
  });

/**
 * What a new demo EHR begins with: staff, patients, and what the hospital itself knows of them. One that has anything
 * is left as it is, but for patients who are still missing.
 */
export function seedEhr(ehr: DemoEhr, patients: number = PEOPLE.length): void {
  const isNew = ehr.repository.count() === 0;
  for (let n = PEOPLE.length; n < patients; n += 1) {
    const id = `demo-patient-${n + 1}`;
    if (ehr.repository.read('Patient', id) === undefined) ehr.put(buildPatient(id, personOf(n)));
  }
  if (!isNew) return;
  const people = [
    ...PEOPLE.map((person) => [`demo-patient-${person[0]}`, person] as const),
    [DEMO_STRANGER.id, STRANGER] as const,
  ];
  for (const resource of buildStaff()) ehr.put(resource);
  for (const [id, person] of people) {
    const isShown = id === US_CORE_PATIENT;
    ehr.put({ ...buildPatient(id, person), ...(isShown ? buildDemographics(person[3], person[2]) : {}) });
    for (const resource of isShown ? buildUsCoreChart(id) : []) ehr.put(resource);
    for (const resource of buildChart(Number(person[0]), id)) ehr.put(resource);
  }
  ehr.put({
    resourceType: 'Observation',
    id: 'demo-stranger-pulse',
    status: 'final',
    category: [
      { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }] },
    ],
    code: { coding: [{ system: 'http://loinc.org', code: '8867-4', display: 'Heart rate' }] },
    subject: { reference: `Patient/${DEMO_STRANGER.id}` },
    effectiveDateTime: '2026-01-12T09:10:00Z',
    valueQuantity: { value: 71, unit: 'beats/minute', system: 'http://unitsofmeasure.org', code: '/min' },
  });
}
