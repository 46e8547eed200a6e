import { readDefinition } from '../definitions/load-definitions.ts';
import type { Json } from '../runtime/context.ts';
import { isElement } from '../runtime/is-element.ts';

interface CompartmentFile {
  /** Type → search parameter → its FHIRPath expression. */
  readonly in: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Type → search parameter → the paths it reads, without the type's name. */
type Paths = ReadonlyMap<string, ReadonlyMap<string, readonly (readonly string[])[]>>;

/**
 * `A.b.where(resolve() is Patient) | A.c` → [[b], [c]]. That a reference leads to a Patient is asked of the reference.
 */
const readPaths = (expression: string): string[][] =>
  expression.split(' | ').map((path) =>
    path
      .replace(/\.where\(.*\)$/, '')
      .split('.')
      .slice(1),
  );

const paths: Paths = new Map(
  Object.entries((JSON.parse(readDefinition('patient-compartment.json')) as CompartmentFile).in).map(
    ([type, params]) => [
      type,
      new Map(Object.entries(params).map(([name, expression]) => [name, readPaths(expression)])),
    ],
  ),
);

/** The resource types that can be in a patient's compartment at all. */
export const COMPARTMENT_TYPES: readonly string[] = [...paths.keys()];

/**
 * The search parameters that put a resource of this type into a patient's compartment; empty for types never in one.
 */
export const compartmentParams = (type: string): readonly string[] => [...(paths.get(type)?.keys() ?? [])];

function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path));
  const [name, ...rest] = path;
  if (name === undefined) return [value];
  if (!isElement(value)) return [];
  return valuesAt(value[name] ?? value[`${name}Reference`], rest);
}

function leadsTo(reference: unknown, patientId: string, base: string | undefined): boolean {
  const text = isElement(reference) ? reference['reference'] : undefined;
  if (typeof text !== 'string') return false;
  const local = base !== undefined && text.startsWith(`${base}/`) ? text.slice(base.length + 1) : text;
  return local === `Patient/${patientId}` || local.startsWith(`Patient/${patientId}/_history/`);
}

/**
 * Whether R4's CompartmentDefinition puts the resource into this patient's compartment. `base` is the address of the
 * server the resource came from: an absolute reference counts only below it, because another server's Patient/1 is
 * someone else.
 */
export function isInCompartment(resource: unknown, patientId: string, base?: string): boolean {
  if (!isElement(resource) || typeof resource['resourceType'] !== 'string') return false;
  const given: Json = resource;
  if (given['resourceType'] === 'Patient' && given['id'] === patientId) return true;
  for (const alternatives of paths.get(resource['resourceType'])?.values() ?? []) {
    for (const path of alternatives) {
      if (valuesAt(given, path).some((reference) => leadsTo(reference, patientId, base))) return true;
    }
  }
  return false;
}
