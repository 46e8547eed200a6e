import {
  all,
  among,
  fragment,
  get,
  patientIndex,
  type CommandContext,
  type Program,
  type Programs,
} from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { LaneReads } from '../commands.ts';
import { ATTEMPTS_SHOWN, toAttempt, toSeenChange, toTarget, toWrote, type Row } from '../rows.ts';
import type { LedgerEntry } from '../ledger-document.ts';
import { entriesOf, standingOf, writtenByAnybody } from './ledger.ts';
import { inDoubt, ofSameUser } from './parts.ts';
import { lag } from './lag.ts';
import { waiting } from './waiting.ts';

/** Of a delivery that is not there, or that has none, a document that wrote nothing. */
const documentOf = (row: Row | undefined): Uint8Array => (row?.['document_index'] ?? Buffer.alloc(0)) as Uint8Array;

/** A document has some dozens. */
const WROTE_SHOWN = 500;

/** Of the charts that a delivery was written into, what it was the last to write. */
function* writtenBy(
  context: CommandContext,
  tenant: string,
  document: Uint8Array,
  deliverySeq: number,
): Program<readonly LedgerEntry[]> {
  const rows = yield* all`
    SELECT w.patient_index, w.document_index, w.entries, w.ids_sealed FROM written_document w
    WHERE w.tenant = ${tenant} AND w.target = ${TARGET} AND w.document_index = ${document}
      AND w.patient_index IN (SELECT patient_index FROM job WHERE delivery_seq = ${deliverySeq})`;
  const entries: LedgerEntry[] = [];
  for (const row of rows)
    entries.push(...(yield* entriesOf(context, { tenant, patient: row['patient_index'] as Uint8Array }, row)));
  return entries.filter((entry) => entry.deliverySeq === deliverySeq);
}

const orderOf = ({ resourceType, name }: LedgerEntry): string => `${resourceType} ${name}`;
const byTypeAndName = (a: LedgerEntry, b: LedgerEntry): number => (orderOf(a) < orderOf(b) ? -1 : 1);

export const reads: Programs<LaneReads> = {
  *'lane.ledger'(context, { tenant, deliveryId, patient: { mrnSystem, mrn }, names, shelves, alertsOf = null }) {
    const document = documentOf(yield* get`SELECT document_index FROM delivery WHERE id = ${deliveryId}`);
    const patient = patientIndex(context.vault, mrnSystem, mrn);
    const isOfUser = ofSameUser(fragment`o.id = ${deliveryId}`);
    return yield* writtenByAnybody(context, { tenant, patient, document }, { names, shelves, alertsOf }, isOfUser);
  },
  *'lane.to-retract'(context, { tenant, deliverySeq, patient }) {
    const document = documentOf(yield* get`SELECT document_index FROM delivery WHERE seq = ${deliverySeq}`);
    return yield* standingOf(context, { tenant, patient, document });
  },
  *'lane.intents'(_, { tenant, deliverySeqs, patient }) {
    const rows = yield* all`
      SELECT intents FROM attempt
      WHERE intents IS NOT NULL AND tenant = ${tenant}
        AND ${inDoubt(fragment`d.seq ${among('bigint', deliverySeqs)}`, patient)}`;
    return rows.map((row) => row['intents'] as Uint8Array);
  },
  *'lane.history'(context, { tenant, deliveryId }) {
    const delivery = yield* get`
      SELECT seq, document_index FROM delivery WHERE tenant = ${tenant} AND id = ${deliveryId}`;
    const seq = Number(delivery?.['seq'] ?? 0);
    const attempts = yield* all`
      SELECT a.id, j.kind, a.started_at, a.ended_at, a.outcome, a.fault_code, a.http_status, a.issues
      FROM job j JOIN attempt a ON a.job_seq = j.seq WHERE j.delivery_seq = ${seq}
      ORDER BY a.seq DESC LIMIT ${ATTEMPTS_SHOWN}`;
    const wrote = (yield* writtenBy(context, tenant, documentOf(delivery), seq)).toSorted(byTypeAndName);
    return { attempts: attempts.map(toAttempt), wrote: wrote.slice(0, WROTE_SHOWN).map(toWrote) };
  },
  *'lane.foreign'({ vault }, { tenant, deliveryId }) {
    const rows = yield* all`
      SELECT name, resource_type, resource_id_sealed, version_id, fingerprint, sides_sealed, seen_at, decision
      FROM foreign_change
      WHERE tenant = ${tenant} AND target = ${TARGET}
        AND delivery_seq = (SELECT seq FROM delivery WHERE tenant = ${tenant} AND id = ${deliveryId})
      ORDER BY name`;
    return rows.map((row) => toSeenChange(row, vault));
  },
  *'lane.target'(_, { tenant }) {
    return toTarget(
      yield* get`SELECT paused_at, paused_by, habits FROM target WHERE tenant = ${tenant} AND target = ${TARGET}`,
    );
  },
  'lane.lag': lag,
  'lane.waiting': waiting,
};
