import type { Vault } from './vault.ts';

/*
 * By what a person is found again in a sealed column. One definition: a delivery and a link of the same user, a lane
 * and a link of the same patient must meet in every module.
 */

/** A user of one client is another than the user of that name of another client. */
export const userIndex = (vault: Vault, client: string, user: string): Buffer =>
  vault.index('source_user', JSON.stringify([client, user]));

/** The same number in the system of another facility is another patient. */
export const patientIndex = (vault: Vault, mrnSystem: string, mrn: string): Buffer =>
  vault.index('patient', JSON.stringify([mrnSystem, mrn]));
