import type { Structure } from '../definitions/read-structures.ts';

/**
 * Invariants that are functions of our own: hot, not expressible in FHIRPath, or in need of what surrounds the
 * resource.
 */
export const NATIVE_INVARIANTS: ReadonlySet<string> = new Set(
  'ref-1 per-1 ctm-1 txt-1 txt-2 bdl-1 bdl-2 bdl-3 bdl-4 bdl-5 bdl-7 bdl-8 bdl-9 bdl-10 bdl-11 bdl-12'.split(' '),
);

export interface NativeRule {
  /** Elements that must all be there for the rule to say anything: most of the time their bits spare the call. */
  readonly when: readonly string[];
  /** A JavaScript expression that files its own findings; `p` is the path. */
  readonly call: string;
}

const unit: NativeRule = { when: ['system'], call: 'checkUnit(o.system,o.code,c,p)' };
const contained: NativeRule = { when: ['contained'], call: 'checkContained(o,c,p)' };

/** Rules at the end of a structure's function. */
const RULES_OF: Readonly<Record<string, NativeRule>> = {
  Period: { when: ['start', 'end'], call: 'checkPeriod(o.start,o.end,c,p)' },
  Attachment: { when: ['data'], call: 'checkAttachment(o.data,o.size,o.hash,c,p)' },
  Identifier: { when: ['system'], call: 'checkIdentifier(o.system,o.value,c,p)' },
  Coding: { when: ['system', 'code'], call: 'checkCoding(o.system,o.code,c,p)' },
  Quantity: unit,
  SimpleQuantity: unit,
  Age: unit,
  Count: unit,
  Distance: unit,
  Duration: unit,
  'CareTeam.participant': { when: ['onBehalfOf', 'member'], call: 'checkOnBehalfOf(o,c,p)' },
  Bundle: { when: [], call: 'checkBundle(o,c,p)' },
  Questionnaire: { when: ['item'], call: 'checkQuestionnaire(o,c,p)' },
};

export function nativeRulesOf({ name, isDomain }: Structure): readonly NativeRule[] {
  const own = RULES_OF[name];
  return [...(isDomain ? [contained] : []), ...(own === undefined ? [] : [own])];
}

/** Rules on one primitive value, `v`. */
export const VALUE_RULES: Readonly<Record<string, string>> = {
  'Coding.system': 'checkCodingSystem(v,c,p)',
  'Narrative.div': 'checkNarrative(v,c,p)',
};

/** ele-1, ext-1 and dom-* hold for all elements and resources, so the table does not repeat them. ext-1 is this one. */
export const EXTENSION_RULE = 'extension.exists() xor value.exists()';
