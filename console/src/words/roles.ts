/** What each role is for, and what it may not. */
export const ROLES = [
  ['viewer', 'Viewer', 'sees counts, rates and states; nothing of a patient'],
  [
    'engineer',
    'Engineer',
    'reads deliveries, replays and discards them, loads mapping data, pauses the EHR; sees raw bodies after a second proof',
  ],
  [
    'clinical-reviewer',
    'Clinical reviewer',
    'decides on suspicious plans and conflicts, signs off mapping data; changes no delivery otherwise',
  ],
  ['registrar', 'Registrar', 'links source users to patients and enrols patients'],
  ['auditor', 'Auditor', 'reads, verifies and exports the audit; nothing else'],
  [
    'administrator',
    'Administrator',
    'manages operators, API keys, apps and clinicians, and erases patients; reads no delivery and no audit',
  ],
] as const;
export type Role = (typeof ROLES)[number][0];

export const roleName = (role: string): string => ROLES.find(([one]) => one === role)?.[1] ?? role;
export const roleWords = (role: string): string => ROLES.find(([one]) => one === role)?.[2] ?? '';

/** What a machine's key may only by name: of a person it asks for a second proof. */
export const BY_NAME = [
  ['deliveries.raw', 'Raw bodies', 'the bytes of a delivery as they were received'],
  ['audit.export', 'Export of the audit', 'records with their proofs, also what was sealed'],
] as const;
export type ByName = (typeof BY_NAME)[number][0];
