import { appendSqlite } from '../audit/index.ts';
import { confirmedLinkSqlite, openPatient } from '../identity/index.ts';
import { openBody } from '../inbox/index.ts';
import type { SqliteContext, SqliteOperations } from '../store/index.ts';
import { makeLaneChanges } from './enqueue/adjust.ts';
import { TARGET } from './enqueue/commands.ts';
import { changeLanesSqlite } from './enqueue/jobs-sqlite.ts';
import { putAttempt } from './fast-claim-sqlite.ts';
import type { Claimed, Fence, LaneWrites } from './commands.ts';
import { approvedPlans, acts, enterChart } from './act-sqlite.ts';
import { reforward } from './reforward-sqlite.ts';
import { finish, isHeld, startSending } from './finish-sqlite.ts';
import { deliveryOf, doubtOf, HEAD, IN_DOUBT, JOB_ROW, jobOf, READY, withoutAhead, type Row } from './rows.ts';

export { reads } from './read-sqlite.ts';

/** A lane whose head waits for a retraction elsewhere is woken by its end, and looked at again then at the latest. */
const BLOCKED_MS = 60_000;

function isLinkedTo(context: SqliteContext, { tenant, patient }: Fence, user: Uint8Array | null): boolean {
  const link = user === null ? null : confirmedLinkSqlite(context, tenant, user);
  return link !== null && Buffer.compare(link.mrnIndex, patient) === 0;
}

function claimOne(
  context: SqliteContext,
  tenant: string,
  patient: Uint8Array,
  owner: string,
  at: Date,
  leaseMs: number,
): Claimed | null {
  const { db, vault } = context;
  const lane = [tenant, TARGET, patient] as const;
  const head = db.get(
    `${HEAD} WHERE j.tenant = ? AND j.target = ? AND j.patient_index = ? AND ${READY} ORDER BY j.delivery_seq, j.seq LIMIT 1`,
    ...lane,
  );
  if (head === undefined) {
    db.run(
      'UPDATE lane SET next_at = ? WHERE tenant = ? AND target = ? AND patient_index = ?',
      at.getTime() + BLOCKED_MS,
      ...lane,
    );
    return null;
  }
  const { row, wasAhead } = withoutAhead(head, at);
  if (wasAhead) setBack(context, head, patient, at);
  const leased = db.get(
    'UPDATE lane SET lease_owner = ?, lease_epoch = lease_epoch + 1, lease_until = ? WHERE tenant = ? AND target = ? AND patient_index = ? RETURNING lease_epoch',
    owner,
    at.getTime() + leaseMs,
    ...lane,
  );
  const user = row['user_index'] as Uint8Array | null;
  const link = user === null ? null : confirmedLinkSqlite(context, tenant, user);
  const isLinked = link !== null && Buffer.compare(link.mrnIndex, patient) === 0;
  const linked =
    user === null
      ? undefined
      : db.get(
          'SELECT id, mrn_sealed FROM link WHERE tenant = ? AND user_index = ? AND mrn_index = ? ORDER BY seq DESC LIMIT 1',
          tenant,
          user,
          patient,
        );
  const delivery = deliveryOf(row);
  return {
    patient,
    epoch: Number(leased?.['lease_epoch']),
    job: jobOf(row),
    delivery,
    doubtAt: doubtOf(row),
    body: row['sealed'] === null ? 'gone' : openBody(vault, row),
    mrn: linked === undefined ? null : openPatient(vault, linked),
    isLinked,
    approvedPlans: Number(row['is_approved']) === 1 ? approvedPlans(context, delivery.seq) : [],
    isDecided: Number(row['is_decided']) === 1,
  };
}

/** Whatever is counted from when this job was begun, or came into doubt, is counted from now at the latest. */
function setBack({ db }: SqliteContext, head: Row, patient: Uint8Array, at: Date): void {
  db.run(
    'UPDATE job SET first_attempt_at = ?1 WHERE seq = ?2 AND first_attempt_at > ?1',
    at.getTime(),
    Number(head['seq']),
  );
  db.run(
    `UPDATE attempt SET started_at = min(started_at, ?1), ended_at = min(ended_at, ?1) WHERE ${IN_DOUBT} WHERE d.seq = ?2 AND k.patient_index = ?3)`,
    at.getTime(),
    Number(head['delivery_seq']),
    patient,
  );
}

