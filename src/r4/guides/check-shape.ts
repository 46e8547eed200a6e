import { isObject } from '../../kernel/index.ts';
import { loadDefinitions } from '../definitions/load-definitions.ts';
import type { Element } from '../definitions/read-structures.ts';

type Refuse = (path: string, text: string) => void;

const NUMBERS = new Set(['integer', 'decimal', 'unsignedInt', 'positiveInt']);
const jsonTypeOf = (primitive: string): string =>
  primitive === 'boolean' ? 'boolean' : NUMBERS.has(primitive) ? 'number' : 'string';

interface Shape {
  readonly elements: ReadonlyMap<string, Element>;
  readonly required: readonly string[];
}

const shapes = new Map<string, Shape>();

function shapeOf(structure: string): Shape {
  const known = shapes.get(structure);
  if (known !== undefined) return known;
  const elements = loadDefinitions().structures.get(structure)?.elements ?? [];
  const made = {
    elements: new Map(elements.map((one) => [one.name, one])),
    required: elements.filter(({ min }) => min > 0).map(({ name }) => name),
  };
  shapes.set(structure, made);
  return made;
}

function checkValue(value: unknown, { type }: Element, path: string, refuse: Refuse): void {
  if (type.kind === 'primitive') {
    const wanted = jsonTypeOf(type.name);
    if (typeof value !== wanted) refuse(path, `It is a ${wanted}`);
    return;
  }
  if (!isObject(value)) refuse(path, 'It is an object');
  else if (type.kind === 'structure') checkShape(value, type.name, path, refuse);
}

/**
 * Whether a definition is built as R4 says: objects, lists and single values where they belong, values of the right JSON
 * type, and nothing missing; null, which R4 allows in a list beside an extension, is of no use here. It makes the types that the rest of the code trusts true. Properties that R4 does not have
 * are passed over, and contained resources are not looked into.
 */
export function checkShape(
  object: Readonly<Record<string, unknown>>,
  structure: string,
  path: string,
  refuse: Refuse,
): void {
  const { elements, required } = shapeOf(structure);
  for (const name of required) if (object[name] === undefined) refuse(`${path}.${name}`, 'It is missing');
  for (const name in object) {
    const element = elements.get(name);
    if (element === undefined) continue;
    const value = object[name];
    const at = `${path}.${name}`;
    if (element.max === 1) checkValue(value, element, at, refuse);
    else if (!Array.isArray(value)) refuse(at, 'It is a list');
    else for (const [index, item] of value.entries()) checkValue(item, element, `${at}[${index}]`, refuse);
  }
}
