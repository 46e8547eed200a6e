import {
  all,
  among,
  insert,
  insertAlike,
  part,
  rowsOf,
  run,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { Finish } from '../commands.ts';
import {
  changeLedger,
  parseEntries,
  printDocument,
  type LedgerChange,
  type LedgerDocument,
  type LedgerEntry,
} from '../ledger-document.ts';
import { bytesOf, fromHex, hexOf, nameBytes, openIds, sealId, sealIds, sealSides } from '../rows.ts';
import { inChart, type LedgerChart } from './ledger.ts';

const WRITTEN_DAY = rowsOf('written_day', { day: 'text' }, 'ON CONFLICT DO NOTHING', {
  tenant: 'text',
  target: 'text',
  patient_index: 'bytea',
  document_index: 'bytea',
});

const FOR_UPDATE_OF_DOCUMENT = part('', 'FOR UPDATE OF w');

/** What each of these documents wrote; nothing, for one of which there is no row. */
function* loadDocuments(
  { vault }: CommandContext,
  chart: LedgerChart,
  documents: readonly string[],
): Program<Map<string, LedgerDocument>> {
  const rows = yield* all`
    SELECT w.document_index, w.entries, w.ids_sealed FROM written_document w
    WHERE ${inChart(chart)} AND w.document_index ${among('bytea', documents)} ORDER BY w.document_index
    ${FOR_UPDATE_OF_DOCUMENT}`;
  const loaded = new Map(documents.map((document) => [document, new Map<string, LedgerEntry>()]));
  for (const row of rows) {
    const entries = parseEntries(String(row['entries']), openIds(vault, chart.patient, row));
    loaded.set(hexOf(row['document_index'] as Uint8Array), new Map(entries.map((entry) => [entry.name, entry])));
  }
  return loaded;
}

/** The row of a document, as this delivery leaves it. */
function* putDocument(
  { vault }: CommandContext,
  { tenant, patient }: LedgerChart,
  document: Uint8Array,
  entries: LedgerDocument,
  deliverySeq: number,
): Program<void> {
  const printed = printDocument(entries);
  yield* run`
    INSERT INTO written_document (tenant, target, patient_index, document_index, delivery_seq, standing, alerts, entries,
      ids_sealed)
    VALUES (${tenant}, ${TARGET}, ${patient}, ${document}, ${deliverySeq}, ${printed.standing}, ${printed.alerts},
      ${printed.entries}, ${sealIds(vault, patient, document, printed.ids)})
    ON CONFLICT (tenant, target, patient_index, document_index) DO UPDATE SET delivery_seq = excluded.delivery_seq,
      standing = excluded.standing, alerts = excluded.alerts, entries = excluded.entries,
      ids_sealed = excluded.ids_sealed`;
}

/** The row of another document, of which something went over to this one or was taken back. */
function* changeDocument(
  { vault }: CommandContext,
  { tenant, patient }: LedgerChart,
  document: Uint8Array,
  entries: LedgerDocument,
): Program<void> {
  const printed = printDocument(entries);
  yield* run`
    UPDATE written_document SET standing = ${printed.standing}, alerts = ${printed.alerts},
      entries = ${printed.entries}, ids_sealed = ${sealIds(vault, patient, document, printed.ids)}
    WHERE tenant = ${tenant} AND target = ${TARGET} AND patient_index = ${patient} AND document_index = ${document}`;
}

const NOTHING_ADOPTED = { names: [], saidAt: 0 } as const;

/** What an attempt wrote, took back, and found to stand already. */
export function* putIntoLedger(
  context: CommandContext,
  { fence: { tenant, patient }, at, written, retracted, adopted = NOTHING_ADOPTED }: Finish,
  deliverySeq: number,
  document: Uint8Array,
): Program<void> {
  if (written.length + retracted.length + adopted.names.length === 0) return;
  const chart = { tenant, patient };
  const own = hexOf(document);
  const concerned = new Set([own]);
  for (const { ledgerDocument } of [...written, ...retracted, ...adopted.names])
    if (ledgerDocument !== null) concerned.add(ledgerDocument);
  const documents = yield* loadDocuments(context, chart, [...concerned]);
  const change: LedgerChange = { written, retracted, adopted, atMs: at.getTime(), deliverySeq };
  for (const changed of changeLedger(documents, own, change)) {
    const entries = documents.get(changed) ?? new Map<string, LedgerEntry>();
    if (changed === own) yield* putDocument(context, chart, document, entries, deliverySeq);
    else yield* changeDocument(context, chart, bytesOf(changed), entries);
  }
  yield* putDays(chart, document, documents.get(own) ?? new Map<string, LedgerEntry>(), change);
}

/** By which days it is found from now on what came into the row of a document. */
function* putDays(
  { tenant, patient }: LedgerChart,
  document: Uint8Array,
  entries: LedgerDocument,
  { written, adopted }: LedgerChange,
): Program<void> {
  const days = new Set<string>();
  for (const { name } of [...written, ...adopted.names]) {
    const entry = entries.get(name);
    if (entry !== undefined) days.add(entry.ledgerDay);
  }
  yield* insertAlike(
    WRITTEN_DAY,
    { tenant, target: TARGET, patient_index: patient, document_index: document },
    [...days].sort().map((day) => ({ day })),
  );
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
