import type { CodeSystem, CodeSystemConcept } from '@medplum/fhirtypes';
import type { Hl7System } from '../definitions/hl7-terminology.ts';

/** A code system made ready for questions. Codes of a system that ignores case are in lower case throughout. */
export interface SystemIndex {
  /** `complete`, or why it cannot say which codes it does not have. */
  readonly content: string;
  readonly codes: ReadonlySet<string>;
  /** Codes that only group others: members of the system, not of sets that are made from it. */
  readonly abstract: ReadonlySet<string>;
  readonly fold: (code: string) => string;
  readonly isFolded: boolean;
  readonly parents: ReadonlyMap<string, readonly string[]>;
  readonly children: () => ReadonlyMap<string, readonly string[]>;
  /** The values that a code has for a property; undefined where the system does not have the property. */
  readonly valuesOf: (property: string) => ReadonlyMap<string, readonly string[]> | undefined;
}

const asIs = (code: string): string => code;
const lower = (code: string): string => code.toLowerCase();

function invert(parents: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>();
  for (const [code, above] of parents)
    for (const parent of above) {
      const known = children.get(parent);
      if (known === undefined) children.set(parent, [code]);
      else known.push(code);
    }
  return children;
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

const PARENT_PROPERTIES = new Set(['parent', 'subsumedBy']);
const ABSTRACT_PROPERTIES = new Set(['notSelectable', 'abstract']);

type Property = NonNullable<CodeSystemConcept['property']>[number];

function valueOf(property: Property): string | undefined {
  const { valueCode, valueString, valueBoolean, valueInteger, valueDecimal, valueDateTime, valueCoding } = property;
  const value = valueCode ?? valueString ?? valueBoolean ?? valueInteger ?? valueDecimal ?? valueDateTime;
  return value === undefined ? valueCoding?.code : String(value);
}

/** A deep hierarchy is walked without recursion: a guide may nest as deep as its JSON may. */
function* conceptsOf(system: CodeSystem): Generator<{ concept: CodeSystemConcept; parent: string | undefined }> {
  const open = [{ concepts: system.concept ?? [], parent: undefined as string | undefined }];
  for (let level = open.pop(); level !== undefined; level = open.pop())
    for (const concept of level.concepts) {
      yield { concept, parent: level.parent };
      if (concept.concept !== undefined) open.push({ concepts: concept.concept, parent: concept.code });
    }
}

/** Indexes a code system of a guide. */
export function indexCodeSystem(system: CodeSystem): SystemIndex {
  // Where a system does not say whether case matters, R4 asks to accept codes in any case.
  const isFolded = system.caseSensitive !== true;
  const fold = isFolded ? lower : asIs;
  const isHierarchy = (system.hierarchyMeaning ?? 'is-a') === 'is-a';
  const codes = new Set<string>();
  const abstract = new Set<string>();
  const parents = new Map<string, string[]>();
  const addParent = (code: string, parent: string): void => {
    const above = parents.get(code) ?? [];
    if (!above.includes(parent) && parent !== code) parents.set(code, [...above, parent]);
  };
  for (const { concept, parent } of conceptsOf(system)) {
    const code = fold(concept.code);
    codes.add(code);
    if (isHierarchy && parent !== undefined) addParent(code, fold(parent));
    for (const property of concept.property ?? []) {
      const value = valueOf(property);
      if (value !== undefined && isHierarchy && PARENT_PROPERTIES.has(property.code)) addParent(code, fold(value));
      if (value === 'true' && ABSTRACT_PROPERTIES.has(property.code)) abstract.add(code);
    }
  }
  const byProperty = new Map<string, ReadonlyMap<string, readonly string[]> | undefined>();
  const readProperty = (name: string): ReadonlyMap<string, readonly string[]> | undefined => {
    const found = new Map<string, string[]>();
    for (const { concept } of conceptsOf(system))
      for (const property of concept.property ?? []) {
        const value = property.code === name ? valueOf(property) : undefined;
        if (value === undefined) continue;
        const code = fold(concept.code);
        found.set(code, [...(found.get(code) ?? []), value]);
      }
    const isDeclared = system.property?.some(({ code }) => code === name) === true;
    return isDeclared || found.size > 0 ? found : undefined;
  };
  return {
    content: system.content,
    codes,
    abstract,
    fold,
    isFolded,
    parents,
    children: lazily(() => invert(parents)),
    valuesOf(property) {
      if (!byProperty.has(property)) byProperty.set(property, readProperty(property));
      return byProperty.get(property);
    },
  };
}

/** The same for a code system of the committed table, which keeps no properties. */
export function indexHl7System({ codes, parents, abstract, isCaseSensitive }: Hl7System): SystemIndex {
  const fold = isCaseSensitive ? asIs : lower;
  const folded = isCaseSensitive
    ? parents
    : new Map([...parents].map(([code, above]) => [lower(code), above.map(lower)]));
  return {
    content: 'complete',
    codes: isCaseSensitive ? codes : new Set([...codes].map(lower)),
    abstract: new Set(abstract.map(fold)),
    fold,
    isFolded: !isCaseSensitive,
    parents: folded,
    children: lazily(() => invert(folded)),
    valuesOf: () => undefined,
  };
}
