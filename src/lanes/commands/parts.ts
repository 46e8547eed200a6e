import { KEYS } from '../../inbox/index.ts';
import { fragment, part, words, type Fragment } from '../../store/index.ts';

/* Pieces of SQL that several commands of lanes share. */

export const FOR_UPDATE_OF_DELIVERIES = part('', 'FOR UPDATE OF d');

/**
 * Whether a lease has not run out. On SQLite it is held until somebody takes it: its one process knows better than a
 * clock whether it is at it still.
 */
export const STILL_LASTS = part('', 'AND lease_until > now()');

const JOB = `j.seq, j.kind, j.attempts, j.few_in_a_row, j.first_attempt_at, j.because, j.delivery_seq,
  d.id, d.state, d.request_id, d.trace_id, d.received_at, d.state_at, d.user_index, d.document_index`;
/** The patient whom the user of a delivery `d` is linked to. */
const LINKED = `(SELECT l.mrn_index FROM link l
  WHERE l.tenant = d.tenant AND l.user_index = d.user_index AND l.status = 'confirmed') AS linked_index`;
/** A job and its delivery, without the body: whoever ends an attempt has had it. */
export const JOB_COLUMNS = words(`${JOB}, ${LINKED}`);
/** The head of a lane: the oldest delivery whose retraction from another chart, if there is one, is done. */
export const HEAD = words(`
  SELECT ${JOB}, ${LINKED}, b.sealed, ${KEYS},
    (SELECT min(coalesce(a.ended_at, a.started_at))
      FROM delivery o JOIN job k ON k.delivery_seq = o.seq JOIN attempt a ON a.job_seq = k.seq
      WHERE o.tenant = d.tenant AND o.document_index = d.document_index AND k.patient_index = j.patient_index
        AND a.resolved_at IS NULL AND (a.outcome IS NULL OR a.outcome IN ('unknown','lost'))) AS doubt_at,
    CASE WHEN EXISTS (SELECT 1 FROM job k WHERE k.delivery_seq = d.seq AND k.approved_at IS NOT NULL)
      THEN 1 ELSE 0 END AS is_approved,
    CASE WHEN EXISTS (SELECT 1 FROM foreign_change c
        WHERE c.tenant = d.tenant AND c.target = j.target AND c.delivery_seq = d.seq AND c.decision IS NOT NULL)
      THEN 1 ELSE 0 END AS is_decided
  FROM job j JOIN delivery d ON d.seq = j.delivery_seq LEFT JOIN delivery_body b ON b.seq = d.seq`);
/** What is written of a document waits until it is out of every other chart. */
export const READY = words(`
  j.state = 'queued' AND (j.kind = 'retract' OR NOT EXISTS (
    SELECT 1 FROM delivery o JOIN job r ON r.delivery_seq = o.seq
    WHERE o.tenant = d.tenant AND o.document_index = d.document_index
      AND r.kind = 'retract' AND r.state IN ('queued','parked')))`);

/** Attempts whose outcome nobody knew, for the documents of deliveries `d` in this chart, which `isAsked` names. */
export const inDoubt = (isAsked: Fragment, patient: Uint8Array): Fragment => fragment`
  resolved_at IS NULL AND (outcome IS NULL OR outcome IN ('unknown','lost')) AND job_seq IN (
    SELECT k.seq FROM delivery d JOIN delivery o ON o.tenant = d.tenant AND o.document_index = d.document_index
    JOIN job k ON k.delivery_seq = o.seq
    WHERE ${isAsked} AND k.patient_index = ${patient})`;

/** Of a row `w` of the ledger: whether the delivery that wrote it is of this user. */
export const ofUser = (user: Uint8Array): Fragment => fragment`
  EXISTS (SELECT 1 FROM delivery b WHERE b.seq = w.delivery_seq AND b.tenant = w.tenant AND b.user_index = ${user})`;

/** Of a row `w` of the ledger: whether the delivery that wrote it is of the same user as `o`, which `isAsked` names. */
export const ofSameUser = (isAsked: Fragment): Fragment => fragment`
  EXISTS (SELECT 1 FROM delivery b JOIN delivery o ON o.tenant = b.tenant AND o.user_index = b.user_index
    WHERE b.seq = w.delivery_seq AND ${isAsked})`;
