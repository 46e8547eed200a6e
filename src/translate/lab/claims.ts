import type { AnyResource } from '../../payloads/index.ts';
import { listOf, textOf } from '../parts.ts';
import { readEntries } from './read-entries.ts';

/** Who a laboratory result says that it is of. Each null where it does not say. */
export interface IdentityClaims {
  /** As FHIR writes a date: a year, a month or a day. */
  readonly birthDate: string | null;
  readonly gender: string | null;
  readonly names: readonly { readonly family: string | null; readonly given: readonly string[] }[];
}

export const claimsIn = (patient: AnyResource): IdentityClaims => ({
  birthDate: textOf(patient['birthDate']),
  gender: textOf(patient['gender']),
  names: listOf(patient['name'])
    .map(({ family, given }) => ({
      family: textOf(family),
      given: Array.isArray(given) ? given.filter((one): one is string => typeof one === 'string') : [],
    }))
    .filter(({ family, given }) => family !== null || given.length > 0),
});

/** Null where the result says nothing of its patient but an id. */
export function claimsOf(root: AnyResource): IdentityClaims | null {
  const patient = readEntries(root).find(({ resource }) => resource.resourceType === 'Patient')?.resource;
  const claims = patient === undefined ? null : claimsIn(patient);
  if (claims === null || (claims.birthDate === null && claims.gender === null && claims.names.length === 0))
    return null;
  return claims;
}
