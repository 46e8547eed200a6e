/** What the bench of exports and its EHR both know. */
export const PAGE = 200;
export const MRN_SYSTEM = 'urn:example:mrn';
export const patientName = (n: number): string => `p-${String(n).padStart(6, '0')}`;
