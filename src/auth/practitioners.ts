import type { Result } from '../kernel/index.ts';

/** The practitioners of the EHR, for whom a person at the hospital's sign-in may turn out to be. */
export interface PractitionerDirectory {
  /** Who has this identifier and is not inactive. Somebody else's whom the EHR sends along counts for nothing. */
  byIdentifier(
    identifier: { readonly system: string; readonly value: string },
    requestId: string,
  ): Promise<Result<{ readonly kind: 'one'; readonly reference: string } | { readonly kind: 'none' | 'several' }>>;
}
