import type { AnyResource } from '../../src/payloads/index.ts';
import type { Translation } from '../../src/translate/index.ts';
import { partAt, type Json } from './payloads/index.ts';
import { standardMappings } from './standard-mappings.ts';
import { settingOf, translateText, type CaseOptions } from './translate-steps.ts';

export const translated = (payload: Json, options: CaseOptions = {}): Translation =>
  translateText(JSON.stringify(payload), settingOf(standardMappings(), options));

export const everything = ({ patient, wanted, provenance }: Translation) => [
  patient,
  ...wanted,
  ...(provenance === null ? [] : [provenance]),
];

/** All that could reach an EHR, as bytes. */
export const bytesOf = ({ patient, wanted, provenance }: Translation): string =>
  JSON.stringify({ patient, wanted, provenance });

export const resourcesOf = ({ wanted }: Translation, type?: string): AnyResource[] =>
  wanted.map(({ resource }) => resource).filter(({ resourceType }) => type === undefined || resourceType === type);

export const observationsOf = (translation: Translation): AnyResource[] => resourcesOf(translation, 'Observation');

export const codesOf = (concept: unknown): string[] =>
  ((partAt(concept, 'coding') ?? []) as { code: string }[]).map(({ code }) => code);

/** The one Observation with this code among its codings. */
export function observationWith(translation: Translation, code: string): AnyResource {
  const found = observationsOf(translation).filter((one) => codesOf(one['code']).includes(code));
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} Observations have ${code}`);
  return found[0];
}

export const nameOf = (resource: AnyResource): unknown => partAt(resource, 'identifier.0.value');

function stringsAt(name: string, value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === name && typeof part === 'string' ? [part] : stringsAt(name, part),
  );
}

/** References that lead nowhere: to nothing in the translation, and not into the resource itself. */
export function danglingIn(translation: Translation): string[] {
  const known = new Set(everything(translation).map(({ reference }) => reference));
  return everything(translation).flatMap(({ resource }) => {
    const contained = new Set(((resource['contained'] ?? []) as { id: string }[]).map(({ id }) => `#${id}`));
    return stringsAt('reference', resource).filter((one) => !known.has(one) && !contained.has(one));
  });
}

/** Every code of interpretation that the resources use, in components too. */
export function interpretationsIn(resources: readonly AnyResource[]): string[] {
  const found: string[] = [];
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, part] of Object.entries(value))
      if (key === 'interpretation') found.push(...(part as unknown[]).flatMap((one) => codesOf(one)));
      else look(part);
  };
  look(resources);
  return found;
}
