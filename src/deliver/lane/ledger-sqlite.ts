import type { SqliteContext } from '../../store/index.ts';
import { TARGET } from '../commands.ts';
import type { LedgerRow } from './commands.ts';
import { LEDGER, toLedgerRow } from './rows.ts';

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

/** What other documents wrote there under these names, which are a JSON list. */
export const writtenByOthers = (
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
