/** The parts of R4 that the app reads. Everything may be missing: an EHR is not asked to be complete. */
export interface Reference {
  readonly reference?: string;
  readonly display?: string;
}
export interface Coding {
  readonly system?: string;
  readonly code?: string;
  readonly display?: string;
}
export interface Concept {
  readonly coding?: readonly Coding[];
  readonly text?: string;
}
export interface Quantity {
  readonly value?: number;
  readonly comparator?: string;
  readonly unit?: string;
  readonly code?: string;
}
export interface RangeOfReference {
  readonly low?: Quantity;
  readonly high?: Quantity;
  readonly type?: Concept;
  readonly text?: string;
}
export interface Period {
  readonly start?: string;
  readonly end?: string;
}

export interface Valued {
  readonly code?: Concept;
  readonly valueQuantity?: Quantity;
  readonly valueInteger?: number;
  readonly valueString?: string;
  readonly valueCodeableConcept?: Concept;
  readonly dataAbsentReason?: Concept;
  readonly referenceRange?: readonly RangeOfReference[];
}
export interface Tagged {
  readonly meta?: { readonly tag?: readonly Coding[] };
}
export interface Observation extends Valued, Tagged {
  readonly resourceType: 'Observation';
  readonly id?: string;
  readonly status?: string;
  readonly category?: readonly Concept[];
  readonly effectiveDateTime?: string;
  readonly effectiveInstant?: string;
  readonly effectivePeriod?: Period;
  readonly performer?: readonly Reference[];
  readonly device?: Reference;
  readonly method?: Concept;
  readonly derivedFrom?: readonly Reference[];
  readonly interpretation?: readonly Concept[];
  readonly note?: readonly { readonly text?: string }[];
  readonly component?: readonly Valued[];
}
export interface Device {
  readonly resourceType: 'Device';
  readonly id?: string;
  readonly manufacturer?: string;
  readonly deviceName?: readonly { readonly name?: string }[];
  readonly type?: Concept;
}
export interface Provenance extends Tagged {
  readonly resourceType: 'Provenance';
  readonly id?: string;
  readonly target?: readonly Reference[];
  readonly recorded?: string;
  readonly activity?: Concept;
  readonly agent?: readonly { readonly type?: Concept; readonly who?: Reference }[];
}
export interface Identifier {
  readonly type?: Concept;
  readonly value?: string;
}
export interface Named {
  readonly resourceType: 'Organization' | 'Practitioner' | 'Patient';
  readonly id?: string;
  readonly identifier?: readonly Identifier[];
  readonly name?: string | readonly HumanName[];
  readonly birthDate?: string;
  readonly gender?: string;
}
export interface HumanName {
  readonly text?: string;
  readonly family?: string;
  readonly given?: readonly string[];
  readonly prefix?: readonly string[];
}

/** `Type/id` of a reference, whatever server or version it names. */
export const literalOf = (reference: Reference | undefined): string | null =>
  /([A-Z][A-Za-z]+\/[A-Za-z0-9.-]{1,64})(?:\/_history\/[^/]+)?$/.exec(reference?.reference ?? '')?.[1] ?? null;

/** What a concept is called, in the words that stand closest to what was measured. */
export const wordsOf = (concept: Concept | undefined): string =>
  concept?.text ??
  concept?.coding?.find(({ display }) => display !== undefined)?.display ??
  concept?.coding?.[0]?.code ??
  '';

export function nameOf({ name }: Named): string {
  if (typeof name === 'string') return name;
  const first = name?.[0];
  return (
    first?.text ??
    [...(first?.prefix ?? []), ...(first?.given ?? []), first?.family ?? ''].filter((part) => part !== '').join(' ')
  );
}
