import type { Resource } from './values.ts';

export type Kept = Resource & { id: string };
type Concept = {
  readonly coding: readonly { readonly system: string; readonly code: string; readonly display: string }[];
};

export const DEMO_CLINICIAN = { id: 'demo-clinician', name: 'Rosalind Okafor' } as const;
export const DEMO_HOSPITAL = 'demo-hospital';

export const LOINC = 'http://loinc.org';
export const R4 = 'http://hl7.org/fhir';
export const US_CORE = 'http://hl7.org/fhir/us/core';
export const SNOMED = 'http://snomed.info/sct';
export const RXNORM = 'http://www.nlm.nih.gov/research/umls/rxnorm';
const CVX = 'http://hl7.org/fhir/sid/cvx';
export const HL7 = 'http://terminology.hl7.org/CodeSystem';

export const concept = (system: string, code: string, display: string): Concept => ({
  coding: [{ system, code, display }],
});
export const hospital = { reference: `Organization/${DEMO_HOSPITAL}`, display: 'Demo Hospital' };
export const clinician = { reference: `Practitioner/${DEMO_CLINICIAN.id}`, display: `Dr ${DEMO_CLINICIAN.name}` };

/** When the clinician saw the patients of the demonstration. */
export const SEEN_AT = '2026-01-12T09:10:00Z';

export const quantity = (value: number, unit: string, code = unit): unknown => ({
  value,
  unit,
  system: 'http://unitsofmeasure.org',
  code,
});

/** What the invented people have, one line each: problem, allergy, medicine. */
const RECORDS = [
  {
    problem: concept(SNOMED, '38341003', 'Hypertensive disorder'),
    allergy: concept(SNOMED, '91936005', 'Allergy to penicillin'),
    medicine: concept(RXNORM, '314076', 'lisinopril 10 MG Oral Tablet'),
    dose: 'One tablet by mouth each morning',
  },
  {
    problem: concept(SNOMED, '44054006', 'Type 2 diabetes mellitus'),
    allergy: concept(SNOMED, '91935009', 'Allergy to peanut'),
    medicine: concept(RXNORM, '860975', 'metformin hydrochloride 500 MG Extended Release Oral Tablet'),
    dose: 'One tablet by mouth with the evening meal',
  },
  {
    problem: concept(SNOMED, '195967001', 'Asthma'),
    allergy: concept(SNOMED, '300916003', 'Allergy to latex'),
    medicine: concept(RXNORM, '745679', 'albuterol 0.09 MG/ACTUAT Metered Dose Inhaler'),
    dose: 'Two puffs when needed',
  },
  {
    problem: concept(SNOMED, '193462001', 'Insomnia'),
    allergy: concept(SNOMED, '424213003', 'Allergy to bee venom'),
    medicine: concept(RXNORM, '199272', 'melatonin 3 MG Oral Tablet'),
    dose: 'One tablet by mouth an hour before sleep',
  },
  {
    problem: concept(SNOMED, '49436004', 'Atrial fibrillation'),
    allergy: concept(SNOMED, '293586001', 'Allergy to aspirin'),
    medicine: concept(RXNORM, '1364445', 'apixaban 5 MG Oral Tablet'),
    dose: 'One tablet by mouth twice a day',
  },
] as const;

const telecom = [{ system: 'phone', value: '555-0100', use: 'work' }];
const address = [
  { use: 'work', line: ['12 Harbour Road'], city: 'Springfield', state: 'MA', postalCode: '01101', country: 'US' },
];
/** An invented number with a right check digit. */
const npi = (value: string): unknown => ({ system: 'http://hl7.org/fhir/sid/us-npi', value });

