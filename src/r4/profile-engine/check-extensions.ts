import { isObject } from '../../kernel/index.ts';
import type { Definitions } from '../definitions/load-definitions.ts';
import type { Element, Structure } from '../definitions/read-structures.ts';
import { typeNameOf } from './base-elements.ts';
import { checkInvariant, evaluate, say } from './check-item.ts';
import type { ExtensionContext, ProfilePlan, Visit } from './plan.ts';

/** Where an extension stands: the element that has it, under all names by which a definition may call that place. */
interface Place {
  /** `Patient.name.family` and `HumanName.family`. */
  readonly paths: readonly string[];
  readonly type: string;
  readonly value: unknown;
  /** Where it stands in another extension: the url of that. */
  readonly outerUrl: string | null;
}

const DEPTH_MAX = 100;

function isAllowed(
  { type, expression, isPlace }: ExtensionContext,
  place: Place,
  visit: Visit,
  structures: Definitions['structures'],
): boolean {
  if (type === 'extension') return place.outerUrl === expression;
  if (type !== 'element')
    return (
      isPlace === null ||
      evaluate(isPlace, { value: place.value, element: undefined, type: place.type }, visit) !== false
    );
  const wanted = expression.slice(expression.indexOf('#') + 1).replace(/\[x\]$/, '');
  if (wanted === 'Element' || wanted === place.type || place.paths.includes(wanted)) return true;
  const structure = structures.get(place.type);
  if (wanted === 'Resource') return structure?.isResource === true;
  if (wanted === 'DomainResource') return structure?.isDomain === true;
  return wanted === 'BackboneElement' && place.type.includes('.');
}

/** Extensions whose definition is loaded are judged by it, wherever they stand: place, kind, value. */
export function makeCheckExtensions(
  { structures }: Definitions,
  extensionOf: (url: string) => ProfilePlan | undefined,
): (resource: Readonly<Record<string, unknown>>, visit: Visit, path: string) => boolean {
  function checkOne(extension: unknown, place: Place, isModifier: boolean, visit: Visit, path: string): boolean {
    const url = isObject(extension) ? extension['url'] : undefined;
    const plan = typeof url === 'string' ? extensionOf(url) : undefined;
    if (plan === undefined) return true;
    let isSound = true;
    if (plan.isModifier !== isModifier)
      isSound = say(visit, 'extension-modifier', path, `${plan.url} is ${isModifier ? 'no' : 'a'} modifier extension.`);
    if (plan.contexts.length > 0 && !plan.contexts.some((one) => isAllowed(one, place, visit, structures)))
      isSound = say(visit, 'extension-context', path, `${plan.url} is not allowed on ${place.paths[0] ?? place.type}.`);
    const item = { value: place.value, element: undefined, type: place.type };
    for (const invariant of plan.contextInvariants) if (!checkInvariant(invariant, item, visit, path)) isSound = false;
    return visit.lookups.check(extension, 'Extension', plan.url, visit, path) && isSound;
  }

  function checkPlace(object: Readonly<Record<string, unknown>>, place: Place, visit: Visit, path: string): boolean {
    let isSound = true;
    for (const key of ['extension', 'modifierExtension'] as const) {
      const list: readonly unknown[] = Array.isArray(object[key]) ? object[key] : [];
      for (const [i, extension] of list.entries()) {
        const at = visit.report === null ? '' : `${path}.${key}[${i}]`;
        if (!checkOne(extension, place, key === 'modifierExtension', visit, at)) isSound = false;
        if (!isSound && visit.report === null) return false;
      }
    }
    return isSound;
  }

  function walk(
    object: Readonly<Record<string, unknown>>,
    structure: Structure,
    place: Place,
    visit: Visit,
    path: string,
    depth: number,
  ): boolean {
    if (depth > DEPTH_MAX) return true;
    let isSound = checkPlace(object, place, visit, path);
    for (const key in object) {
      if (!isSound && visit.report === null) return false;
      const held = object[key];
      if (typeof held !== 'object' || held === null) continue;
      const element = elementOf(structure, key.startsWith('_') ? key.slice(1) : key);
      if (element === undefined || element.type.kind === 'resource') continue;
      const name = element.choice ?? element.name;
      const type = typeNameOf(element);
      const below = structures.get(element.type.kind === 'primitive' ? 'Element' : type);
      if (below === undefined) continue;
      const paths = [...place.paths, place.type].map((one) => `${one}.${name}`);
      const outerUrl = structure.name === 'Extension' && typeof object['url'] === 'string' ? object['url'] : null;
      for (const [i, one] of [held].flat().entries()) {
        if (!isObject(one)) continue;
        const at = visit.report === null ? '' : `${path}.${name}${Array.isArray(held) ? `[${i}]` : ''}`;
        const inner = { paths, type, value: one, outerUrl: key === 'extension' ? outerOf(one) : outerUrl };
        if (!walk(one, below, inner, visit, at, depth + 1)) isSound = false;
      }
    }
    return isSound;
  }

  return (resource, visit, path) => {
    const type = String(resource['resourceType']);
    const structure = structures.get(type);
    if (structure === undefined) return true;
    return walk(resource, structure, { paths: [type], type, value: resource, outerUrl: null }, visit, path, 0);
  };
}

/** An extension inside an extension stands in that one. */
const outerOf = (extension: Readonly<Record<string, unknown>>): string | null =>
  typeof extension['url'] === 'string' ? extension['url'] : null;

const byName = new WeakMap<Structure, ReadonlyMap<string, Element>>();

function elementOf(structure: Structure, name: string): Element | undefined {
  let names = byName.get(structure);
  if (names === undefined) {
    names = new Map(structure.elements.map((element) => [element.name, element]));
    byName.set(structure, names);
  }
  return names.get(name);
}
