import { clinician, concept, HL7, hospital, LOINC, R4, SEEN_AT, SNOMED, US_CORE, type Kept } from './seed-chart.ts';
import { buildCare } from './seed-care.ts';
import { buildNotes } from './seed-notes.ts';
import { buildObservations } from './seed-observations.ts';

const RACE_AND_ETHNICITY = 'urn:oid:2.16.840.1.113883.6.238';
const role = { reference: 'PractitionerRole/demo-clinician-role' };
const ward = { reference: 'Location/demo-ward' };

const ombExtension = (name: string, code: string, display: string, text: string): unknown => ({
  url: `${US_CORE}/StructureDefinition/us-core-${name}`,
  extension: [
    { url: 'ombCategory', valueCoding: { system: RACE_AND_ETHNICITY, code, display } },
    { url: 'text', valueString: text },
  ],
});

/** What US Core wants to know of a patient beyond what every patient of the demonstration has. */
export const buildDemographics = (family: string, given: string): Record<string, unknown> => ({
  extension: [
    ombExtension('race', '2106-3', 'White', 'White'),
    ombExtension('ethnicity', '2186-5', 'Not Hispanic or Latino', 'Not Hispanic or Latino'),
    {
      url: `${US_CORE}/StructureDefinition/us-core-tribal-affiliation`,
      extension: [
        {
          url: 'tribalAffiliation',
          valueCodeableConcept: concept(`${HL7}/v3-TribalEntityUS`, '187', 'Paiute-Shoshone'),
        },
      ],
    },
    { url: `${US_CORE}/StructureDefinition/us-core-birthsex`, valueCode: 'F' },
    { url: `${US_CORE}/StructureDefinition/us-core-sex`, valueCode: '248152002' },
  ],
  name: [
    { use: 'official', family, given: [given], suffix: ['PhD'] },
    { use: 'old', family: 'Brandt', given: [given], period: { end: '1990-06-01' } },
  ],
  telecom: [
    { system: 'phone', value: '555-0101', use: 'home' },
    { system: 'email', value: 'ada@example.org' },
  ],
  address: [
    { use: 'home', line: ['1 Harbour Road'], city: 'Springfield', state: 'MA', postalCode: '01101', country: 'US' },
    {
      use: 'old',
      line: ['7 Mill Lane'],
      city: 'Salem',
      state: 'MA',
      postalCode: '01970',
      period: { end: '1999-04-30' },
    },
  ],
  communication: [{ language: concept('urn:ietf:bcp:47', 'en-US', 'English (United States)') }],
});

/** Who put all of it in, as an import of a patient tells it: one Provenance with many targets. */
const buildProvenance = (target: readonly unknown[]): Kept => ({
  resourceType: 'Provenance',
  id: 'demo-provenance',
  target,
  recorded: SEEN_AT,
  agent: [
    {
      type: concept(`${HL7}/provenance-participant-type`, 'author', 'Author'),
      who: clinician,
      onBehalfOf: hospital,
    },
    {
      type: concept(`${US_CORE}/CodeSystem/us-core-provenance-participant-type`, 'transmitter', 'Transmitter'),
      who: clinician,
      onBehalfOf: hospital,
    },
  ],
});

/**
 * A chart with something of each profile of US Core, of one grown patient, so that an app has each kind to look at.
 */
