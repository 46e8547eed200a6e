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

/**
 * For whoever reads the chart. Each sentence is true of the entry where it stands, whichever of two versions or two
 * charts the reader comes from, and says nothing of the value that nobody knows.
 */
export const WITHDRAWN_BECAUSE = {
  /** A newer version, another document that speaks for it, or the same one by other mapping data, has it no more. */
  dropped: 'What the source reports, as it is now read, no longer contains it.',
  /** Which of the two links was the mistake, nobody has said. */
  relinked: 'It does not belong in this chart: the account that it came from is linked to another one.',
  revoked:
    'The connection that it came from was ended, and its data were taken out of the chart. It was not found to be wrong.',
} as const;
export type WithdrawnBecause = keyof typeof WITHDRAWN_BECAUSE;

const MARK = 'Withdrawn.';
const isMarked = ({ text }: Part): boolean => wordOf(text).startsWith(MARK);
/** One reason stands at a time. */
const withReason = (resource: AnyResource, reason: string): AnyResource => ({
  ...resource,
  note: [...listOf(resource['note']).filter((note) => !isMarked(note)), { text: reason }],
});

/**
 * Of http://terminology.hl7.org/CodeSystem/data-absent-reason: the value is not there because of an error of a system
 * or its use.
 */
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
 * Whether a resource says of itself that it does not hold, by its content alone: where an EHR knows no
 * entered-in-error, a correction that leaves no value and says so in its note.
 */
export function isWithdrawn(resource: Part): boolean {
  if (resource['status'] === 'entered-in-error') return true;
  if (resource['resourceType'] !== 'Observation' || resource['status'] !== 'corrected') return false;
  const isInError = listOf(partOf(resource['dataAbsentReason'])['coding']).some(({ code }) => code === 'error');
  const isSaid = listOf(resource['note']).some(isMarked);
  return isInError && isSaid && ![resource, ...listOf(resource['component'])].some(hasValue);
}

/**
 * What a resource becomes that no longer holds. An EHR that knows no entered-in-error gets a correction that says it.
 */
export function asRetracted(
  resource: AnyResource,
  { retraction }: Pick<Dialect, 'retraction'>,
  because: WithdrawnBecause,
): AnyResource {
  const reason = `${MARK} ${WITHDRAWN_BECAUSE[because]}`;
  if (retraction === 'corrected' && resource.resourceType === 'Observation') {
    const components = listOf(resource['component']).map(withoutValue);
    return {
      ...(withoutValue(withReason(resource, reason)) as AnyResource),
      status: 'corrected',
      ...(components.length === 0 ? {} : { component: components }),
    };
  }
  const said = resource.resourceType === 'Observation' ? withReason(resource, reason) : resource;
  const withdrawn = { ...said, ...(WITHDRAWN[resource.resourceType] ?? {}) };
  return resource.resourceType === 'DiagnosticReport' ? { ...withdrawn, conclusion: reason } : withdrawn;
}
