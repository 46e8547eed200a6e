/** Why a delivery waits for a person, in a few words. */
const WORDS: Readonly<Record<string, string>> = {
  unlinked: 'Nobody has linked the user to a patient',
  'not-ready': 'The source has not finished the document',
  unmapped: 'A code or unit that nobody has mapped',
  'not-profile': 'It does not meet a profile',
  implausible: 'A value that cannot be true',
  patient: 'The EHR does not name one patient for the MRN',
  conflict: 'Somebody changed the same record at the EHR',
  ambiguous: 'The EHR has several records where one was expected',
  rejected: 'The EHR refused what was written',
  exhausted: 'Tried many times, and never with success',
  suspicious: 'It would withdraw unusually much from the chart',
  identity: 'The document may be of another person',
  'not-json': 'What came is not JSON',
  shape: 'What came is not as its structure says',
  'not-r4': 'What came is not valid FHIR R4',
  'foreign-client': 'It is of another client of the source',
  'version-conflict': 'Two documents of one version differ',
  erased: 'It is of a user who was erased',
  failed: 'The gateway itself failed over it',
};

export const problemWords = (reason: string | null): string => WORDS[reason ?? ''] ?? reason ?? 'No reason was given';
