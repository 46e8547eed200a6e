import {
  all,
  FOR_UPDATE_OF_FREE,
  fragment,
  get,
  rightNowMs,
  run,
  typed,
  words,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import type { ExportWrites, LeaseOutcome, ExportLease } from '../commands.ts';
import { CLAIMED, toClaimed, type Row } from '../rows.ts';

const CLAIMED_COLUMNS = words(CLAIMED);

type Claim = ExportWrites['exports.claim'];

/** The rows of a patient that a run left half done are removed: the patient is read anew. */
export function* dropUnfinished(seq: number): Program<void> {
  yield* run`
    DELETE FROM export_segment WHERE export_seq = ${seq} AND patient_n IN (
      SELECT n FROM export_patient WHERE export_seq = ${seq} AND state = 'waiting')`;
}

/** On SQLite nobody but this process can be at it, so that a lease of the process before it means nothing. */
export function* claim(
  { vault, engine }: CommandContext,
  { tenant, owner, at, leaseMs }: Claim['args'],
): Program<Claim['out']> {
  const ofAnother = engine === 'sqlite' ? fragment`owner <> ${owner} OR` : fragment``;
  const isFree = fragment`(owner IS NULL OR ${ofAnother} lease_until < ${rightNowMs(at)})`;
  const found = yield* get`
    SELECT seq FROM export_job WHERE tenant = ${tenant} AND state = 'running' AND ${isFree}
    ORDER BY seq LIMIT 1 ${FOR_UPDATE_OF_FREE}`;
  if (found === undefined) return null;
  const seq = Number(found['seq']);
  yield* dropUnfinished(seq);
  const [row] = yield* all`
    UPDATE export_job SET owner = ${owner}, epoch = epoch + 1, lease_until = ${rightNowMs(at)} + ${typed('bigint', leaseMs)}
    WHERE seq = ${seq} RETURNING ${CLAIMED_COLUMNS}`;
  return row === undefined ? null : toClaimed(vault, row);
}

/** Locks the export for the run that has it, and renews its lease; null: the run is over. */
export function* hold({ tenant, seq, epoch, at, leaseMs }: ExportLease): Program<Row | null> {
  const [row] = yield* all`
    UPDATE export_job SET lease_until = ${rightNowMs(at)} + ${typed('bigint', leaseMs)}
    WHERE seq = ${seq} AND tenant = ${tenant} AND epoch = ${epoch} AND state = 'running' AND owner IS NOT NULL
    RETURNING ${CLAIMED_COLUMNS}`;
  return row ?? null;
}

export function* renew(_: CommandContext, held: ExportLease): Program<LeaseOutcome> {
  return (yield* hold(held)) === null ? 'lost' : 'held';
}

/** For whoever comes next; that may be this process. */
export function* release(_: CommandContext, { tenant, seq, epoch }: ExportLease): Program<null> {
  yield* run`
    UPDATE export_job SET owner = NULL, lease_until = 0
    WHERE seq = ${seq} AND tenant = ${tenant} AND epoch = ${epoch}`;
  return null;
}
