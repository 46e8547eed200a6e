import { hash } from 'node:crypto';
import { isElement } from '../r4/index.ts';
import { canonicalJson } from '../kernel/index.ts';
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

/** Without the words beside codes: a better display is no other statement. */
function withoutWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (!isElement(value)) return value;
  const isCoded =
    Array.isArray(value['coding']) || (typeof value['code'] === 'string' && typeof value['system'] === 'string');
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'display' && !(isCoded && (name === 'text' || name === 'unit')))
      .map(([name, part]) => [name, withoutWords(part)]),
  );
}

/**
 * Equal for resources that say the same, whoever measured it and with whatever device; null for those that are never
 * amended.
 */
export function meaningOf(resource: AnyResource): string | null {
  const telling = TELLING[resource.resourceType];
  if (telling === undefined) return null;
  const said = Object.fromEntries(Object.entries(resource).filter(([name]) => telling.test(name)));
  return hash('sha256', canonicalJson(withoutWords(said))).slice(0, 32);
}
