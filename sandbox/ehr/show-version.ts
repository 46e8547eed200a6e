import type { Kit } from './interactions.ts';
import type { Method, Version } from './repository.ts';
import { rewriteReferences } from './rewrite-references.ts';

const HERE = /^[A-Z][A-Za-z]+\/[A-Za-z0-9.-]{1,64}(?:\/|$)/;

/** The resource of a version as a reader gets it. Search goes by what is stored, where references are relative. */
export function showVersion({ base, switches }: Pick<Kit, 'base' | 'switches'>, { resource, json }: Version): string {
  if (switches.absoluteReferences !== true || resource === null) return json;
  return JSON.stringify(
    rewriteReferences(resource, (reference) => (HERE.test(reference) ? `${base}/${reference}` : reference), new Map()),
  );
}

/** The version that the answer to a write tells of: the one before, where something between still holds that one. */
export function versionToAnswer({ repository, switches }: Kit, method: Method, written: Version): Version {
  if (switches.staleAnswers !== true || method !== 'PUT') return written;
  const before = repository.versions(written.type, written.id).at(-2);
  return before === undefined || before.resource === null ? written : before;
}
