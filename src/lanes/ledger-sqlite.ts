import type { SqliteContext } from '../store/index.ts';
import { TARGET } from './enqueue/commands.ts';
import type { LedgerRow } from './commands.ts';
import { LEDGER, OF_SAME_USER, toLedgerRow } from './rows.ts';

/** What a document wrote into a chart. */
export const writtenByDocument = (
  { db, vault }: SqliteContext,
  tenant: string,
  patient: Uint8Array,
  document: Uint8Array,
): LedgerRow[] =>
  db
    .all(
      `SELECT ${LEDGER} FROM written_resource INDEXED BY written_by_document WHERE tenant = ? AND target = ? AND patient_index = ? AND document_index = ?`,
      tenant,
      TARGET,
      patient,
      document,
    )
    .map((row) => toLedgerRow(row, vault, document));

/** Alerts of a day that other documents of the user of a delivery wrote there. */
const alertsByOthers = (
  { db, vault }: SqliteContext,
  tenant: string,
  patient: Uint8Array,
  document: Uint8Array,
  { day, deliveryId }: { readonly day: string; readonly deliveryId: string },
): LedgerRow[] =>
  db
    .all(
      `SELECT ${LEDGER} FROM written_resource w INDEXED BY written_alerts WHERE w.tenant = ? AND w.target = ? AND w.patient_index = ? AND w.summary_group = 'alerts'
       AND w.chart_day = ? AND w.document_index <> ? AND ${OF_SAME_USER} AND o.id = ?)`,
      tenant,
      TARGET,
      patient,
      day,
      document,
      deliveryId,
    )
    .map((row) => toLedgerRow(row, vault, document));

/**
 * What other documents wrote there under these names, which are a JSON list, and the alerts of a day, where that is
 * asked.
 */
export function writtenByOthers(
  context: SqliteContext,
  tenant: string,
  patient: Uint8Array,
  document: Uint8Array,
  asked: { readonly names: string; readonly alertsOf: string | null; readonly deliveryId: string },
): LedgerRow[] {
  const named = underNames(context, tenant, patient, document, asked.names);
  if (asked.alertsOf === null) return named;
  const known = new Set(named.map(({ name }) => name));
  const alerts = alertsByOthers(context, tenant, patient, document, {
    day: asked.alertsOf,
    deliveryId: asked.deliveryId,
  });
  return [...named, ...alerts.filter(({ name }) => !known.has(name))];
}

const underNames = (
  { db, vault }: SqliteContext,
  tenant: string,
  patient: Uint8Array,
  document: Uint8Array,
  names: string,
): LedgerRow[] =>
  db
    .all(
      `SELECT ${LEDGER} FROM json_each(?) n CROSS JOIN written_resource w INDEXED BY written_once
       ON w.tenant = ? AND w.target = ? AND w.patient_index = ? AND w.name = unhex(n.value) WHERE w.document_index <> ?`,
      names,
      tenant,
      TARGET,
      patient,
      document,
    )
    .map((row) => toLedgerRow(row, vault, document));
