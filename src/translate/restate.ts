import type { Dialect } from '../mappings/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import { listOf, partOf, wordOf, type Part } from './parts.ts';

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

/** Of http://terminology.hl7.org/CodeSystem/data-absent-reason: the value is not there because of an error of a system or its use. */
const ABSENT = {
  coding: [{ system: 'http://terminology.hl7.org/CodeSystem/data-absent-reason', code: 'error', display: 'Error' }],
  text: 'Withdrawn',
};
const isValue = (name: string): boolean => /^value[A-Z]/.test(name);
const VALUED = new Set(['interpretation', 'referenceRange', 'dataAbsentReason']);
/** Without a value, and saying so; what was measured is still told. */
const withoutValue = (part: Part): Part => ({
  ...Object.fromEntries(Object.entries(part).filter(([name]) => !isValue(name) && !VALUED.has(name))),
  dataAbsentReason: ABSENT,
});
const hasValue = (part: Part): boolean => Object.keys(part).some(isValue);

/**
 * Whether a resource says of itself that it does not hold, by its content alone: where an EHR knows no entered-in-error, a correction
 * that leaves no value and says so in its note.
 */
export function isWithdrawn(resource: Part): boolean {
  if (resource['status'] === 'entered-in-error') return true;
  if (resource['resourceType'] !== 'Observation' || resource['status'] !== 'corrected') return false;
  const isInError = listOf(partOf(resource['dataAbsentReason'])['coding']).some(({ code }) => code === 'error');
  const isSaid = listOf(resource['note']).some(({ text }) => wordOf(text).startsWith('Withdrawn.'));
  return isInError && isSaid && ![resource, ...listOf(resource['component'])].some(hasValue);
}

/** What a resource becomes that no longer holds. An EHR that knows no entered-in-error gets a correction that says it. */
export function asRetracted(resource: AnyResource, { retraction }: Pick<Dialect, 'retraction'>, why: string): AnyResource {
  if (retraction === 'corrected' && resource.resourceType === 'Observation') {
    const components = listOf(resource['component']).map(withoutValue);
    return {
      ...(withoutValue(withNote(resource, `Withdrawn. ${why}`)) as AnyResource),
      status: 'corrected',
      ...(components.length === 0 ? {} : { component: components }),
    };
  }
  const said = resource.resourceType === 'Observation' ? withNote(resource, why) : resource;
  const withdrawn = { ...said, ...(WITHDRAWN[resource.resourceType] ?? {}) };
  return resource.resourceType === 'DiagnosticReport' ? { ...withdrawn, conclusion: `Withdrawn. ${why}` } : withdrawn;
}
