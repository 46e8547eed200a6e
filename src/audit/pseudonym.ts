import { patientIndex, type Vault } from '../store/index.ts';

/*
 * Names that stand for a person in the audit. Each is of a kind of its own, so that who has the audit alone cannot look
 * for them in the rest of the store, nor the other way round; and each has one definition, so that all records of one
 * person meet.
 */

/** By the index under which the rest of the store finds the patient. */
export const patientPseudonym = (vault: Vault, index: Uint8Array): string =>
  vault.index('audit_patient', Buffer.from(index).toString('hex')).toString('hex');

export const mrnPseudonym = (vault: Vault, system: string, mrn: string): string =>
  patientPseudonym(vault, patientIndex(vault, system, mrn));

/** By the EHR's own id of the Patient, which is all that a reading app knows. */
export const chartPseudonym = (vault: Vault, id: string): string => vault.index('audit_chart', id).toString('hex');

export const resourcePseudonym = (vault: Vault, id: string): string =>
  vault.index('audit_resource', id).toString('hex');

export const subjectPseudonym = (vault: Vault, subject: string): string =>
  vault.index('audit_subject', subject).toString('hex');
