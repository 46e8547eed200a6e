import type { ElementDefinition } from '@medplum/fhirtypes';
import type { Structure } from '../definitions/read-structures.ts';
import { PROFILE_CORRECTIONS } from '../fhirpath/corrections.ts';
import { type ElementNode } from '../guides/element-tree.ts';
import { withoutVersion } from '../guides/guide-problem.ts';
import { isPrimitiveName } from '../runtime/primitives.ts';
import { baseInvariantKeys, type BaseElement } from './base-elements.ts';
import type { BindingPlan, InvariantPlan, ReferencePlan } from './plan.ts';
import { isBaseType, typeCodesOf, typeOfProfile, type NotChecked, type ProfileSource } from './profile-source.ts';

const MAX_VALUE_SET = 'http://hl7.org/fhir/StructureDefinition/elementdefinition-maxValueSet';

export const idOf = ({ id, path }: ElementDefinition): string => id ?? path;

/** Lists what cannot be judged, and why. */
export type Skip = (element: string, what: NotChecked['what'], name: string, reason: string) => void;

/** What one element of a profile asks of a value by itself, whatever stands beside it. */
export function makeValueRules(source: ProfileSource, skip: Skip) {
  const known = baseInvariantKeys(source.definitions);

  function invariantOf(
    key: string,
    expression: string | undefined,
    human: string,
    severity: string,
    element: string,
  ): InvariantPlan[] {
    const corrected = PROFILE_CORRECTIONS[expression ?? '']?.expression ?? expression;
    const found = corrected === undefined ? null : source.invariants.compile(corrected);
    const isWarning = severity === 'warning';
    if (found?.kind === 'compiled') return [{ key, isWarning, human, test: found.test }];
    const path = element.replaceAll(/:[^.]*/g, '').replaceAll('[x]', '');
    const slow = corrected === undefined ? null : (source.compileSlowly?.(corrected, path) ?? null);
    if (slow !== null)
      return [{ key, isWarning, human, test: (value, { resource, root }) => slow(value, resource, root) }];
    skip(element, 'invariant', key, found === null ? 'it has no expression' : found.reason);
    return [];
  }

  const invariantsOf = ({ element: definition }: ElementNode): readonly InvariantPlan[] =>
    (definition.constraint ?? [])
      .filter(({ key, source: whose }) => !known.has(key) || (whose !== undefined && !isBaseType(whose, source)))
      .flatMap(({ key = '', expression, human = '', severity = 'error' }) =>
        invariantOf(key, expression, human, severity, idOf(definition)),
      );

  function bindingsOf({ element: definition }: ElementNode, own: BaseElement | null): readonly BindingPlan[] {
    const { binding } = definition;
    if (binding === undefined) return [];
    const most = (binding.extension ?? []).find(({ url }) => url === MAX_VALUE_SET);
    const wanted = [
      binding.strength === 'required' ? binding.valueSet : undefined,
      most?.valueCanonical ?? most?.valueUri,
    ];
    return wanted.flatMap((valueSet) => {
      if (valueSet === undefined) return [];
      const isOfBase = own?.binding !== null && own?.binding !== undefined;
      if (isOfBase && valueSet.startsWith('http://hl7.org/fhir/ValueSet/') && binding.strength === 'required') {
        const name = withoutVersion(valueSet).slice('http://hl7.org/fhir/ValueSet/'.length);
        if (name === own.binding || own.binding === 'mime' || own.binding === 'ucum') return [];
      }
      const members = source.bindingOf(valueSet);
      if ('has' in members) return [members];
      skip(idOf(definition), 'binding', valueSet, members.notExpanded);
      return [];
    });
  }

  /** Profiles that are asked of the value itself, by its type. */
  function profilesOf({ element: definition }: ElementNode): ReadonlyMap<string, readonly string[]> | null {
    const byType = new Map<string, string[]>();
    for (const { code = '', profile: wanted = [] } of definition.type ?? []) {
      const beyond = wanted.filter((one) => !isBaseType(one, source));
      const unknown = beyond.find((one) => source.structureOf(withoutVersion(one)) === undefined);
      if (unknown !== undefined) skip(idOf(definition), 'profile', unknown, 'no loaded guide has it');
      else if (beyond.length > 0 && beyond.length === wanted.length)
        byType.set(code, [...(byType.get(code) ?? []), ...beyond]);
    }
    return byType.size === 0 ? null : byType;
  }

  function referenceOf({ element: definition }: ElementNode, own: BaseElement | null): ReferencePlan | null {
    const targets = (definition.type ?? []).flatMap(({ code, targetProfile = [] }) =>
      code === 'Reference' ? targetProfile : [],
    );
    if (targets.length === 0) return null;
    const types = targets.map((target) => typeOfProfile(target, source));
    const unknown = targets.find((_, i) => types[i] === null);
    if (unknown !== undefined) skip(idOf(definition), 'profile', unknown, 'no loaded guide has it');
    const isAny = unknown !== undefined || types.includes('Resource');
    const isOfBase = own?.targets !== null && own?.targets.length === new Set(types).size;
    const beyond = targets.filter((target) => !isBaseType(target, source));
    const plan = {
      types: isAny || isOfBase ? null : new Set(types.flatMap((one) => one ?? [])),
      profiles: isAny || beyond.length === 0 ? [] : targets,
    };
    return plan.types === null && plan.profiles.length === 0 ? null : plan;
  }

  function resourceTypesOf({ element: definition }: ElementNode, own: BaseElement | null): ReadonlySet<string> | null {
    if (own?.holdsResource !== true) return null;
    const types = typeCodesOf(definition);
    return types.length === 0 || types.includes('Resource') || types.includes('DomainResource') ? null : new Set(types);
  }

  /** The structure in which the children of an element stand. */
  function structureBelow({ element: definition }: ElementNode, own: BaseElement | null): Structure | null {
    const names = own?.backbone === undefined || own.backbone === null ? typeCodesOf(definition) : [own.backbone];
    const { structures } = source.definitions;
    // The extensions of a primitive stand where those of any element do.
    const [found] = names.flatMap((name) => structures.get(isPrimitiveName(name) ? 'Element' : name) ?? []);
    return found ?? null;
  }

  return { invariantOf, invariantsOf, bindingsOf, profilesOf, referenceOf, resourceTypesOf, structureBelow };
}
