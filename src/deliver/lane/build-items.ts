import type { AnyResource } from '../../payloads/index.ts';
import type { Wanted } from '../../translate/index.ts';
import { digestOf, type Change } from '../decide-changes.ts';
import type { LedgerRow } from './commands.ts';

/** One resource that must be written, and what is known of it at the EHR. */
export interface Item {
  readonly name: string;
  /** By which the others of its document refer to it. */
  readonly reference: string;
  readonly resourceType: string;
  readonly resource: AnyResource;
  readonly digest: string;
  readonly wanted: Wanted;
  /** Its address and version at the EHR, where it was written before. */
  readonly at: { readonly id: string; readonly versionId: string | null } | null;
  /** It was taken back before, and is said again. */
  readonly isRetracted: boolean;
  /** The ledger knows nothing of it, and may have known once: it is looked for before it is written. */
  readonly mayBeForgotten: boolean;
  /** A person wants it written over the version that `at` names, whoever made that. */
  readonly isDecided: boolean;
}

const DAY_BEGINS_MS = 14 * 3_600_000;

/**
 * Whether the ledger can have lost a resource that it does not know: only what was measured before it was restored from a backup, as
 * far as anybody can tell. Days are local ones, and begin up to 14 hours before those of UTC.
 */
export const canBeForgotten = (chartDay: string | null, knownSince: number): boolean =>
  knownSince > 0 && (chartDay === null || !(Date.parse(chartDay) - DAY_BEGINS_MS >= knownSince));

export const CONTENT_TAG = 'urn:chartgate:content';
const TAG_LENGTH = 40;
const tagOf = (digest: string): string => digest.slice(0, TAG_LENGTH);

type Part = Readonly<Record<string, unknown>>;

/** Marks a resource with the digest of its content, so that it can be told later whether the EHR holds this or something else. */
function tagged(resource: AnyResource, digest: string): AnyResource {
  const meta = (resource['meta'] ?? {}) as Part;
  const tags = (Array.isArray(meta['tag']) ? (meta['tag'] as Part[]) : []).filter(({ system }) => system !== CONTENT_TAG);
  const { resourceType, meta: _meta, ...rest } = resource;
  return { resourceType, meta: { ...meta, tag: [...tags, { system: CONTENT_TAG, code: tagOf(digest) }] }, ...rest };
}

const contentTags = (resource: Part): Part[] => {
  const { tag } = (resource['meta'] ?? {}) as Part;
  return (Array.isArray(tag) ? (tag as Part[]) : []).filter(({ system }) => system === CONTENT_TAG);
};

/** Whether a resource at the EHR is marked as one that we wrote, whatever it holds. */
const isMarked = (resource: Part): boolean => contentTags(resource).length > 0;

/** Whether it is marked as holding this content, and was not taken back. */
export const holdsContent = (resource: Part, digest: string): boolean =>
  resource['status'] !== 'entered-in-error' && contentTags(resource).some(({ code }) => code === tagOf(digest));

/** What is taken back no longer holds what it was marked for. */
export function withoutMark(resource: AnyResource): AnyResource {
  const { tag, ...meta } = (resource['meta'] ?? {}) as Part;
  const others = (Array.isArray(tag) ? (tag as Part[]) : []).filter(({ system }) => system !== CONTENT_TAG);
  return { ...resource, meta: { ...meta, ...(others.length === 0 ? {} : { tag: others }) } };
}

/**
 * Whether the version at the EHR can be our own: the one that we know, or the next after it. Where versions are no numbers, nobody can tell.
 */
export function canBeOurs(found: string | null, known: string | null): boolean {
  if (found === null) return true;
  const [now, before] = [Number(found), known === null ? 0 : Number(known)];
  return !Number.isInteger(now) || !Number.isInteger(before) || now === before || now === before + 1;
}

/** Whether what stands under the name of an item is as we left it, or as a person who wants it overwritten saw it. */
export function isOurs(item: Item, resource: Part, found: string | null): boolean {
  const known = item.at?.versionId ?? null;
  if (item.isDecided) return found === known;
  // Of what the ledger has forgotten only the first version can be told from what a person made of it.
  const isFirst = !item.mayBeForgotten || found === null || found === '1' || holdsContent(resource, item.digest);
  return isFirst && canBeOurs(found, known) && (item.isRetracted || isMarked(resource));
}

export const versionOf = (resource: Part): string | null => {
  const { versionId } = (resource['meta'] ?? {}) as Part;
  return typeof versionId === 'string' ? versionId : null;
};

/** `W/"3"`, and the bare `3` that some servers write into a Bundle's answer. */
export const versionOfEtag = (etag: string | null | undefined): string | null =>
  /^(?:W\/)?"?([^"\s]+)"?$/.exec(etag ?? '')?.[1] ?? null;

/** What of the changes is to be written, in their order; what is withdrawn is looked up first and comes after it. */
export function buildItems(changes: readonly Change[], ledger: readonly LedgerRow[], knownSince: number): Item[] {
  const known = new Map(ledger.map((row) => [row.name, row]));
  return changes.flatMap((change): Item[] => {
    if (change.kind !== 'create' && change.kind !== 'update') return [];
    const { wanted, resource } = change;
    const digest = digestOf(wanted);
    const row = known.get(wanted.name);
    return [
      {
        name: wanted.name,
        reference: wanted.reference,
        resourceType: resource.resourceType,
        resource: tagged(resource, digest),
        digest,
        wanted,
        at: row === undefined ? null : { id: row.id, versionId: row.versionId },
        isRetracted: row?.isRetracted ?? false,
        mayBeForgotten: row === undefined && canBeForgotten(wanted.chartDay, knownSince),
        isDecided: false,
      },
    ];
  });
}
