import { isObject } from '../kernel/index.ts';
import { isResourceType, localReference, valuesOfParam, walkReferences } from '../r4/index.ts';
import { isId } from './read-request.ts';
import type { Served } from './served-types.ts';

export type Json = Readonly<Record<string, unknown>>;
export type Resource = Json & { readonly resourceType: string; readonly id: string };

/** A resource that can be named: with a type and an id. */
export const isResource = (value: unknown): value is Resource =>
  isObject(value) && typeof value['resourceType'] === 'string' && typeof value['id'] === 'string' && isId(value['id']);

/**
 * Whose record a resource is. `nobody`: a shared one. `unclear`: no patient, another kind of subject, several patients,
 * a patient of another server or one known by an identifier only; nobody sees it. `entangled`: it is about this
 * patient, or about none, and contains what may tell of another; nobody sees that either.
 */
export type Whose =
  | { readonly kind: 'patient'; readonly id: string }
  | {
      readonly kind: 'targets';
      /** Those that are named as resources of this server; at least one. */
      readonly targets: readonly Target[];
      readonly isAll: boolean;
      /** Whether what it contains tells of nobody. */
      readonly isContainedSound: boolean;
    }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'entangled'; readonly id: string | null }
  | { readonly kind: 'unclear' };

/** What a Provenance is about; `versionId` is null where it is about whatever is current. */
export interface Target {
  readonly type: string;
  readonly id: string;
  readonly versionId: string | null;
  /** The reference as it is written. */
  readonly written: unknown;
}

function targetOf(reference: unknown, ehrBase: string): Target | null {
  const found = localReference(reference, ehrBase);
  if (found === null || !isObject(reference)) return null;
  const [, versionId = null] = /\/_history\/([^/]+)$/.exec(String(reference['reference'])) ?? [];
  return { ...found, versionId, written: reference };
}

export const versionOf = ({ meta }: Json): string | null =>
  isObject(meta) && typeof meta['versionId'] === 'string' ? meta['versionId'] : null;

const isKnownOther = (one: unknown): one is Json =>
  isObject(one) &&
  typeof one['resourceType'] === 'string' &&
  isResourceType(one['resourceType']) &&
  one['resourceType'] !== 'Patient';

const UNCLEAR: Whose = { kind: 'unclear' };

/**
 * What is contained goes wherever its container goes, so it may tell of nobody else: no Patient, no reference to
 * another one, and nothing of a type that nobody knows.
 */
function containsOther(resource: Resource, own: string | null, ehrBase: string): boolean {
  const { contained } = resource;
  if (contained === undefined) return false;
  if (!Array.isArray(contained) || !contained.every(isKnownOther)) return true;
  return contained.some((one) =>
    walkReferences(one).some(({ reference }) => {
      const found = localReference(reference, ehrBase);
      return found?.type === 'Patient' && found.id !== own;
    }),
  );
}

export function whose(resource: Resource, served: Served, ehrBase: string): Whose {
  const of = whoseItself(resource, served, ehrBase);
  if (of.kind === 'targets') return of;
  const own = of.kind === 'patient' ? of.id : null;
  return of.kind !== 'unclear' && containsOther(resource, own, ehrBase) ? { kind: 'entangled', id: own } : of;
}

function whoseItself(resource: Resource, served: Served, ehrBase: string): Whose {
  const rule = served.get(resource.resourceType);
  switch (rule?.kind) {
    case undefined:
      return UNCLEAR;
    case 'shared':
      return { kind: 'nobody' };
    case 'patient':
      return { kind: 'patient', id: resource.id };
    case 'subject': {
      const found = valuesOfParam(resource, rule.subject).map((one) => localReference(one, ehrBase));
      const [first] = found;
      const isOne = first?.type === 'Patient' && found.every((one) => one?.type === 'Patient' && one.id === first.id);
      return isOne ? { kind: 'patient', id: first.id } : UNCLEAR;
    }
    case 'targets': {
      const given = Array.isArray(resource['target']) ? resource['target'].map((one) => targetOf(one, ehrBase)) : [];
      const targets = given.filter((one) => one !== null);
      if (targets.length === 0) return UNCLEAR;
      const isContainedSound = !containsOther(resource, null, ehrBase);
      return { kind: 'targets', targets, isAll: targets.length === given.length, isContainedSound };
    }
  }
}
