import { digestOf, finishedOf, type Finished } from '../content/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import type { Wanted } from '../translate/index.ts';
import type { ContentReader } from './content-reader.ts';
import { UNWRITTEN_DIGEST, type Change } from './decide-changes.ts';
import type { Fingerprint, LedgerRow } from '../lanes/index.ts';

/** One resource that must be written, and what is known of it at the EHR. */
export interface Item {
  readonly name: string;
  /** By which the others of its document refer to it. */
  readonly reference: string;
  readonly resourceType: string;
  /** Whose resource is written. It is built as an object where somebody looks at it. */
  readonly statement: { readonly resource: AnyResource };
  /** Of that resource; null where nobody has worked it out. */
  readonly finished: Finished | null;
  readonly digest: string;
  readonly wanted: Wanted;
  /** The document under which the ledger has it, in hexadecimal; null where it knows nothing of it. */
  readonly ledgerDocument: string | null;
  /** Its address and version at the EHR, where it was written before. */
  readonly at: { readonly id: string; readonly versionId: string | null } | null;
  /**
   * Of what stands there, as far as we know; null where nothing does, or where it was written before fingerprints were
   * kept.
   */
  readonly knownFingerprint: Fingerprint | null;
  /** It was taken back before, and is said again. */
  readonly isRetracted: boolean;
  /** The ledger knows nothing of it, and may have known once: it is looked for before it is written. */
  readonly mayBeForgotten: boolean;
  /**
   * Nobody knows what an earlier attempt, also of another document, made of it: it is looked up before it is written.
   */
  readonly isDoubted: boolean;
  /** A person has decided that the chart keeps what somebody else made of it: only a person changes that. */
  readonly isKept: boolean;
}

/** What it will say in the chart. */
export const fingerprintOfItem = (item: Item, reader: ContentReader): Fingerprint =>
  item.finished?.fingerprint ?? reader.fingerprintOf(item.statement.resource);

const DAY_BEGINS_MS = 14 * 3_600_000;

/**
 * Whether the ledger can have lost a resource that it does not know: only what was measured before it was restored from
 * a backup, as far as anybody can tell. Days are local ones, and begin up to 14 hours before those of UTC.
 */
export const canBeForgotten = (chartDay: string | null, knownSince: number): boolean =>
  knownSince > 0 && (chartDay === null || !(Date.parse(chartDay) - DAY_BEGINS_MS >= knownSince));

type Part = Readonly<Record<string, unknown>>;

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
  const items: Item[] = [];
  for (const change of changes) {
    if (change.kind !== 'create' && change.kind !== 'update') continue;
    const { wanted } = change;
    const finished = change.kind === 'create' ? finishedOf(wanted) : null;
    const statement = change.kind === 'create' ? wanted : change;
    const row = known.get(wanted.name);
    items.push({
      name: wanted.name,
      reference: wanted.reference,
      resourceType: finished?.resourceType ?? statement.resource.resourceType,
      statement,
      finished,
      digest: digestOf(wanted),
      wanted,
      ledgerDocument: row?.ledgerDocument ?? null,
      at: row === undefined || row.id === null ? null : { id: row.id, versionId: row.versionId },
      knownFingerprint: row?.fingerprint ?? null,
      isRetracted: row?.isRetracted ?? false,
      mayBeForgotten: row === undefined && canBeForgotten(wanted.chartDay, knownSince),
      isDoubted: row?.contentDigest === UNWRITTEN_DIGEST,
      isKept: row?.isKept ?? false,
    });
  }
  return items;
}
