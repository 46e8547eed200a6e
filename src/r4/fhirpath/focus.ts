/**
 * What a guide's invariants may ask beyond HL7's own: the type of a value. JSON does not tell it; it is known where a
 * choice names it, and of the element that the invariant stands on, whose type the caller gives as `t`.
 */
export interface TypeKnowledge {
  /** The property of a choice that holds a value of the type; null where the name is no choice or has no such type. */
  readonly propertyOf: (stem: string, type: string) => string | null;
  readonly isResourceType: (name: string) => boolean;
}

/** Where an expression stands: the variable that holds the item in focus, and how its children's presence is asked. */
export interface Focus {
  readonly item: string;
  /** Null for HL7's own invariants. */
  readonly types: TypeKnowledge | null;
  readonly has: (name: string) => string | null;
  readonly depth: number;
  /** Operands inside a lambda that do not depend on its item: computed once, when first needed. */
  readonly hoisted: string[];
  /** How much may still be written: what is asked twice inside of what is asked twice grows without end. */
  readonly budget: { left: number };
}

export const WRITTEN_MAX = 20_000;

export function spend({ budget }: Focus): void {
  budget.left -= 1;
  if (budget.left < 0) throw new Error('FHIRPath: too much is asked several times');
}