export function buildUsCoreChart(patient: string): Kept[] {
  const subject = { reference: `Patient/${patient}` };
  const encounter = { reference: 'Encounter/demo-stay' };
  const chart: Kept[] = [
    {
      resourceType: 'Encounter',
      id: 'demo-stay',
      identifier: [{ system: 'urn:example:chartgate:stay', value: 'S-1001' }],
      status: 'finished',
      class: { system: `${HL7}/v3-ActCode`, code: 'IMP', display: 'inpatient encounter' },
      type: [concept(SNOMED, '32485007', 'Hospital admission')],
      subject,
      participant: [
        {
          type: [concept(`${HL7}/v3-ParticipationType`, 'PPRF', 'primary performer')],
          period: { start: '2025-11-03T08:00:00Z', end: '2025-11-05T12:00:00Z' },
          individual: clinician,
        },
      ],
      period: { start: '2025-11-03T08:00:00Z', end: '2025-11-05T12:00:00Z' },
      reasonCode: [concept(SNOMED, '38341003', 'Hypertensive disorder')],
      reasonReference: [{ reference: 'Condition/demo-diagnosis' }],
      hospitalization: { dischargeDisposition: concept(`${HL7}/discharge-disposition`, 'home', 'Home') },
      location: [{ location: ward }],
      serviceProvider: hospital,
    },
    {
      resourceType: 'Condition',
      id: 'demo-diagnosis',
      extension: [{ url: `${R4}/StructureDefinition/condition-assertedDate`, valueDateTime: '2025-11-03' }],
      clinicalStatus: concept(`${HL7}/condition-clinical`, 'resolved', 'Resolved'),
      verificationStatus: concept(`${HL7}/condition-ver-status`, 'confirmed', 'Confirmed'),
      category: [concept(`${HL7}/condition-category`, 'encounter-diagnosis', 'Encounter Diagnosis')],
      code: concept(SNOMED, '371125006', 'Labile essential hypertension'),
      subject,
      encounter,
      onsetDateTime: '2025-11-02',
      abatementDateTime: '2025-11-05',
      recordedDate: '2025-11-03',
      recorder: clinician,
      asserter: clinician,
    },
    {
      resourceType: 'Condition',
      id: 'demo-health-concern',
      extension: [{ url: `${R4}/StructureDefinition/condition-assertedDate`, valueDateTime: '2025-11-03' }],
      clinicalStatus: concept(`${HL7}/condition-clinical`, 'resolved', 'Resolved'),
      verificationStatus: concept(`${HL7}/condition-ver-status`, 'confirmed', 'Confirmed'),
      category: [
        concept(`${US_CORE}/CodeSystem/condition-category`, 'health-concern', 'Health Concern'),
        concept(`${US_CORE}/CodeSystem/us-core-category`, 'sdoh', 'SDOH'),
      ],
      code: concept(SNOMED, '713458007', 'Lack of access to transportation'),
      subject,
      encounter,
      onsetDateTime: '2025-09-01',
      abatementDateTime: '2026-01-10',
      recordedDate: '2025-11-03',
      recorder: clinician,
    },
    {
      resourceType: 'AllergyIntolerance',
      id: 'demo-allergy-with-reaction',
      clinicalStatus: concept(`${HL7}/allergyintolerance-clinical`, 'active', 'Active'),
      verificationStatus: concept(`${HL7}/allergyintolerance-verification`, 'confirmed', 'Confirmed'),
      code: concept(SNOMED, '300916003', 'Allergy to latex'),
      patient: subject,
      recordedDate: '2025-11-03',
      recorder: clinician,
      reaction: [{ manifestation: [concept(SNOMED, '247472004', 'Weal')] }],
    },
    {
      resourceType: 'Device',
      id: 'demo-pacemaker',
      udiCarrier: [
        { deviceIdentifier: '09504000059118', carrierHRF: '(01)09504000059118(17)301120(10)7654321D(21)1000' },
      ],
      status: 'active',
      distinctIdentifier: 'A99971312345600',
      manufactureDate: '2024-05-01',
      expirationDate: '2030-11-20',
      lotNumber: '7654321D',
      serialNumber: '1000',
      type: concept(SNOMED, '14106009', 'Cardiac pacemaker'),
      patient: subject,
    },
    {
      resourceType: 'RelatedPerson',
      id: 'demo-daughter',
      active: true,
      patient: subject,
      relationship: [concept(`${HL7}/v3-RoleCode`, 'DAU', 'natural daughter')],
      name: [{ family: 'Lindqvist', given: ['Freja'] }],
      telecom: [{ system: 'phone', value: '555-0102' }],
      address: [{ line: ['1 Harbour Road'], city: 'Springfield', state: 'MA', postalCode: '01101' }],
    },
    {
      resourceType: 'CareTeam',
      id: 'demo-care-team-at-home',
      status: 'active',
      name: 'At home',
      subject,
      participant: [
        { role: [concept(SNOMED, '133932002', 'Caregiver')], member: { reference: 'RelatedPerson/demo-daughter' } },
        { role: [concept(SNOMED, '446050000', 'Primary care provider')], member: role },
        { role: [concept(SNOMED, '116154003', 'Patient')], member: subject },
        { role: [concept(SNOMED, '22232009', 'Hospital')], member: hospital },
      ],
    },
    {
      resourceType: 'Specimen',
      id: 'demo-specimen',
      identifier: [{ system: 'urn:example:chartgate:specimen', value: 'B-1' }],
      accessionIdentifier: { system: 'urn:example:chartgate:accession', value: 'A-1' },
      type: concept(SNOMED, '119297000', 'Blood specimen'),
      subject,
      collection: { collectedDateTime: SEEN_AT, bodySite: concept(SNOMED, '368208006', 'Left upper arm') },
      condition: [concept(`${HL7}/v2-0493`, 'COOL', 'Cool')],
    },
    {
      resourceType: 'QuestionnaireResponse',
      id: 'demo-questionnaire-response',
      identifier: { system: 'urn:example:chartgate:screening', value: 'Q-1' },
      questionnaire: `${US_CORE}/Questionnaire/prapare-example`,
      status: 'completed',
      subject,
      encounter,
      authored: SEEN_AT,
      author: clinician,
      item: [
        { linkId: '1', text: 'Can you get where you need to go?', answer: [{ valueString: 'By bus' }] },
        {
          linkId: '2',
          text: 'Work',
          item: [
            {
              linkId: '2.1',
              text: 'Hours in a week',
              answer: [
                {
                  valueDecimal: 20,
                  item: [{ linkId: '2.1.1', answer: [{ valueCoding: { system: LOINC, code: 'LA33-6' } }] }],
                },
              ],
            },
          ],
        },
        { linkId: '3', text: 'Do you smoke?', answer: [{ valueCoding: { system: LOINC, code: 'LA32-8' } }] },
      ],
    },
    {
      resourceType: 'Media',
      id: 'demo-media',
      status: 'completed',
      subject,
      createdDateTime: '2025-11-03T09:00:00Z',
      content: { contentType: 'image/png', title: 'Electrocardiogram' },
    },
    ...buildCare(subject, encounter),
    ...buildObservations(subject, encounter),
    ...buildNotes(subject, encounter),
  ];
  return [
    ...chart,
    buildProvenance([subject, ...chart.map(({ resourceType, id }) => ({ reference: `${resourceType}/${id}` }))]),
  ];
}
