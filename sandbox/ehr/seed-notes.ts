import { clinician, concept, hospital, LOINC, SEEN_AT, US_CORE, type Kept } from './seed-chart.ts';

/** The types of notes that US Core names, and the categories of reports that are notes. */
const NOTES = [
  ['11488-4', 'Consult note'],
  ['18842-5', 'Discharge summary'],
  ['34117-2', 'History and physical note'],
  ['28570-0', 'Procedure note'],
  ['11506-3', 'Progress note'],
  ['18748-4', 'Diagnostic imaging study'],
  ['11502-2', 'Laboratory report'],
  ['11526-1', 'Pathology study'],
  ['11524-6', 'EKG study'],
] as const;
const REPORTS = [
  ['LP29708-2', 'Cardiology', '11524-6', 'EKG study'],
  ['LP7839-6', 'Pathology', '11526-1', 'Pathology study'],
  ['LP29684-5', 'Radiology', '18748-4', 'Diagnostic imaging study'],
] as const;

const NOTE = { contentType: 'text/plain', data: Buffer.from('An invented note.').toString('base64') };
const noteId = (code: string): string => `demo-note-${code}`;

/** An attachment that a note and a report share: in itself, and where it can be fetched. */
const noteOf = (code: string): Record<string, unknown> => ({ ...NOTE, url: `Binary/${noteId(code)}` });

/** Clinical notes, and the reports that tell the same. */
export const buildNotes = (subject: unknown, encounter: unknown): Kept[] => [
  ...NOTES.map(([code]): Kept => ({ resourceType: 'Binary', id: noteId(code), securityContext: subject, ...NOTE })),
  ...NOTES.map(([code, display]): Kept => ({
    resourceType: 'DocumentReference',
    id: noteId(code),
    identifier: [{ system: 'urn:example:chartgate:note', value: code }],
    status: 'current',
    type: concept(LOINC, code, display),
    category: [concept(`${US_CORE}/CodeSystem/us-core-documentreference-category`, 'clinical-note', 'Clinical Note')],
    subject,
    date: SEEN_AT,
    author: [clinician],
    custodian: hospital,
    content: [
      {
        attachment: noteOf(code),
        format: {
          system: 'http://ihe.net/fhir/ValueSet/IHE.FormatCode.codesystem',
          code: 'urn:ihe:iti:xds:2017:mimeTypeSufficient',
        },
      },
    ],
    context: { encounter: [encounter], period: { start: '2025-11-03T08:00:00Z', end: '2025-11-05T12:00:00Z' } },
  })),
  ...REPORTS.map(([category, name, code, display]): Kept => ({
    resourceType: 'DiagnosticReport',
    id: `demo-report-${category}`,
    status: 'final',
    category: [concept(LOINC, category, name)],
    code: concept(LOINC, code, display),
    subject,
    encounter,
    effectiveDateTime: SEEN_AT,
    issued: SEEN_AT,
    performer: [clinician],
    resultsInterpreter: [clinician],
    result: [{ reference: 'Observation/demo-chest-image' }],
    media: [{ link: { reference: 'Media/demo-media' } }],
    presentedForm: [noteOf(code)],
  })),
];
