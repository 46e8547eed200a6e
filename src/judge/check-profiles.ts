import type { Issue, Validator } from '../r4/index.ts';
import type { Translation } from '../translate/index.ts';
import { toBundle } from './read-document.ts';
import type { Validators } from './validators.ts';

/** What is wrong with FHIR, by whose rule. */
export interface Faults {
  readonly r4: readonly Issue[];
  /** Of the profiles and extensions of guides. */
  readonly profile: readonly Issue[];
}

export const NO_FAULTS: Faults = { r4: [], profile: [] };

const errorsOf = (validator: Validator, value: unknown): readonly Issue[] =>
  validator.validate(value).filter(({ severity }) => severity === 'error');

const placeOf = ({ rule, expression }: Issue): string => `${rule} ${expression}`;

/** `guided` finds all that `plain` finds and more: what that is comes of a guide, also where no profile is named. */
function check(value: unknown, plain: Validator, guided: Validator | null): Faults {
  if (guided === null) return { r4: errorsOf(plain, value), profile: [] };
  const all = errorsOf(guided, value);
  if (all.length === 0) return NO_FAULTS;
  const r4 = errorsOf(plain, value);
  const places = new Set(r4.map(placeOf));
  return { r4, profile: all.filter((issue) => !places.has(placeOf(issue))) };
}

/**
 * Broken in deliveries without harm: a laboratory sends results in a Bundle without fullUrl, or in a list that we make
 * one of, and the translation tells entries apart by their ids and content.
 */
const HARMLESS = new Set(['fullurl-required']);

/** Of what came in as FHIR, as far as it matters; null is none. */
export function checkIncoming(fhir: unknown, { validator, claimValidator }: Validators): Faults {
  if (fhir === null) return NO_FAULTS;
  const { r4, profile } = check(fhir, validator, claimValidator);
  return { r4: r4.filter(({ rule }) => !HARMLESS.has(rule)), profile };
}

/** Of what would go out. */
export const checkOutput = (translation: Translation, { outValidator, profileValidator }: Validators): Faults =>
  check(toBundle(translation), outValidator, profileValidator);

/**
 * Why what was made cannot be sent. What is not R4 is mended first, in the mapping data or a template; that may mend what
 * a profile misses as well.
 */
export function troubleOfOutput({ r4, profile }: Faults): 'unmapped' | 'not-profile' | null {
  if (r4.length > 0) return 'unmapped';
  return profile.length > 0 ? 'not-profile' : null;
}

/** A finding: rule, place, and whose rule it is where a profile asks for it. Nothing of a patient. */
export const findingText = ({ rule, expression, profile }: Issue): string =>
  [rule, expression, ...(profile === undefined ? [] : [profile])].join(' ');
