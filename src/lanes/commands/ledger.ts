import { all, among, fragment, type CommandContext, type Fragment, type Program } from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { LedgerRow } from '../commands.ts';
import { parseEntries, toLedgerRow, type LedgerEntry } from '../ledger-document.ts';
import type { LedgerQuestion } from '../ledger-rows.ts';
import { hexOf, nameOf, openIds, openIdApart, type Row } from '../rows.ts';

/** The chart of a patient, as the ledger knows it. */
export interface LedgerChart {
  readonly tenant: string;
  readonly patient: Uint8Array;
}
/** A document in a chart. */
export interface Written extends LedgerChart {
  readonly document: Uint8Array;
}

/** Rows of the table, under the name `w`. */
export const inChart = ({ tenant, patient }: LedgerChart): Fragment =>
  fragment`w.tenant = ${tenant} AND w.target = ${TARGET} AND w.patient_index = ${patient}`;

const DAY_MS = 86_400_000;
/** Of an entry of before nobody knows the shelf: it stands under its day in the chart, which is a local one. */
const EARLIER = 'L';
/** How shelves of documents begin; alone it is the one of all that they wrote before. */
const OF_DOCUMENT = 'D';
/** Where such an entry may stand that would be on this shelf now: a part of a date is a day in the chart as it is. */
const earlierShelves = (shelf: string): readonly string[] =>
  shelf.startsWith(OF_DOCUMENT) ? [OF_DOCUMENT] : [shelf, ...around(shelf)].map((day) => EARLIER + day);

/** Where what would be on these shelves stands, in whichever way it was entered, and what tells of no shelf. */
export const shelvesWith = (shelves: readonly string[]): string[] => [
  ...new Set(['', ...shelves, ...shelves.flatMap(earlierShelves)]),
];

/** Rows `w` of documents that have something on one of these shelves. */
export const onShelves = ({ tenant, patient }: LedgerChart, shelves: readonly string[]): Fragment => fragment`
  w.document_index IN (SELECT y.document_index FROM written_shelf y
    WHERE y.tenant = ${tenant} AND y.target = ${TARGET} AND y.patient_index = ${patient}
      AND y.shelf ${among('text', shelvesWith(shelves))})`;

const isApart = ({ isIdApart }: LedgerEntry): boolean => isIdApart;

/** The ids that stand apart are looked up where there are any. */
function* withIdsApart(
  { vault }: CommandContext,
  { tenant, patient }: LedgerChart,
  entries: readonly LedgerEntry[],
): Program<readonly LedgerEntry[]> {
  const names = entries.filter(isApart).map(({ name }) => name);
  if (names.length === 0) return entries;
  const rows = yield* all`
    SELECT name, resource_id_sealed FROM written_id
    WHERE tenant = ${tenant} AND target = ${TARGET} AND patient_index = ${patient} AND name ${among('bytea', names)}`;
  const ids = new Map(rows.map((row) => [nameOf(row), openIdApart(vault, row)]));
  return entries.map((entry) => (entry.isIdApart ? { ...entry, id: ids.get(entry.name) ?? null } : entry));
}

/** What a row of `written_document` holds. */
export const entriesOf = (context: CommandContext, chart: LedgerChart, row: Row): Program<readonly LedgerEntry[]> =>
  withIdsApart(context, chart, parseEntries(String(row['entries']), openIds(context.vault, chart.patient, row)));

/** The entries of documents that are asked for, as the ledger tells of them. */
function* readLedger(
  context: CommandContext,
  { document, ...chart }: Written,
  rows: readonly Row[],
  isWanted: (entry: LedgerEntry, isOfDocument: boolean) => boolean,
): Program<LedgerRow[]> {
  const own = hexOf(document);
  const found: LedgerRow[] = [];
  for (const row of rows) {
    const of = hexOf(row['document_index'] as Uint8Array);
    for (const entry of yield* entriesOf(context, chart, row))
      if (isWanted(entry, of === own)) found.push(toLedgerRow(entry, of, own));
  }
  return found;
}

/** Entries of these names, and alerts of a day, where that is asked. */
function asked({ names, alertsOf }: Pick<LedgerQuestion, 'names' | 'alertsOf'>): (entry: LedgerEntry) => boolean {
  const wanted = new Set(names);
  return ({ name, group, chartDay }) =>
    wanted.has(name) || (alertsOf !== null && group === 'alerts' && chartDay === alertsOf);
}

/**
 * Rows of other documents that may have what is asked for: one of the names, or an alert of that day, whose own day may
 * be the one beside it. Only alerts of the same user are meant.
 */
function othersWith(
  { document, ...chart }: Written,
  { shelves, alertsOf }: Pick<LedgerQuestion, 'shelves' | 'alertsOf'>,
  isOfUser: Fragment,
): Program<readonly Row[]> {
  const isMeant = alertsOf === null ? fragment`0` : fragment`CASE WHEN ${isOfUser} THEN 1 ELSE 0 END`;
  const wanted = alertsOf === null ? shelves : [...shelves, ...around(alertsOf)];
  return all`
    SELECT w.document_index, w.entries, w.ids_sealed, ${isMeant} AS is_of_user FROM written_document w
    WHERE ${inChart(chart)} AND w.document_index <> ${document} AND ${onShelves(chart, wanted)}`;
}

/** A day of some zone, and the days before and after it. */
export function around(day: string): readonly string[] {
  const ms = Date.parse(day);
  if (Number.isNaN(ms)) return [];
  return [-DAY_MS, 0, DAY_MS].map((by) => new Date(ms + by).toISOString().slice(0, 10));
}

function* readOthers(
  context: CommandContext,
  written: Written,
  question: LedgerQuestion,
  isOfUser: Fragment,
): Program<LedgerRow[]> {
  const rows = yield* othersWith(written, question, isOfUser);
  if (rows.length === 0) return [];
  const found: LedgerRow[] = [];
  for (const row of rows) {
    const isAsked = asked(Number(row['is_of_user']) === 1 ? question : { ...question, alertsOf: null });
    found.push(...(yield* readLedger(context, written, [row], isAsked)));
  }
  return found;
}

/** The row of a document in a chart. */
const rowOf = ({ document, ...chart }: Written): Program<readonly Row[]> =>
  all`
    SELECT w.document_index, w.entries, w.ids_sealed FROM written_document w
    WHERE ${inChart(chart)} AND w.document_index = ${document}`;

/** What other documents wrote under these names. */
export const writtenByOthers = readOthers;

/** What the document wrote, and what is asked for beside. */
export function* writtenByAnybody(
  context: CommandContext,
  written: Written,
  question: LedgerQuestion,
  isOfUser: Fragment,
): Program<LedgerRow[]> {
  const own = yield* readLedger(context, written, yield* rowOf(written), () => true);
  return [...own, ...(yield* readOthers(context, written, question, isOfUser))];
}

/** What the document wrote and nobody has taken back. */
export function* standingOf(context: CommandContext, written: Written): Program<LedgerRow[]> {
  return yield* readLedger(context, written, yield* rowOf(written), ({ retractedAt }) => retractedAt === null);
}
