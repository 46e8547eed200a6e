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
/** Without a name's own day, an entry of before stands under its day in the chart, which is a local one. */
const EARLIER = 'L';
const daysAround = (day: string): readonly string[] => {
  const ms = Date.parse(day);
  if (Number.isNaN(ms)) return [];
  return [-DAY_MS, 0, DAY_MS].map((by) => EARLIER + new Date(ms + by).toISOString().slice(0, 10));
};

/** What has these days in its name, in whichever way it was entered, and what has none. */
export const ledgerDaysOf = (days: readonly string[]): string[] => [
  ...new Set(['', ...days, ...days.flatMap(daysAround)]),
];

/** Rows `w` of documents that have written something with one of these days in its name. */
export const ofDays = ({ tenant, patient }: LedgerChart, days: readonly string[]): Fragment => fragment`
  w.document_index IN (SELECT y.document_index FROM written_day y
    WHERE y.tenant = ${tenant} AND y.target = ${TARGET} AND y.patient_index = ${patient}
      AND y.day ${among('text', ledgerDaysOf(days))})`;

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
  { days, alertsOf }: Pick<LedgerQuestion, 'days' | 'alertsOf'>,
  isOfUser: Fragment,
): Program<readonly Row[]> {
  const isMeant = alertsOf === null ? fragment`0` : fragment`CASE WHEN ${isOfUser} THEN 1 ELSE 0 END`;
  const wanted = alertsOf === null ? days : [...days, ...around(alertsOf)];
  return all`
    SELECT w.document_index, w.entries, w.ids_sealed, ${isMeant} AS is_of_user FROM written_document w
    WHERE ${inChart(chart)} AND w.document_index <> ${document} AND ${ofDays(chart, wanted)}`;
}

/** An alert of a local day has that day, or the one before or after it, in its name. */
export const around = (day: string): readonly string[] => daysAround(day).map((one) => one.slice(EARLIER.length));

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
