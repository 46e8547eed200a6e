import { isObject } from '../../kernel/index.ts';
import type { Json } from '../runtime/context.ts';

/**
 * Reading resources whose structure may be broken: everything answers something, nothing throws. Codes are read
 * without lists, since every Observation that goes out is asked for them several times.
 */

const NONE: readonly Json[] = [];
export const listOf = (v: unknown): readonly Json[] => (Array.isArray(v) ? (v as unknown[]).filter(isObject) : NONE);

/** What a function makes of the codes of a concept in one system, in turn, until it makes something. */
export function findByCode<T>(concept: unknown, system: string, find: (code: string) => T | undefined): T | undefined {
  const codings = isObject(concept) ? concept['coding'] : undefined;
  if (!Array.isArray(codings)) return undefined;
  for (let i = 0; i < codings.length; i++) {
    const coding: unknown = codings[i];
    if (!isObject(coding) || coding['system'] !== system) continue;
    const code = coding['code'];
    const found = typeof code === 'string' ? find(code) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

export function hasCode(concept: unknown, system: string, code: string): boolean {
  const codings = isObject(concept) ? concept['coding'] : undefined;
  if (!Array.isArray(codings)) return false;
  for (let i = 0; i < codings.length; i++) {
    const coding: unknown = codings[i];
    if (isObject(coding) && coding['code'] === code && coding['system'] === system) return true;
  }
  return false;
}

const isCapital = (char: number): boolean => char >= 65 && char <= 90;

/** Whether an element is there that is called `value` or `_value` and a type. */
export function hasValue(resource: Json): boolean {
  for (const key in resource) {
    if (
      key.startsWith('value') ? isCapital(key.charCodeAt(5)) : key.startsWith('_value') && isCapital(key.charCodeAt(6))
    )
      return true;
  }
  return false;
}

/** Pattern value: how many concepts carry this coding. */
export function countPattern(concepts: unknown, system: string, code: string): number {
  if (!Array.isArray(concepts)) return 0;
  let count = 0;
  for (let i = 0; i < concepts.length; i++) if (hasCode(concepts[i], system, code)) count++;
  return count;
}