/** Who works at the demo hospital, and where. */
export const buildStaff = (): Kept[] => [
  {
    resourceType: 'Organization',
    id: DEMO_HOSPITAL,
    identifier: [npi('1234567893')],
    active: true,
    name: 'Demo Hospital',
    telecom,
    address,
  },
  {
    resourceType: 'Practitioner',
    id: DEMO_CLINICIAN.id,
    identifier: [npi('1982947230')],
    active: true,
    name: [{ use: 'official', family: 'Okafor', given: ['Rosalind'], prefix: ['Dr'] }],
    telecom,
    address,
  },
  {
    resourceType: 'Location',
    id: 'demo-ward',
    status: 'active',
    name: 'Ward 1',
    telecom,
    address: address[0],
    managingOrganization: hospital,
  },
  {
    resourceType: 'Endpoint',
    id: 'demo-endpoint',
    status: 'active',
    connectionType: { system: `${HL7}/endpoint-connection-type`, code: 'direct-project' },
    payloadType: [{ text: 'Any' }],
    address: 'mailto:demo-hospital@direct.example',
  },
  {
    resourceType: 'PractitionerRole',
    id: 'demo-clinician-role',
    active: true,
    practitioner: clinician,
    organization: hospital,
    code: [concept('http://nucc.org/provider-taxonomy', '207Q00000X', 'Family Medicine Physician')],
    specialty: [
      concept(SNOMED, '419772000', 'Family practice'),
      concept('http://nucc.org/provider-taxonomy', '207Q00000X', 'Family Medicine Physician'),
    ],
    location: [{ reference: 'Location/demo-ward' }],
    telecom: [...telecom, { system: 'email', value: 'okafor@example.org' }],
    endpoint: [{ reference: 'Endpoint/demo-endpoint' }],
  },
];

/** The chart that the hospital itself keeps of a patient, so that not all that is read was written by the gateway. */
export function buildChart(n: number, patient: string): Kept[] {
  const { problem, allergy, medicine, dose } = RECORDS[(n - 1) % RECORDS.length] ?? RECORDS[0];
  const subject = { reference: `Patient/${patient}` };
  const encounter = { reference: `Encounter/demo-encounter-${n}` };
  const active = { clinicalStatus: { coding: [{ system: `${HL7}/condition-clinical`, code: 'active' }] } };
  return [
    {
      resourceType: 'Encounter',
      id: `demo-encounter-${n}`,
      status: 'finished',
      class: { system: `${HL7}/v3-ActCode`, code: 'AMB', display: 'ambulatory' },
      type: [concept(SNOMED, '185349003', 'Encounter for check up')],
      subject,
      participant: [{ individual: clinician }],
      period: { start: '2026-01-12T09:00:00Z', end: '2026-01-12T09:25:00Z' },
      serviceProvider: hospital,
    },
    {
      resourceType: 'Condition',
      id: `demo-condition-${n}`,
      ...active,
      verificationStatus: { coding: [{ system: `${HL7}/condition-ver-status`, code: 'confirmed' }] },
      category: [concept(`${HL7}/condition-category`, 'problem-list-item', 'Problem List Item')],
      code: problem,
      subject,
      encounter,
      onsetDateTime: '2024-05',
      recordedDate: '2026-01-12',
      recorder: clinician,
    },
    {
      resourceType: 'AllergyIntolerance',
      id: `demo-allergy-${n}`,
      clinicalStatus: { coding: [{ system: `${HL7}/allergyintolerance-clinical`, code: 'active' }] },
      verificationStatus: { coding: [{ system: `${HL7}/allergyintolerance-verification`, code: 'confirmed' }] },
      code: allergy,
      patient: subject,
      recordedDate: '2026-01-12',
      recorder: clinician,
    },
    { resourceType: 'Medication', id: `demo-medication-${n}`, status: 'active', code: medicine },
    {
      resourceType: 'MedicationRequest',
      id: `demo-medication-request-${n}`,
      status: 'active',
      intent: 'order',
      medicationReference: { reference: `Medication/demo-medication-${n}` },
      subject,
      encounter,
      authoredOn: '2026-01-12',
      requester: clinician,
      dosageInstruction: [{ text: dose }],
    },
    {
      resourceType: 'Immunization',
      id: `demo-immunization-${n}`,
      status: 'completed',
      vaccineCode: concept(CVX, '150', 'Influenza, injectable, quadrivalent, preservative free'),
      patient: subject,
      encounter,
      occurrenceDateTime: '2025-10-20',
      primarySource: true,
      performer: [{ actor: clinician }],
    },
    {
      resourceType: 'CareTeam',
      id: `demo-care-team-${n}`,
      status: 'active',
      name: 'Primary care',
      subject,
      participant: [
        { role: [concept(SNOMED, '446050000', 'Primary care provider')], member: clinician, onBehalfOf: hospital },
      ],
      managingOrganization: [hospital],
    },
  ];
}
