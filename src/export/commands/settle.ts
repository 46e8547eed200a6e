import { append } from '../../audit/index.ts';
import {
  all,
  among,
  FOR_UPDATE,
  fragment,
  get,
  run,
  words,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import { ENDED_MAX, type ExportWrites, type LeaseOutcome, type ExportLease } from '../commands.ts';
import { JOB, toJob } from '../rows.ts';
import { hold } from './claim.ts';
import { countSegments, insertSegments } from './patients.ts';

const JOB_COLUMNS = words(JOB);

export function* toShared(_: CommandContext, p: ExportLease): Program<LeaseOutcome> {
  const job = yield* hold(p);
  if (job === null) return 'lost';
  yield* run`UPDATE export_job SET phase = 'shared' WHERE seq = ${p.seq}`;
  return 'held';
}

type PutShared = ExportWrites['exports.put-shared'];

export function* putShared(context: CommandContext, p: PutShared['args']): Program<LeaseOutcome> {
  const { seq } = p;
  const job = yield* hold(p);
  if (job === null) return 'lost';
  const last = yield* get`SELECT max(n) AS n FROM export_segment WHERE export_seq = ${seq} AND patient_n = 0`;
  const from = Number(last?.['n'] ?? -1) + 1;
  yield* insertSegments(
    context,
    job,
    0,
    p.segments.map((one, i) => ({ ...one, n: from + i, before: 0 })),
  );
  const counted = yield* countSegments(seq, 0, from);
  yield* run`
    UPDATE export_shared SET state = 'done' WHERE export_seq = ${seq} AND name ${among('text', p.names)}`;
  yield* run`
    UPDATE export_job SET resources = resources + ${counted.resources}, bytes = bytes + ${counted.bytes}
    WHERE seq = ${seq}`;
  return 'held';
}

type Settle = ExportWrites['exports.settle'];

/** What has failed has no files, so that its key goes at once. */
export function* settle(_: CommandContext, p: Settle['args']): Program<LeaseOutcome> {
  const job = yield* hold(p);
  if (job === null) return 'lost';
  const atMs = p.at.getTime();
  const expiresAt = p.to === 'complete' ? atMs + p.keepMs : null;
  yield* run`
    UPDATE export_job SET state = ${p.to}, fault = ${p.fault}, ended_at = ${atMs}, expires_at = ${expiresAt},
      owner = NULL, lease_until = 0
    WHERE seq = ${p.seq}`;
  if (p.to === 'failed') yield* run`UPDATE export_job SET key_sealed = NULL, asked_sealed = NULL WHERE seq = ${p.seq}`;
  return 'held';
}

type End = ExportWrites['exports.end'];

export function* end(context: CommandContext, p: End['args']): Program<End['out']> {
  const whose = p.of === null ? fragment`` : fragment`AND client = ${p.of.client} AND issuer = ${p.of.issuer}`;
  const found = yield* get`
    SELECT seq, state FROM export_job WHERE tenant = ${p.tenant} AND id = ${p.id} ${whose} ${FOR_UPDATE}`;
  if (found === undefined) return null;
  if (found['state'] !== 'running' && found['state'] !== 'complete' && found['state'] !== 'failed') return 'over';
  if (found['state'] === 'failed' && p.of === null) return 'over';
  const [row] = yield* all`
    UPDATE export_job SET state = ${p.of === null ? 'ended' : 'deleted'}, key_sealed = NULL, asked_sealed = NULL,
      ended_at = ${p.at.getTime()}, expires_at = NULL, owner = NULL, epoch = epoch + 1
    WHERE seq = ${Number(found['seq'])} RETURNING ${JOB_COLUMNS}`;
  yield* append(context, [p.audit]);
  return row === undefined ? null : toJob(row);
}

type Sweep = ExportWrites['exports.sweep'];

/** Rows of an export without a key, so many of each table; then the export counts as cleared. */
function* clear(seq: number, limit: number): Program<number> {
  let removed = 0;
  removed += yield* run`
    DELETE FROM export_segment WHERE export_seq = ${seq} AND (patient_n, n) IN (
      SELECT patient_n, n FROM export_segment WHERE export_seq = ${seq} LIMIT ${limit})`;
  if (removed === 0)
    removed += yield* run`
      DELETE FROM export_patient WHERE export_seq = ${seq} AND n IN (
        SELECT n FROM export_patient WHERE export_seq = ${seq} LIMIT ${limit})`;
  if (removed > 0) return removed;
  yield* run`DELETE FROM export_shared WHERE export_seq = ${seq}`;
  yield* run`DELETE FROM export_type WHERE export_seq = ${seq}`;
  yield* run`UPDATE export_job SET is_cleared = 1 WHERE seq = ${seq}`;
  return 1;
}

export function* sweep(_: CommandContext, { tenant, at, limit }: Sweep['args']): Program<Sweep['out']> {
  const expired = yield* run`
    UPDATE export_job SET state = 'expired', key_sealed = NULL, asked_sealed = NULL
    WHERE tenant = ${tenant} AND is_cleared = 0 AND state = 'complete' AND expires_at <= ${at.getTime()}`;
  const left = yield* get`
    SELECT seq FROM export_job WHERE tenant = ${tenant} AND is_cleared = 0 AND key_sealed IS NULL
    ORDER BY seq LIMIT 1`;
  if (left !== undefined) return expired + (yield* clear(Number(left['seq']), limit));
  const old = yield* get`
    SELECT seq FROM export_job WHERE tenant = ${tenant} AND is_cleared = 1
    ORDER BY seq DESC LIMIT 1 OFFSET ${ENDED_MAX}`;
  if (old === undefined) return expired;
  return (
    expired +
    (yield* run`
    DELETE FROM export_job WHERE tenant = ${tenant} AND is_cleared = 1 AND seq <= ${Number(old['seq'])}`)
  );
}

type Forget = ExportWrites['exports.forget-unlinked'];

/** Asked again, since a link may have been made meanwhile. */
export function* forgetUnlinked(_: CommandContext, { tenant, patients }: Forget['args']): Program<null> {
  for (const { seq, n } of patients) {
    const gone = yield* run`
      UPDATE export_patient SET state = 'left' WHERE export_seq = ${seq} AND n = ${n} AND tenant = ${tenant}
        AND state IN ('done','failed') AND NOT EXISTS (
          SELECT 1 FROM link l WHERE l.tenant = export_patient.tenant AND l.mrn_index = export_patient.mrn_index
            AND l.status = 'confirmed')`;
    if (gone === 1) yield* run`DELETE FROM export_segment WHERE export_seq = ${seq} AND patient_n = ${n}`;
  }
  return null;
}
