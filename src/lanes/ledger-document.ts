import type { Group } from '../translate/index.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { LedgerRow, RetractedRow, Said, WrittenRow } from './ledger-rows.ts';

/*
 * The ledger holds what a document wrote into a chart in one row, as JSON: what a delivery writes stands in one place,
 * whatever it is named, and is found by the shelves of its names.
 */

/** One resource that a document wrote last. */
export interface LedgerEntry {
  readonly name: string;
  readonly resourceType: string;
  /** Null where nobody knows it. */
  readonly id: string | null;
  /** Its id stands in `written_id`, sealed by itself, as before there were rows of documents. */
  readonly isIdApart: boolean;
  readonly versionId: string | null;
  readonly contentDigest: string;
  readonly fingerprint: Fingerprint | null;
  readonly said: Said | null;
  readonly group: Group;
  readonly chartDay: string | null;
  readonly shelf: string;
  readonly saidAt: number;
  /** When it was written, when a person kept it as somebody else made it, and when it was taken back. */
  readonly writtenAt: number;
  readonly keptAt: number | null;
  readonly retractedAt: number | null;
  /** The delivery that wrote it, or may have. */
  readonly deliverySeq: number;
}

/** What a document wrote, by its names. */
export type LedgerDocument = Map<string, LedgerEntry>;

/** How the id of an entry is found. */
const ID = { isName: 0, sealed: 1, apart: 2, unknown: 3 } as const;
type IdMark = (typeof ID)[keyof typeof ID];

type Stored = readonly [
  name: string,
  resourceType: string,
  id: IdMark,
  versionId: string | null,
  contentDigest: string,
  fingerprint: string | null,
  status: string | null,
  meaning: string | null,
  group: string | null,
  chartDay: string | null,
  shelf: string,
  saidAt: number,
  writtenAt: number,
  keptAt: number | null,
  retractedAt: number | null,
  deliverySeq: number,
];

/** By their names; what `ids_sealed` holds. */
export type SealedIds = Readonly<Record<string, string>>;

function idOf(mark: IdMark, name: string, ids: SealedIds): string | null {
  if (mark === ID.isName) return name;
  return mark === ID.sealed ? (ids[name] ?? null) : null;
}

const markOf = ({ name, id, isIdApart }: LedgerEntry): IdMark => {
  if (isIdApart) return ID.apart;
  if (id === null) return ID.unknown;
  return id === name ? ID.isName : ID.sealed;
};

const toEntry = (stored: Stored, ids: SealedIds): LedgerEntry => {
  const [name, resourceType, id, versionId, contentDigest, fingerprint, status, meaning, group, chartDay] = stored;
  const [, , , , , , , , , , shelf, saidAt, writtenAt, keptAt, retractedAt, deliverySeq] = stored;
  return {
    name,
    resourceType,
    id: idOf(id, name, ids),
    isIdApart: id === ID.apart,
    versionId,
    contentDigest,
    fingerprint: fingerprint as Fingerprint | null,
    said: status === null || meaning === null ? null : { status, meaning },
    group: (group ?? 'other') as Group,
    chartDay,
    shelf,
    saidAt,
    writtenAt,
    keptAt,
    retractedAt,
    deliverySeq,
  };
};

export const parseEntries = (text: string, ids: SealedIds): LedgerEntry[] =>
  (JSON.parse(text) as Stored[]).map((stored) => toEntry(stored, ids));

const toStored = (entry: LedgerEntry): Stored => [
  entry.name,
  entry.resourceType,
  markOf(entry),
  entry.versionId,
  entry.contentDigest,
  entry.fingerprint,
  entry.said?.status ?? null,
  entry.said?.meaning ?? null,
  entry.group,
  entry.chartDay,
  entry.shelf,
  entry.saidAt,
  entry.writtenAt,
  entry.keptAt,
  entry.retractedAt,
  entry.deliverySeq,
];

/** By which entries are found. Alerts are also asked for by their day in the chart, which is not always that of the name. */
export function shelvesOf(entries: Iterable<LedgerEntry>): ReadonlySet<string> {
  const shelves = new Set<string>();
  for (const { shelf, group, chartDay } of entries) {
    shelves.add(shelf);
    if (group === 'alerts' && chartDay !== null) shelves.add(chartDay);
  }
  return shelves;
}

/** As the row of a document holds it. */
export interface PrintedDocument {
  readonly entries: string;
  readonly standing: number;
  readonly alerts: number;
  /** Ids that are not the names themselves; null where there are none. */
  readonly ids: SealedIds | null;
}

export function printDocument(document: LedgerDocument): PrintedDocument {
  const stored: Stored[] = [];
  const ids: Record<string, string> = {};
  let [standing, alerts, hasIds] = [0, 0, false];
  for (const entry of document.values()) {
    const one = toStored(entry);
    stored.push(one);
    if (entry.retractedAt === null) standing += 1;
    if (entry.group === 'alerts') alerts += 1;
    if (one[2] === ID.sealed && entry.id !== null) {
      ids[entry.name] = entry.id;
      hasIds = true;
    }
  }
  return { entries: JSON.stringify(stored), standing, alerts, ids: hasIds ? ids : null };
}

