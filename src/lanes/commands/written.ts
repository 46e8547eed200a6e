import {
  all,
  among,
  insert,
  insertAlike,
  part,
  rowsOf,
  run,
  typed,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { Finish } from '../commands.ts';
import {
  changeLedger,
  parseEntries,
  printDocument,
  shelvesOf,
  type LedgerDocument,
  type LedgerEntry,
  type LedgerName,
  type PackedWritten,
  type PrintedDocument,
} from '../ledger-document.ts';
import { bytesOf, fromHex, hexOf, nameBytes, openIds, sealId, sealIds, sealSides } from '../rows.ts';
import { inChart, type LedgerChart } from './ledger.ts';

const WRITTEN_SHELF = rowsOf('written_shelf', { shelf: 'text' }, 'ON CONFLICT DO NOTHING', {
  tenant: 'text',
  target: 'text',
  patient_index: 'bytea',
  document_index: 'bytea',
});

const FOR_UPDATE_OF_DOCUMENT = part('', 'FOR UPDATE OF w');

/** What each of these documents wrote, as far as there is a row of it. */
function* loadDocuments(
  { vault }: CommandContext,
  chart: LedgerChart,
  documents: readonly string[],
): Program<Map<string, LedgerDocument>> {
  const rows = yield* all`
    SELECT w.document_index, w.entries, w.ids_sealed FROM written_document w
    WHERE ${inChart(chart)} AND w.document_index ${among('bytea', documents)} ORDER BY w.document_index
    ${FOR_UPDATE_OF_DOCUMENT}`;
  const loaded = new Map<string, LedgerDocument>();
  for (const row of rows) {
    const entries = parseEntries(String(row['entries']), openIds(vault, chart.patient, row));
    loaded.set(hexOf(row['document_index'] as Uint8Array), new Map(entries.map((entry) => [entry.name, entry])));
  }
  return loaded;
}

/** A document, of which this delivery is the one that wrote last. */
interface ByDelivery {
  readonly document: Uint8Array;
  readonly deliverySeq: number;
}

/** The row of a document that has none; 0 where there is one. */
const addDocument = (
  { vault }: CommandContext,
  { tenant, patient }: LedgerChart,
  { document, deliverySeq }: ByDelivery,
  { standing, alerts, entries, ids }: PrintedDocument,
): Program<number> => run`
  INSERT INTO written_document (tenant, target, patient_index, document_index, delivery_seq, standing, alerts, entries,
    ids_sealed)
  VALUES (${tenant}, ${TARGET}, ${patient}, ${document}, ${deliverySeq}, ${standing}, ${alerts}, ${entries},
    ${sealIds(vault, patient, document, ids)})
  ON CONFLICT DO NOTHING`;

/** The row of a document; `deliverySeq` is null where it is not this document's delivery that changes it. */
const changeDocument = (
  { vault }: CommandContext,
  { tenant, patient }: LedgerChart,
  { document, deliverySeq }: { readonly document: Uint8Array; readonly deliverySeq: number | null },
  { standing, alerts, entries, ids }: PrintedDocument,
): Program<number> => run`
  UPDATE written_document SET standing = ${standing}, alerts = ${alerts}, entries = ${entries},
    ids_sealed = ${sealIds(vault, patient, document, ids)},
    delivery_seq = coalesce(${typed('bigint', deliverySeq)}, delivery_seq)
  WHERE tenant = ${tenant} AND target = ${TARGET} AND patient_index = ${patient} AND document_index = ${document}`;

const NOTHING_ADOPTED = { names: [], saidAt: 0 } as const;
const NOTHING_WRITTEN: Pick<PackedWritten, 'entries' | 'ids' | 'known' | 'shelves'> = {
  entries: '[]',
  ids: null,
  known: [],
  shelves: [],
};

/** The documents in which something is known of what an attempt did, beside its own. */
const otherDocuments = (own: string, names: readonly LedgerName[]): readonly string[] =>
  [...new Set(names.map(({ ledgerDocument }) => ledgerDocument))].filter((document) => document !== own);

/** What an attempt wrote, took back, and found to stand already. */
export function* putIntoLedger(
  context: CommandContext,
  { fence: { tenant, patient }, at, written, retracted, adopted = NOTHING_ADOPTED }: Finish,
  deliverySeq: number,
  document: Uint8Array,
): Program<void> {
  const chart = { tenant, patient };
  const byDelivery = { document, deliverySeq };
  if (written !== null) yield* putShelves(chart, document, written.shelves);
  const isMore = retracted.length + adopted.names.length + (written?.known.length ?? 0) > 0;
  if (written !== null && !isMore && (yield* addDocument(context, chart, byDelivery, written)) === 1) return;
  if (written === null && !isMore) return;

  const own = hexOf(document);
  const { entries, ids, known, shelves } = written ?? NOTHING_WRITTEN;
  const others = otherDocuments(own, [...known, ...retracted, ...adopted.names]);
  const documents = yield* loadDocuments(context, chart, [own, ...others]);
  const wasThere = documents.has(own);
  if (!wasThere) documents.set(own, new Map());
  const before = new Map([...documents].map(([one, held]) => [one, shelvesOf(held.values())]));
  const change = { written: parseEntries(entries, ids ?? {}), known, retracted, adopted, atMs: at.getTime() };
  for (const changed of changeLedger(documents, own, change)) {
    const held = documents.get(changed) ?? new Map<string, LedgerEntry>();
    const printed = printDocument(held);
    if (changed !== own)
      yield* changeDocument(context, chart, { document: bytesOf(changed), deliverySeq: null }, printed);
    else if (wasThere) yield* changeDocument(context, chart, byDelivery, printed);
    else yield* addDocument(context, chart, byDelivery, printed);
    const stood = before.get(changed) ?? new Set<string>();
    const stands = shelvesOf(held.values());
    const left = [...stood].filter((shelf) => !stands.has(shelf));
    yield* leaveShelves(chart, bytesOf(changed), left);
    const come = [...stands].filter((shelf) => !stood.has(shelf) && !shelves.includes(shelf));
    if (changed === own) yield* putShelves(chart, document, come);
  }
}

/** By which shelves it is found from now on what came into the row of a document. */
const putShelves = (
  { tenant, patient }: LedgerChart,
  document: Uint8Array,
  shelves: readonly string[],
): Program<void> =>
  insertAlike(
    WRITTEN_SHELF,
    { tenant, target: TARGET, patient_index: patient, document_index: document },
    shelves.toSorted().map((shelf) => ({ shelf })),
  );

/** A document is not read for what it holds no longer, such as the device of a patient, which the newest one holds. */
function* leaveShelves(
  { tenant, patient }: LedgerChart,
  document: Uint8Array,
  shelves: readonly string[],
): Program<void> {
  if (shelves.length === 0) return;
  yield* run`
    DELETE FROM written_shelf
    WHERE tenant = ${tenant} AND target = ${TARGET} AND patient_index = ${patient} AND document_index = ${document}
      AND shelf ${among('text', shelves)}`;
}

const FOREIGN_CHANGE = rowsOf('foreign_change', {
  tenant: 'text',
  target: 'text',
  delivery_seq: 'bigint',
  name: 'bytea',
  resource_type: 'text',
  resource_id_sealed: 'bytea',
  version_id: 'text',
  fingerprint: 'bytea',
  sides_sealed: 'bytea',
  seen_at: 'bigint',
});

/** What somebody else changed, instead of what was known of that before. */
export function* putForeign(
  { vault }: CommandContext,
  { fence: { tenant }, at }: Finish,
  deliverySeq: number,
  foreign: NonNullable<Finish['foreign']>,
): Program<void> {
  yield* run`
    DELETE FROM foreign_change WHERE tenant = ${tenant} AND target = ${TARGET} AND delivery_seq = ${deliverySeq}`;
  if (foreign === 'settled') return;
  yield* insert(
    FOREIGN_CHANGE,
    foreign.map((one) => ({
      tenant,
      target: TARGET,
      delivery_seq: deliverySeq,
      name: nameBytes(one.name),
      resource_type: one.resourceType,
      resource_id_sealed: sealId(vault, one),
      version_id: one.versionId,
      fingerprint: fromHex(one.fingerprint),
      sides_sealed: sealSides(vault, one),
      seen_at: at.getTime(),
    })),
  );
}
