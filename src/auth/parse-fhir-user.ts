/** Whom a token is about, as its claim says. `unknown`: it says nothing, or nothing that is exactly one reference. */
export type FhirUser =
  | { readonly kind: 'clinician' | 'other'; readonly reference: string }
  | { readonly kind: 'unknown'; readonly why: 'no-user' | 'not-a-reference' };

const REFERENCE = /^(?:Practitioner|PractitionerRole|Patient|RelatedPerson|Person)\/(?!\.+$)[A-Za-z0-9\-.]{1,64}$/;
const CLINICIAN = /^Practitioner(?:Role)?\//;

/**
 * Reads `Practitioner/1`, or that below one of these bases. A version, a query, a slash at the end and an address
 * elsewhere are no reference: what is not understood must not look like a clinician.
 */
export function parseFhirUser(claim: unknown, bases: readonly string[]): FhirUser {
  if (claim === undefined || claim === null || claim === '') return { kind: 'unknown', why: 'no-user' };
  if (typeof claim !== 'string') return { kind: 'unknown', why: 'not-a-reference' };
  const base = bases.find((one) => claim.startsWith(`${one}/`));
  const reference = base === undefined ? claim : claim.slice(base.length + 1);
  if (!REFERENCE.test(reference)) return { kind: 'unknown', why: 'not-a-reference' };
  return { kind: CLINICIAN.test(reference) ? 'clinician' : 'other', reference };
}