/** A person has looked: what could not be taken out of a chart is tried again. */
function retryRetractions(context: SqliteContext, tenant: string): void {
  const lanes = makeLaneChanges();
  for (const row of context.db.all(
    `UPDATE job SET state = 'queued' WHERE tenant = ? AND target = ? AND state = 'parked' RETURNING patient_index`,
    tenant,
    TARGET,
  ))
    lanes.add(row['patient_index'] as Uint8Array, 1);
  changeLanesSqlite(context, tenant, lanes);
}

export const writes: SqliteOperations<LaneWrites> = {
  'lane.claim': (context, { tenant, owner, at, leaseMs, limit }) => {
    const due = context.db.all(
      `SELECT patient_index FROM lane WHERE target = ?1 AND pending > 0 AND next_at <= ?2 AND lease_until <= ?2 AND tenant = ?3
         AND NOT EXISTS (SELECT 1 FROM target t WHERE t.tenant = ?3 AND t.target = ?1 AND t.shadow_since IS NOT NULL) ORDER BY next_at LIMIT ?4`,
      TARGET,
      at.getTime(),
      tenant,
      limit,
    );
    const claimed = due.flatMap(
      (row) => claimOne(context, tenant, row['patient_index'] as Uint8Array, owner, at, leaseMs) ?? [],
    );
    return { claimed, examined: due.length };
  },
  'lane.begin': (context, { fence, jobSeq, attemptId, requestDigest, intents, chart, mode, leaseMs, at }) => {
    const { db } = context;
    const row = isHeld(context, fence)
      ? db.get(`${JOB_ROW} WHERE j.seq = ? AND j.state = 'queued'`, jobSeq)
      : undefined;
    if (row === undefined) return 'lost';
    // Since the claim the link may have gone to somebody else: then nothing of it may go out.
    if (
      row['kind'] === 'deliver' &&
      mode === 'write' &&
      !isLinkedTo(context, fence, row['user_index'] as Uint8Array | null)
    )
      return 'lost';
    if (enterChart(context, fence, chart, at, leaseMs) === 'busy') return 'busy';
    if (row['kind'] === 'deliver') startSending(context, fence.tenant, deliveryOf(row), jobSeq, at);
    putAttempt(context, fence, jobSeq, { id: attemptId, requestDigest, intents }, at);
    return 'begun';
  },
  'lane.finish': finish,
  ...acts,
  'lane.renew': (context, { tenant, owner, at, leaseMs, held }) =>
    held.map(
      ({ patient, epoch }) =>
        context.db.run(
          'UPDATE lane SET lease_until = ? WHERE tenant = ? AND target = ? AND patient_index = ? AND lease_owner = ? AND lease_epoch = ?',
          at.getTime() + leaseMs,
          tenant,
          TARGET,
          patient,
          owner,
          epoch,
        ).changes === 1,
    ),
  'lane.free': ({ db }, { tenant, owner, at }) => {
    db.run(
      'UPDATE lane SET next_at = ?1 WHERE tenant = ?2 AND target = ?3 AND next_at > ?1',
      at.getTime(),
      tenant,
      TARGET,
    );
    return db.run(
      'UPDATE lane SET lease_owner = NULL, lease_until = 0 WHERE tenant = ? AND target = ? AND lease_owner IS NOT NULL AND lease_owner <> ?',
      tenant,
      TARGET,
      owner,
    ).changes;
  },
  'lane.pause': (context, { tenant, at, actor, requestId, state }) => {
    context.db.run(
      `INSERT INTO target (tenant, target, paused_at, paused_by) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (tenant, target) DO UPDATE SET paused_at = excluded.paused_at, paused_by = excluded.paused_by`,
      tenant,
      TARGET,
      state === 'paused' ? at.getTime() : null,
      state === 'paused' ? actor : null,
    );
    if (state === 'running') retryRetractions(context, tenant);
    appendSqlite(context, {
      at,
      type: 'admin',
      tenant,
      requestId,
      action: 'U',
      outcome: '0',
      actor,
      to: state,
      why: 'target',
    });
    return null;
  },
  'lane.reforward': reforward,
};
