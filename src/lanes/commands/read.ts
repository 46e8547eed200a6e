import { all, among, fragment, get, patientIndex, type Programs } from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { LaneReads } from '../commands.ts';
import { ATTEMPTS_SHOWN, toAttempt, toSeenChange, toTarget, toWrote, type Row } from '../rows.ts';
import { standingOf, writtenByAnybody } from './ledger.ts';
import { inDoubt, ofSameUser } from './parts.ts';
import { lag } from './lag.ts';
import { waiting } from './waiting.ts';

/** Of a delivery that is not there, or that has none, a document that wrote nothing. */
const documentOf = (row: Row | undefined): Uint8Array => (row?.['document_index'] ?? Buffer.alloc(0)) as Uint8Array;

/** A document has some dozens. */
const WROTE_SHOWN = 500;

export const reads: Programs<LaneReads> = {
  *'lane.ledger'(context, { tenant, deliveryId, patient: { mrnSystem, mrn }, names, alertsOf = null }) {
    const document = documentOf(yield* get`SELECT document_index FROM delivery WHERE id = ${deliveryId}`);
    const patient = patientIndex(context.vault, mrnSystem, mrn);
    const isOfUser = ofSameUser(fragment`o.id = ${deliveryId}`);
    return yield* writtenByAnybody(context, { tenant, patient, document }, { names, alertsOf }, isOfUser);
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
  *'lane.history'({ vault }, { tenant, deliveryId }) {
    const delivery = yield* get`
      SELECT seq, document_index FROM delivery WHERE tenant = ${tenant} AND id = ${deliveryId}`;
    const seq = Number(delivery?.['seq'] ?? 0);
    const attempts = yield* all`
      SELECT a.id, j.kind, a.started_at, a.ended_at, a.outcome, a.fault_code, a.http_status, a.issues
      FROM job j JOIN attempt a ON a.job_seq = j.seq WHERE j.delivery_seq = ${seq}
      ORDER BY a.seq DESC LIMIT ${ATTEMPTS_SHOWN}`;
    const wrote = yield* all`
      SELECT name, resource_type, resource_id_sealed, version_id, written_at, retracted_at FROM written_resource
      WHERE tenant = ${tenant} AND target = ${TARGET} AND document_index = ${documentOf(delivery)}
        AND patient_index IN (SELECT patient_index FROM job WHERE delivery_seq = ${seq}) AND delivery_seq = ${seq}
      ORDER BY resource_type, name LIMIT ${WROTE_SHOWN}`;
    return { attempts: attempts.map(toAttempt), wrote: wrote.map((row) => toWrote(row, vault)) };
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
