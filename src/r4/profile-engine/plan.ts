import type { Json } from '../runtime/context.ts';
import type { Property } from './read-items.ts';

/** What stands at a place of a resource: a value, the `_field` beside it, and the FHIR type as far as it is known. */
export interface Item {
  readonly value: unknown;
  readonly element: unknown;
  readonly type: string;
}

/** What a profile asks of one element of its parent, beyond R4. */
export interface ElementPlan {
  /** As FHIRPath says it: `value`, whatever its type. */
  readonly name: string;
  /** The properties in which it may stand: one, or as many as a choice has types. */
  readonly properties: readonly Property[];
  readonly min: number;
  readonly max: number;
  /** Of a choice, the types that are left; null where all are. */
  readonly types: ReadonlySet<string> | null;
  readonly item: ItemPlan;
  readonly slicing: SlicingPlan | null;
}

/** What a profile asks of each occurrence of an element. */
export interface ItemPlan {
  readonly isTrivial: boolean;
  readonly fixed: { readonly value: unknown } | null;
  readonly pattern: { readonly value: unknown } | null;
  readonly bindings: readonly BindingPlan[];
  readonly invariants: readonly InvariantPlan[];
  readonly lengthMax: number;
  readonly least: { readonly value: unknown } | null;
  readonly most: { readonly value: unknown } | null;
  /** By type of the value; one of them must be met. */
  readonly profiles: ReadonlyMap<string, readonly string[]> | null;
  /** Where a resource stands, the types that are allowed. */
  readonly resourceTypes: ReadonlySet<string> | null;
  readonly reference: ReferencePlan | null;
  readonly children: readonly ElementPlan[];
  /** What a content reference leads to, found when it is first needed. */
  readonly contentReference: (() => ItemPlan | null) | null;
}

export interface BindingPlan {
  readonly valueSet: string;
  readonly has: (system: string | undefined, code: string) => boolean;
  readonly hasCode: (code: string) => boolean;
}

/** Keeps its own words: they are the guide's. */
export interface InvariantPlan {
  readonly key: string;
  readonly isWarning: boolean;
  readonly human: string;
  readonly test: InvariantTest;
}
/** `element`: what stands beside a primitive. */
export type InvariantTest = (value: unknown, visit: Visit, type: string, element: unknown) => boolean;

export interface ReferencePlan {
  /** The types that a reference may lead to; null for any. */
  readonly types: ReadonlySet<string> | null;
  /** One of them must be met by what the reference leads to, where that is at hand. Empty: any will do. */
  readonly profiles: readonly string[];
}

export interface SlicingPlan {
  readonly isOrdered: boolean;
  readonly rules: 'open' | 'closed' | 'openAtEnd';
  readonly slices: readonly SlicePlan[];
}

export interface SlicePlan {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly matches: (item: Item, visit: Visit) => boolean;
  readonly item: ItemPlan;
  readonly slicing: SlicingPlan | null;
}

export interface ExtensionContext {
  readonly type: string;
  readonly expression: string;
  /** Of a context that FHIRPath finds: whether a value is at one of its places. */
  readonly isPlace: InvariantTest | null;
}

export interface ProfilePlan {
  readonly url: string;
  readonly version: string | null;
  readonly name: string;
  readonly type: string;
  readonly isExtension: boolean;
  /** Of an extension: whether it changes the meaning of what it stands on. */
  readonly isModifier: boolean;
  readonly contexts: readonly ExtensionContext[];
  readonly contextInvariants: readonly InvariantPlan[];
  readonly item: ItemPlan;
  readonly mustSupport: readonly string[];
}

/** Where a check is: the resource in hand, what surrounds it, and where findings go. */
export interface Visit {
  readonly resource: Json;
  readonly root: Json;
  /** The Bundle around it, or itself. */
  readonly bundle: Json | null;
  readonly lookups: ProfileLookups;
  readonly isFollowed: ((resource: Json) => boolean) | undefined;
  /** How many profiles were entered to come here. */
  readonly depth: number;
  /** Counts what is looked at; throws where that is too much. */
  readonly step: (count: number) => void;
  /** Null: only the answer is wanted. */
  readonly report: ((finding: ProfileFinding) => void) | null;
  readonly conformance: Conformance;
}

/** What was found out about values, by profile. */
export interface Conformance {
  readonly of: Map<unknown, Map<string, boolean | 'under-way'>>;
  /** How often something had to be assumed. */
  assumed: number;
}

export interface ProfileLookups {
  /** What a reference leads to within the Bundle or among what is contained; undefined where that is elsewhere. */
  readonly resolve: (reference: string, visit: Visit) => Json | undefined;
  /** The type that a reference leads to: of what it leads to, else by its text or what it says of itself. */
  readonly typeOfReference: (reference: unknown, visit: Visit) => string | undefined;
  /** Whether a value meets a profile. Nothing is reported. */
  readonly conforms: (value: unknown, type: string, profile: string, visit: Visit) => boolean;
  /** The same, with all that is found reported under the path. */
  readonly check: (value: unknown, type: string, profile: string, visit: Visit, path: string) => boolean;
  readonly memberOf: (value: unknown, valueSet: string) => boolean | undefined;
}

export interface ProfileFinding {
  readonly rule: string;
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly path: string;
  readonly text: string;
}
