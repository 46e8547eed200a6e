import type { Dialect } from '../mappings/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import { listOf, type Part } from './parts.ts';

const AMENDABLE = new Set(['Observation', 'DiagnosticReport']);

/** The same resource where another version of it was written before. What was never final is not amended. */
export function asAmended(resource: AnyResource, { amendedStatus }: Pick<Dialect, 'amendedStatus'>): AnyResource {
  return AMENDABLE.has(resource.resourceType) && resource['status'] === 'final'
    ? { ...resource, status: amendedStatus }
    : resource;
}

/** Statuses in which a resource says of itself that it should not have been written. */
const WITHDRAWN: Readonly<Record<string, Part>> = {
  Observation: { status: 'entered-in-error' },
  DiagnosticReport: { status: 'entered-in-error' },
  DocumentReference: { status: 'entered-in-error' },
  Specimen: { status: 'entered-in-error' },
  Device: { status: 'entered-in-error' },
};

/** Whether a resource of this type can be withdrawn at all. */
export const isRetractable = (type: string): boolean => Object.hasOwn(WITHDRAWN, type);

function withNote(resource: AnyResource, text: string): AnyResource {
  return { ...resource, note: [...listOf(resource['note']).filter((note) => note['text'] !== text), { text }] };
}

/** What a resource becomes that no longer holds. An EHR that knows no entered-in-error gets a correction that says it. */
export function asRetracted(resource: AnyResource, { retraction }: Pick<Dialect, 'retraction'>, why: string): AnyResource {
  const said = resource.resourceType === 'Observation' ? withNote(resource, why) : resource;
  if (retraction === 'corrected' && resource.resourceType === 'Observation') {
    const { interpretation: _interpretation, ...rest } = said;
    return { ...(rest as AnyResource), status: 'corrected' };
  }
  const withdrawn = { ...said, ...(WITHDRAWN[resource.resourceType] ?? {}) };
  return resource.resourceType === 'DiagnosticReport' ? { ...withdrawn, conclusion: `Withdrawn. ${why}` } : withdrawn;
}
