import { loadDefinitions } from './definitions/load-definitions.ts';

const types = loadDefinitions().resourceTypes;

/** The 146 concrete resource types of R4. */
export const RESOURCE_TYPES: readonly string[] = [...types];

export const isResourceType = (type: string): boolean => types.has(type);
