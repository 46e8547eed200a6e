import { loadValidator, type Validator } from '../r4/index.ts';
import { imposedProfiles } from '../translate/index.ts';
import type { TranslationContext } from './read-document.ts';

export interface Validators {
  /** Of what comes in: R4 and no more, since a source need not know of profiles. */
  readonly validator: Validator;
  /** Of what would go out: with the rules that EHRs have in common. */
  readonly outValidator: Validator;
  /** `validator`, and the profiles of guides that what comes in claims; null where nobody asks. */
  readonly claimValidator: Validator | null;
  /** `outValidator`, and the profiles that the dialect asks for; null where no guide is loaded. */
  readonly profileValidator: Validator | null;
}

const OUT = { profiles: ['vital-signs', 'us-core-lab'], bundles: 'closed' } as const;

/** Without guides. */
const makeShared = (): Validators => ({
  validator: loadValidator(),
  outValidator: loadValidator(OUT),
  claimValidator: null,
  profileValidator: null,
});
let shared: Validators | null = null;

/**
 * The Patient of a translation is there for references and tells the MRN alone; what the chart says of the patient is
 * not at hand. So nobody is to find it at the end of a reference and miss a name in it. A dialect that asks for a profile
 * of Patient has it judged where it stands itself.
 */
const isFollowed = ({ resourceType }: Readonly<Record<string, unknown>>): boolean => resourceType !== 'Patient';

function makeValidators({ profiles, setting: { dialect }, incomingProfiles }: TranslationContext): Validators {
  shared ??= makeShared();
  if (profiles === null) return shared;
  const imposed = (resource: Readonly<Record<string, unknown>>): readonly string[] =>
    imposedProfiles(dialect, resource);
  return {
    ...shared,
    claimValidator: incomingProfiles === 'off' ? null : loadValidator({ guides: { profiles } }),
    profileValidator: loadValidator({ ...OUT, guides: { profiles, imposed, isFollowed } }),
  };
}

const known = new WeakMap<TranslationContext, Validators>();

/** What deliveries are checked with that are read with this context. The first of a process takes a moment. */
export function validatorsOf(translationContext: TranslationContext): Validators {
  const before = known.get(translationContext);
  if (before !== undefined) return before;
  const made = makeValidators(translationContext);
  known.set(translationContext, made);
  return made;
}
