import { EHR } from './page-twins.ts';

type Pick = (below: number) => number;

export const PATIENT = 'p-1';
export const SEED_TYPES = [
  'Observation',
  'DiagnosticReport',
  'Condition',
  'MedicationRequest',
  'Encounter',
  'AllergyIntolerance',
] as const;
export type SeedType = (typeof SEED_TYPES)[number];

const DIV =
  '<div xmlns="http://www.w3.org/1999/xhtml"><b>Größe</b> 70.10 kg<br/><span class="x">☃ 𝄞 {"a": 1}</span></div>';

/** A number as it shall be written, which JSON.stringify would write otherwise. */
const RAW = /"raw:([^"]*)"/g;
const raw = (digits: string): string => `raw:${digits}`;

const codeOf = (system: string, code: string, text: string): object => ({
  coding: [{ system, code, display: text }],
  text,
});

function bodyOf(type: SeedType, n: number, pick: Pick): object {
  const at = `2026-11-${String((n % 28) + 1).padStart(2, '0')}T08:00:00.000+01:00`;
  switch (type) {
    case 'Observation':
      return {
        status: 'final',
        category: [codeOf('http://terminology.hl7.org/CodeSystem/observation-category', 'vital-signs', 'Vital signs')],
        code: codeOf('http://loinc.org', '8867-4', 'Heart rate'),
        subject: { reference: `Patient/${PATIENT}`, display: 'Örtlich, Ä.' },
        effectiveDateTime: at,
        device: { reference: 'Device/d-1' },
        performer: [{ reference: 'Practitioner/7' }, { reference: 'Organization/1/_history/2' }],
        valueQuantity: {
          value: [60.5 + n, raw('70.10'), raw('1e3'), raw('-0'), raw('0.000000001'), raw('12345678901234567890')][
            pick(6)
          ],
          unit: '/min',
          system: 'http://unitsofmeasure.org',
          code: '/min',
        },
      };
    case 'DiagnosticReport':
      return {
        status: 'final',
        code: codeOf('http://loinc.org', '58410-2', 'CBC panel'),
        subject: { reference: `Patient/${PATIENT}` },
        issued: at,
        result: [{ reference: `Observation/o-${n}` }, { reference: 'Observation/x' }],
        presentedForm: [{ contentType: 'application/pdf', url: `Binary/${n}`, size: 120 }],
      };
    case 'Condition':
      return {
        clinicalStatus: codeOf('http://terminology.hl7.org/CodeSystem/condition-clinical', 'active', 'Active'),
        code: codeOf('http://snomed.info/sct', '38341003', 'Hypertension \u2028 "essential" \\ tab\t'),
        subject: { reference: `Patient/${PATIENT}` },
        encounter: { reference: 'Encounter/e-1' },
        note: [{ text: `see ${EHR}/Condition/9 and https://ehr.example.org/x` }],
      };
    case 'MedicationRequest':
      return {
        status: 'active',
        intent: 'order',
        medicationCodeableConcept: codeOf('http://www.nlm.nih.gov/research/umls/rxnorm', '197361', 'Amlodipine 5 MG'),
        subject: { reference: `Patient/${PATIENT}`, type: 'Patient', identifier: { system: EHR, value: '1' } },
        authoredOn: at,
        dosageInstruction: [{ sequence: 1, doseAndRate: [{ doseQuantity: { value: raw('5.0'), unit: 'mg' } }] }],
      };
    case 'Encounter':
      return {
        status: 'finished',
        class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
        subject: { reference: `Patient/${PATIENT}` },
        period: { start: at, end: at },
        participant: [{ individual: { reference: 'Practitioner/7', display: null } }],
        extension: [
          { url: `${EHR}/StructureDefinition/x`, valueString: 'é' },
          { url: 'urn:oid:1.2.3', valueInteger: 1 },
        ],
      };
    case 'AllergyIntolerance':
      return {
        type: 'allergy',
        code: codeOf('http://snomed.info/sct', '91936005', 'Penicillin'),
        patient: { reference: `Patient/${PATIENT}` },
        subject: { reference: 'Patient/not-looked-at' },
        recordedDate: at,
      };
  }
}

/** A page as HAPI or the demo EHR writes one: spread over lines with narratives, or without a blank. */
export function seedPage(type: SeedType, entries: number, style: 'lines' | 'dense', pick: Pick): string {
  const resources = Array.from({ length: entries }, (_, n) => ({
    resourceType: type,
    id: `${type.slice(0, 1).toLowerCase()}-${n}`,
    meta: {
      versionId: String(1 + pick(3)),
      lastUpdated: '2026-11-14T08:00:00.000+00:00',
      ...(style === 'lines' ? { source: '#Xq1aZ09bcDef' } : {}),
      security: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality', code: 'R' }],
    },
    ...(style === 'lines' ? { text: { status: 'generated', div: DIV } } : {}),
    identifier: [{ system: 'urn:chartgate:measurement', value: `m-${String(n).padStart(20, '0')}` }],
    ...bodyOf(type, n, pick),
  }));
  const page = {
    resourceType: 'Bundle',
    id: 'b-1',
    meta: { lastUpdated: '2026-11-14T08:00:00.000+00:00' },
    type: 'searchset',
    total: entries,
    link: [
      { relation: 'self', url: `${EHR}/${type}?patient=${PATIENT}` },
      ...(pick(3) === 0 ? [{ relation: 'next', url: `${EHR}?_getpages=1&_offset=${entries}` }] : []),
    ],
    ...(entries === 0
      ? {}
      : {
          entry: resources.map((resource) => ({
            fullUrl: `${EHR}/${type}/${resource.id}`,
            resource,
            ...(pick(8) === 0 ? {} : { search: { mode: 'match' } }),
          })),
        }),
  };
  return JSON.stringify(page, null, style === 'lines' ? 2 : 0).replace(RAW, '$1');
}
