import type { ElementDefinition, ElementDefinitionConstraint } from '@medplum/fhirtypes';

/** Elements of ElementDefinition that are a choice: a new value of one takes the place of a value of another type. */
const CHOICES = ['fixed', 'pattern', 'defaultValue', 'minValue', 'maxValue'];

const stemOf = (key: string): string | undefined => CHOICES.find((stem) => new RegExp(`^${stem}[A-Z]`).test(key));

/** Rules add up. One that is stated again under its key is the newer statement of the same rule. */
function mergeConstraints(
  base: readonly ElementDefinitionConstraint[] = [],
  own: readonly ElementDefinitionConstraint[] = [],
  source: string,
): ElementDefinitionConstraint[] {
  const known = new Map(base.map((one) => [one.key, one]));
  for (const one of own) {
    const before = known.get(one.key);
    known.set(one.key, { ...one, source: one.source ?? before?.source ?? source });
  }
  return [...known.values()];
}

/**
 * What an element means after a differential spoke of it: what it says takes the place of what was, constraints are
 * added with the profile as their source. Identity and base stay.
 */
export function mergeElement(base: ElementDefinition, own: ElementDefinition, source: string): ElementDefinition {
  const { id: _id, path: _path, sliceName: _sliceName, base: _base, constraint, slicing, binding, ...said } = own;
  const stems = new Set(Object.keys(said).map(stemOf));
  stems.delete(undefined);
  const kept = Object.fromEntries(Object.entries(base).filter(([key]) => !stems.has(stemOf(key)))) as ElementDefinition;
  const merged: ElementDefinition = { ...kept, ...said };
  if (said.type !== undefined) delete merged.contentReference;
  if (slicing !== undefined) merged.slicing = { ...base.slicing, ...slicing };
  if (binding !== undefined) merged.binding = { ...base.binding, ...binding };
  // Some guides bind an extension where they mean its value; what is no code cannot be bound.
  if (merged.type?.every(({ code }) => code === 'Extension' || code === 'BackboneElement') === true)
    delete merged.binding;
  if (constraint !== undefined) merged.constraint = mergeConstraints(base.constraint, constraint, source);
  return merged;
}
