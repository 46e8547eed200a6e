import { hash } from 'node:crypto';
import { canonicalJsonWithout } from '../kernel/index.ts';
import type { AnyResource } from '../payloads/index.ts';

/**
 * The elements in which a measurement or a report says something; anything else of it can change without its being
 * another statement.
 */
const TELLING: Readonly<Record<string, RegExp>> = {
  Observation:
    /^_?(?:code|effective[A-Z]\w*|value[A-Z]\w*|dataAbsentReason|interpretation|referenceRange|component|specimen|method|bodySite|hasMember)$/,
  DiagnosticReport: /^_?(?:code|effective[A-Z]\w*|result|conclusion|conclusionCode|specimen)$/,
};

/** Words beside codes: a better display is no other statement. */
function isWord(name: string, of: Readonly<Record<string, unknown>>): boolean {
  if (name === 'display') return true;
  if (name !== 'text' && name !== 'unit') return false;
  return Array.isArray(of['coding']) || (typeof of['code'] === 'string' && typeof of['system'] === 'string');
}

/** Whether an element of a resource says something. */
export const isTelling = (type: string, name: string): boolean => TELLING[type]?.test(name) === true;
/** Whether resources of a type mean something that may be amended. */
export const hasMeaning = (type: string): boolean => Object.hasOwn(TELLING, type);
/** The canonical text of an element, without words beside codes. */
export const meaningText = (element: unknown): string => canonicalJsonWithout(element, isWord);
/** Of the canonical text of all elements that say something. */
export const meaningOfText = (text: string): string => hash('sha256', text).slice(0, 32);

/**
 * Equal for resources that say the same, whoever measured it and with whatever device; null for those that are never
 * amended.
 */
export function meaningOf(resource: AnyResource): string | null {
  const { resourceType } = resource;
  if (!hasMeaning(resourceType)) return null;
  const said = Object.fromEntries(Object.entries(resource).filter(([name]) => isTelling(resourceType, name)));
  return meaningOfText(meaningText(said));
}
