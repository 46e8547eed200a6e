import { isObject } from '../../kernel/index.ts';
import type { Json } from '../runtime/context.ts';

/** Reading resources whose structure may be broken: everything answers something, nothing throws. */

export const listOf = (v: unknown): readonly Json[] => (Array.isArray(v) ? (v as unknown[]).filter(isObject) : []);

export const codingsOf = (concept: unknown): readonly Json[] => (isObject(concept) ? listOf(concept['coding']) : []);

/** The codes of a concept in one system. */
export const codesOf = (concept: unknown, system: string): string[] =>
  codingsOf(concept)
    .filter((coding) => coding['system'] === system)
    .map((coding) => coding['code'])
    .filter((code) => typeof code === 'string');

export const hasValue = (resource: Json): boolean => Object.keys(resource).some((key) => /^_?value[A-Z]/.test(key));

/** Pattern value: how many concepts carry this coding. */
export const countPattern = (concepts: unknown, system: string, code: string): number =>
  listOf(concepts).filter((concept) => codesOf(concept, system).includes(code)).length;
