import type { ProviderClaims } from '../factors/index.ts';
import { fail, ok, type Result } from '../kernel/index.ts';
import { parseFhirUser } from './parse-fhir-user.ts';
import type { PractitionerDirectory } from './practitioners.ts';

/** How it is found out which practitioner a person of the provider is. */
export type PractitionerMapping =
  /** A claim says it: `Practitioner/1`. */
  | { readonly by: 'reference'; readonly claim: string }
  /** A claim holds an identifier, such as an NPI, that the practitioner has at the EHR. */
  | { readonly by: 'identifier'; readonly claim: string; readonly system: string }
  /** An operator says it of each person, before they come. */
  | { readonly by: 'account' };

/** Why somebody for whom the provider vouches does not come in. */
export type MappingRefusal = 'no-practitioner' | 'not-one-practitioner' | 'ehr-away';

const VALUE = /^[^\p{Cc}\p{Cs}\s|]{1,100}$/u;

/** `value`, or `system|value` of that very system. */
function identifierOf(claim: unknown, system: string): string | null {
  if (typeof claim !== 'string') return null;
  const value = claim.startsWith(`${system}|`) ? claim.slice(system.length + 1) : claim;
  return VALUE.test(value) ? value : null;
}

/** The reference of the practitioner; null where only an operator says it. */
export async function mapPractitioner(
  claims: ProviderClaims,
  mapping: PractitionerMapping,
  at: {
    /** Below which a reference may stand: that of the EHR and ours. */
    readonly bases: readonly string[];
    readonly practitioners: PractitionerDirectory;
    readonly requestId: string;
  },
): Promise<Result<string | null, MappingRefusal>> {
  if (mapping.by === 'account') return ok(null);
  if (mapping.by === 'reference') {
    const user = parseFhirUser(claims[mapping.claim], at.bases);
    return user.kind === 'clinician' ? ok(user.reference) : fail('no-practitioner');
  }
  const value = identifierOf(claims[mapping.claim], mapping.system);
  if (value === null) return fail('no-practitioner');
  const found = await at.practitioners.byIdentifier({ system: mapping.system, value }, at.requestId);
  if (!found.ok) return fail('ehr-away');
  return found.value.kind === 'one' ? ok(found.value.reference) : fail('not-one-practitioner');
}
