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

/**
 * Equal for resources that say the same, whoever measured it and with whatever device; null for those that are never
 * amended.
 */
export function meaningOf(resource: AnyResource): string | null {
  const telling = TELLING[resource.resourceType];
  if (telling === undefined) return null;
  const said = Object.fromEntries(Object.entries(resource).filter(([name]) => telling.test(name)));
  return hash('sha256', canonicalJsonWithout(said, isWord)).slice(0, 32);
}
