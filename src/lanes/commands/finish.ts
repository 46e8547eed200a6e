import { append, type AuditDraft } from '../../audit/index.ts';
import { putEvents } from '../../events/index.ts';
import { markUser } from '../../identity/index.ts';
import { LEFT_OUT, move, type Move, type State } from '../../inbox/index.ts';
import {
  EARLIER,
  fragment,
  get,
  LONG_AGO,
  MILLISECONDS,
  now,
  part,
  send,
  typed,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { Delivered, Fence, Finish, LaneWrites } from '../commands.ts';
import {
  ATTEMPTS_SHOWN,
  auditOfFinish,
  deliveryOf,
  endOf,
  faultOf,
  fromHex,
  isFew,
  moveOf,
  outcomeWord,
  stepBack,
  type Row,
} from '../rows.ts';
import { holdJob, isLinkedTo, startSending } from './hold.ts';
import { inDoubt } from './parts.ts';
import { forwardAlerts } from './reforward.ts';
import { putForeign, putIntoLedger } from './written.ts';

/** The row of the document is where a newer version takes its place. */
const FOR_SHARE_OF_DOCUMENT = part('', 'FOR SHARE OF g');

/** What was left out of a version that is no longer the newest waits for nothing. */
function* deliveredBecause({ reason }: Delivered, deliverySeq: number): Program<string | null> {
  if (reason !== LEFT_OUT) return reason ?? null;
  const current = yield* get`
    SELECT 1 AS current FROM delivery d
    JOIN document g ON g.tenant = d.tenant AND g.document_index = d.document_index AND g.seq = d.seq
    WHERE d.seq = ${deliverySeq} ${FOR_SHARE_OF_DOCUMENT}`;
  return current === undefined ? 'newer-version' : reason;
}

/** What becomes of the delivery; null where it stays as it is. */
function* stepOf(f: Finish, from: State, deliverySeq: number): Program<Pick<Move, 'from' | 'to' | 'reason'> | null> {
  const { outcome } = f;
  switch (outcome.kind) {
    case 'delivered':
      return { from, to: 'delivered', reason: yield* deliveredBecause(outcome, deliverySeq) };
    case 'park':
      return { from, to: 'parked', reason: outcome.reason };
    case 'unknown':
      return { from, to: 'unknown', reason: outcome.faultCode };
    case 'retry':
    case 'put-back':
      return stepBack(from, f);
  }
}

/** A retraction is not its delivery's affair. */
function* moveBy(context: CommandContext, f: Finish, row: Row, record: AuditDraft | null): Program<void> {
  const { fence, at, outcome } = f;
  const delivery = deliveryOf(row);
  const isStarting = f.attemptId === null && outcome.kind !== 'put-back' && outcome.kind !== 'retry';
  if (isStarting) yield* startSending(context, fence.tenant, row, f.jobSeq, at);
  const step = yield* stepOf(f, isStarting ? 'sending' : (row['state'] as State), delivery.seq);
  const one = { ...moveOf(delivery, fence.tenant, at), faultCode: faultOf(outcome) };
  yield* move(context, step === null ? [] : [{ ...one, ...step }], { record });
}

/** The job was taken away while nothing of it was under way: its lane is free for the next. */
function* release({ tenant, patient }: Fence, at: Date): Program<void> {
  yield* send`
    UPDATE lane SET lease_owner = NULL, lease_until = ${LONG_AGO}, next_at = ${now(at)}
    WHERE tenant = ${tenant} AND target = ${TARGET} AND patient_index = ${patient}`;
}

/** What waited for a document to leave a chart need not wait any longer. */
function* wakeOthers(tenant: string, deliverySeq: number, at: Date): Program<void> {
  yield* send`
    UPDATE lane SET next_at = ${EARLIER}(next_at, ${now(at)})
    WHERE tenant = ${tenant} AND target = ${TARGET} AND patient_index IN (
      SELECT j.patient_index FROM delivery d
      JOIN delivery o ON o.tenant = d.tenant AND o.document_index = d.document_index
      JOIN job j ON j.delivery_seq = o.seq
      WHERE d.seq = ${deliverySeq} AND j.kind = 'deliver' AND j.state = 'queued')`;
}

/** Of a job that is tried for days, only what the EHR said last is kept. */
function* forgetOlderIssues(jobSeq: number): Program<void> {
  yield* send`
    UPDATE attempt SET issues = NULL
    WHERE job_seq = ${jobSeq} AND issues IS NOT NULL AND seq <= (
      SELECT seq FROM attempt WHERE job_seq = ${jobSeq} ORDER BY seq DESC LIMIT 1 OFFSET ${ATTEMPTS_SHOWN})`;
}

function* endAttempts(f: Finish, seq: number): Program<void> {
  const { fence, at, attemptId, isResolved, httpStatus, outcome, issues = [] } = f;
  if (isResolved)
    yield* send`
      UPDATE attempt SET resolved_at = ${at.getTime()}, intents = NULL
      WHERE ${inDoubt(fragment`d.seq = ${seq}`, fence.patient)} AND id <> ${attemptId ?? ''}`;
  if (attemptId === null) return;
  // What is in doubt keeps what it meant to do; what is known does not need it any more.
  const word = outcomeWord(outcome);
  yield* send`
    UPDATE attempt SET ended_at = ${at.getTime()}, outcome = ${word}, fault_code = ${faultOf(outcome)},
      http_status = ${httpStatus}, issues = ${issues.length === 0 ? null : JSON.stringify(issues)},
      intents = CASE WHEN ${typed('text', word)} IN ('unknown','lost') THEN intents END
    WHERE id = ${attemptId} AND ended_at IS NULL`;
  if (issues.length > 0) yield* forgetOlderIssues(f.jobSeq);
}

const isOver = ({ outcome }: Finish): boolean => outcome.kind === 'delivered' || outcome.kind === 'park';

function* endJob(f: Finish, isRetraction: boolean): Program<void> {
  const { outcome, jobSeq } = f;
  if (isOver(f))
    yield* send`
      UPDATE job SET state = ${endOf(outcome, isRetraction)}, plan_digest = ${fromHex(f.planDigest ?? null)}
      WHERE seq = ${jobSeq}`;
  else if (outcome.kind !== 'put-back') {
    const untold = f.attemptId === null && outcome.kind === 'retry' ? 1 : 0;
    yield* send`
      UPDATE job SET attempts = attempts + ${typed('int', untold)},
        few_in_a_row = CASE WHEN ${typed('int', isFew(outcome) ? 1 : 0)} = 1 THEN few_in_a_row + 1 ELSE 0 END,
        first_attempt_at = coalesce(first_attempt_at, ${f.at.getTime()})
      WHERE seq = ${jobSeq}`;
  }
}

/** The link may have changed while it was under way: then what was written must follow it. */
function* followLink(context: CommandContext, f: Finish, row: Row): Program<void> {
  const user = row['user_index'] as Uint8Array | null;
  if (user === null) return;
  if (!isLinkedTo(f.fence.patient, row)) yield* markUser(f.fence.tenant, user, f.at);
  else if (f.alertDays !== undefined) yield* forwardAlerts(context, f.fence, f.alertDays, deliveryOf(row), f.at);
}

type Out = LaneWrites['lane.finish']['out'];

export function* finish(context: CommandContext, f: Finish): Program<Out> {
  const { fence, outcome, at } = f;
  const row = yield* holdJob(fence, f.jobSeq);
  if (row === 'lost') return 'lost';
  if (row === 'gone') {
    yield* release(fence, at);
    return 'lost';
  }
  const delivery = deliveryOf(row);
  const isRetraction = row['kind'] === 'retract';
  yield* putIntoLedger(context, f, delivery.seq, row['document_index'] as Uint8Array);
  const user = row['user_index'] as Uint8Array | null;
  yield* putEvents(context, [{ tenant: fence.tenant, at, user, patient: fence.patient, items: f.events }]);
  yield* endAttempts(f, delivery.seq);
  const isRecorded = f.attemptId !== null || f.written !== null;
  const record = isRecorded ? auditOfFinish(context.vault, f, delivery) : null;
  if (!isRetraction) yield* moveBy(context, f, row, record);
  else if (record !== null) yield* append(context, [record]);
  yield* endJob(f, isRetraction);
  if (!isRetraction) yield* followLink(context, f, row);
  if (f.foreign !== undefined) yield* putForeign(context, f, delivery.seq, f.foreign);
  if (isRetraction && outcome.kind === 'delivered') yield* wakeOthers(fence.tenant, delivery.seq, at);
  const afterMs = 'afterMs' in outcome ? Math.round(outcome.afterMs) : 0;
  const lane = yield* get`
    UPDATE lane SET lease_owner = NULL, lease_until = ${LONG_AGO},
      pending = pending - ${typed('int', isOver(f) ? 1 : 0)},
      next_at = ${now(at)} + ${typed('int', afterMs)}${MILLISECONDS}
    WHERE tenant = ${fence.tenant} AND target = ${TARGET} AND patient_index = ${fence.patient} RETURNING pending`;
  return Number(lane?.['pending']) > 0 ? 'more' : 'done';
}
