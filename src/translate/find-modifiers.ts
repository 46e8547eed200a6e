import type { AnyResource } from '../payloads/index.ts';
import type { Notebook } from './notebook.ts';

/** In R4 these stand on a resource; `modifierExtension` also on its parts that are no datatypes. */
const OF_RESOURCE = ['modifierExtension', 'implicitRules', 'focus'] as const;

function hasModifiedPart(resource: AnyResource): boolean {
  for (const name in resource) {
    const part = resource[name];
    if (!Array.isArray(part)) continue;
    for (const one of part as readonly unknown[])
      if (typeof one === 'object' && one !== null && 'modifierExtension' in one) return true;
  }
  return false;
}

/**
 * Elements that change what a resource means, up to its contrary or to another body: whoever does not understand them
 * must not go on (R4, extensibility).
 */
export function findModifiers(notebook: Notebook, at: string, resource: AnyResource): void {
  for (const name of OF_RESOURCE)
    if (resource[name] !== undefined) {
      notebook.find('resource.modified', `${at}.${name}`);
      return;
    }
  if (hasModifiedPart(resource)) notebook.find('resource.modified', at);
}
