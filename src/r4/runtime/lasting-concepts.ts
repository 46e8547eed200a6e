import type { Json } from './context.ts';

const CONCEPT: ReadonlySet<string> = new Set(['coding', 'text']);
const CODING: ReadonlySet<string> = new Set(['system', 'version', 'code', 'display', 'userSelected']);

const hasOnly = (object: object, names: ReadonlySet<string>): boolean => {
  for (const name in object) if (!names.has(name)) return false;
  return true;
};

const isLastingCoding = (coding: unknown): boolean =>
  typeof coding === 'object' && coding !== null && Object.isFrozen(coding) && hasOnly(coding, CODING);

/**
 * Whether a CodeableConcept, once found sound, stays so: nothing of it can change, and it holds no ids, extensions or
 * references, which a resource answers for as a whole.
 */
export function isLasting(concept: Json): boolean {
  if (!Object.isFrozen(concept) || !hasOnly(concept, CONCEPT)) return false;
  const { coding } = concept;
  if (coding === undefined) return true;
  return Array.isArray(coding) && Object.isFrozen(coding) && coding.every(isLastingCoding);
}
