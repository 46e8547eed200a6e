import { getReferenceString, isReference } from '@medplum/core';
import { isObject, type FaultCode } from '../kernel/index.ts';
import type { AddressGuard } from './guard-address.ts';
import { readLocation } from './guard-address.ts';
import type { Found, Resource } from './search-resources.ts';

/** What the patients that were found come to. */
export type Picked =
  | { readonly kind: 'one'; readonly id: string }
  /** Merged into another, which is to be read; `via` is the one that led there. */
  | { readonly kind: 'follow'; readonly id: string; readonly via: string }
  | { readonly kind: 'fault'; readonly code: Extract<FaultCode, `patient.${string}`> };

type Json = Readonly<Record<string, unknown>>;
const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

const ID = /^(?!\.+$)[A-Za-z0-9.-]{1,64}$/;
export const idOf = (resource: Resource): string | null =>
  typeof resource['id'] === 'string' && ID.test(resource['id']) ? resource['id'] : null;

/** Byte for byte: servers fold case, cut at 128 characters or ignore the parameter. */
export const carriesIdentifier = (patient: Resource, system: string, value: string): boolean =>
  objects(patient['identifier']).some((one) => one['system'] === system && one['value'] === value);

/**
 * Where a merged patient went, null where it went nowhere. `to` is null where it names none of this server, or several.
 */
export function survivorOf(patient: Resource, guard: AddressGuard): { readonly to: string | null } | null {
  const links = objects(patient['link']).filter(({ type }) => type === 'replaced-by');
  if (links.length === 0) return null;
  const ids = new Set(
    links.map(({ other }) => {
      const reference = isReference(other) ? getReferenceString(other) : undefined;
      const located = reference === undefined ? null : readLocation(guard, reference);
      return located?.type === 'Patient' ? located.id : null;
    }),
  );
  const [only = null] = ids;
  return { to: ids.size === 1 ? only : null };
}

const isActive = (patient: Resource): boolean => patient['active'] !== false;

/** Decides on one patient once it was read for being another's survivor. */
export function judgePatient(patient: Resource, guard: AddressGuard): Picked {
  const id = idOf(patient);
  if (id === null || patient.resourceType !== 'Patient') return { kind: 'fault', code: 'patient.unverified' };
  const survivor = survivorOf(patient, guard);
  if (survivor !== null)
    return survivor.to === null
      ? { kind: 'fault', code: 'patient.merged' }
      : { kind: 'follow', id: survivor.to, via: id };
  return isActive(patient) ? { kind: 'one', id } : { kind: 'fault', code: 'patient.inactive' };
}

/**
 * Whether what the EHR shows is still the patient who was found by an MRN: there, active, not merged, and with that MRN
 * unless a merge led there. `unseen`: it does not show a patient.
 */
export function judgeRemembered(
  shown: unknown,
  { reference, via }: { readonly reference: string; readonly via: readonly string[] },
  { mrnSystem, mrn }: { readonly mrnSystem: string; readonly mrn: string },
  guard: AddressGuard,
): 'still' | 'moved' | 'unseen' {
  const patient = shown as Resource | null;
  if (typeof shown !== 'object' || patient?.resourceType !== 'Patient') return 'unseen';
  const judged = judgePatient(patient, guard);
  if (judged.kind !== 'one' || `Patient/${judged.id}` !== reference) return 'moved';
  return via.length > 0 || carriesIdentifier(patient, mrnSystem, mrn) ? 'still' : 'moved';
}

/**
 * Exactly one: of those that carry the MRN, the only one that stands (active, not merged); or, where none stands, the
 * one that all merged ones lead to.
 */
export function pickPatient(found: Found, system: string, value: string, guard: AddressGuard): Picked {
  const carrying = found.matches.filter((one) => carriesIdentifier(one, system, value));
  if (carrying.length === 0) {
    const isNone = found.matches.length === 0 && (found.total ?? 0) === 0 && found.more === 'no';
    return { kind: 'fault', code: isNone ? 'patient.none' : 'patient.unverified' };
  }
  // On a page that we have not seen may be another one.
  if (found.more === 'yes') return { kind: 'fault', code: 'patient.many' };
  const judged = carrying.map((one) => judgePatient(one, guard));
  const standing = judged.filter((one) => one.kind === 'one');
  if (new Set(standing.map(({ id }) => id)).size > 1) return { kind: 'fault', code: 'patient.many' };
  const [one] = standing;
  if (one !== undefined) return one;
  const merged = judged.filter((picked) => picked.kind === 'follow');
  const [first] = merged;
  if (first !== undefined)
    return merged.every(({ id }) => id === first.id) ? first : { kind: 'fault', code: 'patient.many' };
  return judged[0] ?? { kind: 'fault', code: 'patient.none' };
}