/** A name, and the document under which the ledger has it, in hexadecimal. */
export interface LedgerName {
  readonly name: string;
  readonly ledgerDocument: string;
}

/** What an attempt wrote, as a row of the ledger holds it: in one text, instead of hundreds of small values. */
export interface PackedWritten extends PrintedDocument {
  /** By which it is found. */
  readonly shelves: readonly string[];
  /** Of those that the ledger has already, where. */
  readonly known: readonly LedgerName[];
  readonly counts: Readonly<Record<'written' | 'created' | 'changed', number>>;
  /** Type and the beginning of the name of each, as far as they are told. */
  readonly resources: readonly string[];
}

/** A document has some dozens; of more, the count tells. */
const NAMED_MAX = 100;
const NAME_BEGINS = 16;

const countOf = (rows: readonly WrittenRow[], ...effects: readonly WrittenRow['effect'][]): number =>
  rows.filter(({ effect }) => effects.includes(effect)).length;

/** Null where nothing was written. */
export function packWritten(rows: readonly WrittenRow[], at: Date, deliverySeq: number): PackedWritten | null {
  if (rows.length === 0) return null;
  const entries = new Map(rows.map((row) => [row.name, entryOf(row, at.getTime(), deliverySeq)]));
  return {
    ...printDocument(entries),
    shelves: [...shelvesOf(entries.values())].sort(),
    known: rows.flatMap(({ name, ledgerDocument }) => (ledgerDocument === null ? [] : [{ name, ledgerDocument }])),
    counts: {
      written: rows.length - countOf(rows, 'doubted'),
      created: countOf(rows, 'created'),
      changed: countOf(rows, 'created', 'updated'),
    },
    resources: rows
      .slice(0, NAMED_MAX)
      .map(({ resourceType, name }) => `${resourceType}/${name.slice(0, NAME_BEGINS)}`),
  };
}

/** What an attempt did to the ledger. */
export interface LedgerChange {
  readonly written: readonly LedgerEntry[];
  /** Of those, what the ledger has already, and where. */
  readonly known: readonly LedgerName[];
  readonly retracted: readonly RetractedRow[];
  readonly adopted: { readonly names: readonly LedgerName[]; readonly saidAt: number };
  readonly atMs: number;
}

const entryOf = (row: WrittenRow, atMs: number, deliverySeq: number): LedgerEntry => ({
  name: row.name,
  resourceType: row.resourceType,
  id: row.id,
  isIdApart: false,
  versionId: row.versionId,
  contentDigest: row.contentDigest,
  fingerprint: row.fingerprint,
  said: row.said,
  group: row.group,
  chartDay: row.chartDay,
  shelf: row.shelf,
  saidAt: row.saidAt,
  writtenAt: atMs,
  keptAt: row.effect === 'kept' ? atMs : null,
  retractedAt: null,
  deliverySeq,
});

/**
 * Enters a change into the documents that it concerns, each of which must be there: whatever a document writes or adopts
 * leaves the one that had it. Gives those that are not as they were.
 */
export function changeLedger(
  documents: ReadonlyMap<string, LedgerDocument>,
  ownDocument: string,
  change: LedgerChange,
): ReadonlySet<string> {
  const changed = new Set<string>();
  const at = (document: string): LedgerDocument => {
    const found = documents.get(document);
    if (found === undefined) throw new Error('a document of the ledger is not there');
    return found;
  };
  const leave = ({ name, ledgerDocument }: LedgerName): void => {
    if (ledgerDocument !== ownDocument && at(ledgerDocument).delete(name)) changed.add(ledgerDocument);
  };
  const own = at(ownDocument);
  change.known.forEach(leave);
  for (const entry of change.written) {
    own.set(entry.name, entry);
    changed.add(ownDocument);
  }
  for (const { name, ledgerDocument, versionId, fingerprint } of change.retracted) {
    const entry = at(ledgerDocument).get(name);
    if (entry === undefined) continue;
    at(ledgerDocument).set(name, { ...entry, versionId, fingerprint, keptAt: null, retractedAt: change.atMs });
    changed.add(ledgerDocument);
  }
  const { names, saidAt } = change.adopted;
  for (const one of names) {
    const entry = at(one.ledgerDocument).get(one.name);
    if (entry === undefined || entry.retractedAt !== null) continue;
    leave(one);
    own.set(one.name, { ...entry, saidAt: Math.max(entry.saidAt, saidAt) });
    changed.add(ownDocument);
  }
  return changed;
}

export const toLedgerRow = (entry: LedgerEntry, ledgerDocument: string, ownDocument: string): LedgerRow => ({
  name: entry.name,
  resourceType: entry.resourceType,
  id: entry.id,
  versionId: entry.versionId,
  contentDigest: entry.contentDigest,
  said: entry.said,
  fingerprint: entry.fingerprint,
  group: entry.group,
  chartDay: entry.chartDay,
  shelf: entry.shelf,
  ledgerDocument,
  isRetracted: entry.retractedAt !== null,
  isKept: entry.keptAt !== null,
  isOfDocument: ledgerDocument === ownDocument,
  saidAt: entry.saidAt,
  deliverySeq: entry.deliverySeq,
});
