import { isObject, textOf, type Json, type JsonObject } from './json-sites.ts';

/** What mutations want to know of one element of a profile. */
export interface ElementRule {
  readonly path: string;
  readonly slice: string | null;
  readonly min: number;
  readonly max: string;
  readonly baseMax: string;
  readonly mustSupport: boolean;
  /** The fixed or pattern value; null where there is none. */
  readonly value: Json;
  readonly isSliced: boolean;
  readonly types: readonly string[];
}

export interface ProfileRules {
  /** What is said of a path by any of the profiles; choice elements are found by their JSON name. */
  at(path: string): readonly ElementRule[];
  readonly all: readonly ElementRule[];
}

function readElement(element: JsonObject): ElementRule {
  const named = Object.entries(element).find(([name]) => /^(fixed|pattern)[A-Z]/.test(name));
  const types = Array.isArray(element['type']) ? element['type'] : [];
  const base = isObject(element['base']) ? element['base'] : {};
  return {
    path: textOf(element['path']),
    slice: typeof element['sliceName'] === 'string' ? element['sliceName'] : null,
    min: typeof element['min'] === 'number' ? element['min'] : 0,
    max: textOf(element['max']),
    baseMax: textOf(base['max']),
    mustSupport: element['mustSupport'] === true,
    value: named?.[1] ?? null,
    isSliced: isObject(element['slicing']),
    types: types.map((type) => (isObject(type) ? textOf(type['code']) : '')),
  };
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The rules of profiles, by the path that a resource uses. */
export function readRules(structures: readonly JsonObject[]): ProfileRules {
  const byPath = new Map<string, ElementRule[]>();
  const all: ElementRule[] = [];
  for (const structure of structures) {
    // A profile without snapshot still says in its differential what is worth changing.
    const view = isObject(structure['snapshot']) ? structure['snapshot'] : structure['differential'];
    const elements = isObject(view) ? view['element'] : [];
    for (const element of Array.isArray(elements) ? elements : []) {
      if (!isObject(element)) continue;
      const rule = readElement(element);
      all.push(rule);
      const names = rule.path.endsWith('[x]')
        ? rule.types.map((type) => `${rule.path.slice(0, -3)}${capital(type)}`)
        : [rule.path];
      for (const name of names) byPath.set(name, [...(byPath.get(name) ?? []), rule]);
    }
  }
  return { all, at: (path) => byPath.get(path) ?? [] };
}
