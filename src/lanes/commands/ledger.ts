import {
  all,
  among,
  fragment,
  part,
  words,
  type CommandContext,
  type Fragment,
  type Program,
} from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { LedgerRow } from '../commands.ts';
import type { LedgerQuestion } from '../ledger-rows.ts';
import { toLedgerRow } from '../rows.ts';
import { BY_ALERTS } from './parts.ts';

/** A document in a chart. */
export interface Written {
  readonly tenant: string;
  readonly patient: Uint8Array;
  readonly document: Uint8Array;
}

const LEDGER = words(`w.name, w.resource_type, w.resource_id_sealed, w.version_id, w.content_digest, w.said_status,
  w.said_meaning, w.fingerprint, w.summary_group, w.chart_day, w.retracted_at, w.kept_at, w.document_index, w.said_at,
  w.delivery_seq`);
const BY_DOCUMENT = part('INDEXED BY written_by_document', '');
const BY_NAME = part('INDEXED BY written_once', '');

/** What a document wrote into a chart. */
const byDocument = ({ tenant, patient, document }: Written): Fragment => fragment`
  SELECT ${LEDGER} FROM written_resource w ${BY_DOCUMENT}
  WHERE w.tenant = ${tenant} AND w.target = ${TARGET} AND w.patient_index = ${patient}
    AND w.document_index = ${document}`;

/**
 * What other documents wrote there under these names, and the alerts of a day, where that is asked, of a user: of a row
 * `w`, whether it is that one's.
 */
const byOthers = (
  { tenant, patient, document }: Written,
  { names, alertsOf }: LedgerQuestion,
  isOfUser: Fragment,
): Fragment => {
  const named = fragment`
    SELECT ${LEDGER} FROM written_resource w ${BY_NAME}
    WHERE w.tenant = ${tenant} AND w.target = ${TARGET} AND w.patient_index = ${patient}
      AND w.name ${among('bytea', names)} AND w.document_index <> ${document}`;
  if (alertsOf === null) return named;
  return fragment`
    ${named} UNION ALL
    SELECT ${LEDGER} FROM written_resource w ${BY_ALERTS}
    WHERE w.tenant = ${tenant} AND w.target = ${TARGET} AND w.patient_index = ${patient}
      AND w.summary_group = 'alerts' AND w.chart_day = ${alertsOf} AND w.document_index <> ${document}
      AND ${isOfUser}`;
};

/** An alert of the day may be asked for by its name as well. */
function* readLedger({ vault }: CommandContext, { document }: Written, asked: Fragment): Program<LedgerRow[]> {
  const rows = yield* all`${asked}`;
  const byName = new Map<string, LedgerRow>();
  for (const row of rows.map((one) => toLedgerRow(one, vault, document))) byName.set(row.name, row);
  return [...byName.values()];
}

export const writtenByOthers = (
  context: CommandContext,
  written: Written,
  asked: LedgerQuestion,
  isOfUser: Fragment,
): Program<LedgerRow[]> => readLedger(context, written, byOthers(written, asked, isOfUser));

/** What the document wrote, and what is asked for beside. */
export const writtenByAnybody = (
  context: CommandContext,
  written: Written,
  asked: LedgerQuestion,
  isOfUser: Fragment,
): Program<LedgerRow[]> =>
  readLedger(context, written, fragment`${byDocument(written)} UNION ALL ${byOthers(written, asked, isOfUser)}`);

/** What the document wrote and nobody has taken back. */
export const standingOf = (context: CommandContext, written: Written): Program<LedgerRow[]> =>
  readLedger(context, written, fragment`${byDocument(written)} AND w.retracted_at IS NULL`);
