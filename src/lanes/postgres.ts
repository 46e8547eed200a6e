import { appendPostgres } from '../audit/index.ts';
import { confirmedLinkPostgres, openPatient } from '../identity/index.ts';
import { openBody } from '../inbox/index.ts';
import type { PostgresContext, PostgresOperations } from '../store/index.ts';
import { makeLaneChanges } from './enqueue/adjust.ts';
import { TARGET } from './enqueue/commands.ts';
import { changeLanesPostgres } from './enqueue/jobs-postgres.ts';
import { acts, approvedPlans, enterChart } from './act-postgres.ts';
import type { Claimed, Fence, LaneWrites } from './commands.ts';
import { reforward } from './reforward-postgres.ts';
import { finish, holdJob, startSending } from './finish-postgres.ts';
import { deliveryOf, doubtOf, HEAD, IN_DOUBT, jobOf, READY, withoutAhead, type Row } from './rows.ts';

export { reads } from './read-postgres.ts';

/*
 * Leases are counted by the database's clock. A claim touches lanes alone; what follows locks the user, the delivery
 * and the lane in that order, as everything else does (see ../postgres.ts).
 */

/** A lane whose head waits for a retraction elsewhere is woken by its end, and looked at again then at the latest. */
const BLOCKED = `interval '60 seconds'`;

async function isLinkedTo(
  context: PostgresContext,
  { tenant, patient }: Fence,
  user: Uint8Array | null,
): Promise<boolean> {
  const link = user === null ? null : await confirmedLinkPostgres(context, tenant, user);
  return link !== null && Buffer.compare(link.mrnIndex, patient) === 0;
}

const hexOf = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString('hex');

/** Whatever is counted from when this job was begun, or came into doubt, is counted from now at the latest. */
async function setBack({ db }: PostgresContext, head: Row, patient: Uint8Array, at: Date): Promise<void> {
  await db.run(
    'UPDATE job SET first_attempt_at = $1 WHERE seq = $2 AND first_attempt_at > $1',
    at.getTime(),
    head['seq'],
  );
  await db.run(
    `UPDATE attempt SET started_at = least(started_at, $1::bigint), ended_at = CASE WHEN ended_at > $1::bigint THEN $1::bigint ELSE ended_at END WHERE ${IN_DOUBT} WHERE d.seq = $2 AND k.patient_index = $3)`,
    at.getTime(),
    head['delivery_seq'],
    patient,
  );
}

async function claimOne(context: PostgresContext, tenant: string, lane: Row, at: Date): Promise<Claimed | null> {
  const { db, vault } = context;
  const patient = lane['patient_index'] as Uint8Array;
  const head = await db.get(
    `${HEAD} WHERE j.tenant = $1 AND j.target = $2 AND j.patient_index = $3 AND ${READY} ORDER BY j.delivery_seq, j.seq LIMIT 1`,
    tenant,
    TARGET,
    patient,
  );
  if (head === undefined) {
    await db.run(
      `UPDATE lane SET lease_owner = NULL, lease_until = '-infinity', next_at = now() + ${BLOCKED} WHERE tenant = $1 AND target = $2 AND patient_index = $3`,
      tenant,
      TARGET,
      patient,
    );
    return null;
  }
  const { row, wasAhead } = withoutAhead(head, at);
  if (wasAhead) await setBack(context, head, patient, at);
  const user = row['user_index'] as Uint8Array | null;
  const link = user === null ? null : await confirmedLinkPostgres(context, tenant, user);
  const isLinked = link !== null && Buffer.compare(link.mrnIndex, patient) === 0;
  const linked =
    user === null
      ? undefined
      : await db.get(
          'SELECT id, mrn_sealed FROM link WHERE tenant = $1 AND user_index = $2 AND mrn_index = $3 ORDER BY seq DESC LIMIT 1',
          tenant,
          user,
          patient,
        );
  const delivery = deliveryOf(row);
  return {
    patient: new Uint8Array(patient),
    epoch: Number(lane['lease_epoch']),
    job: jobOf(row),
    delivery,
    doubtAt: doubtOf(row),
    body: row['sealed'] === null ? 'gone' : openBody(vault, row),
    mrn: linked === undefined ? null : openPatient(vault, linked),
    isLinked,
    approvedPlans: Number(row['is_approved']) === 1 ? await approvedPlans(context, delivery.seq) : [],
    isDecided: Number(row['is_decided']) === 1,
  };
}

/** A person has looked: what could not be taken out of a chart is tried again. */
async function retryRetractions(context: PostgresContext, tenant: string): Promise<void> {
  const lanes = makeLaneChanges();
  for (const row of await context.db.all(
    `UPDATE job SET state = 'queued' WHERE tenant = $1 AND target = $2 AND state = 'parked' RETURNING patient_index`,
    tenant,
    TARGET,
  ))
    lanes.add(row['patient_index'] as Uint8Array, 1);
  await changeLanesPostgres(context, tenant, lanes);
}

export const writes: PostgresOperations<LaneWrites> = {
  'lane.claim': async (context, { tenant, owner, at, leaseMs, limit }) => {
    const lanes = await context.db.all(
      `WITH due AS (SELECT tenant, target, patient_index FROM lane WHERE target = $1 AND pending > 0 AND next_at <= now() AND lease_until < now() AND tenant = $2
         AND NOT EXISTS (SELECT 1 FROM target t WHERE t.tenant = $2 AND t.target = $1 AND t.shadow_since IS NOT NULL)
         ORDER BY next_at LIMIT $3 FOR UPDATE SKIP LOCKED)
       UPDATE lane SET lease_owner = $4, lease_epoch = lease_epoch + 1, lease_until = now() + $5::int * interval '1 millisecond'
       FROM due WHERE (lane.tenant, lane.target, lane.patient_index) = (due.tenant, due.target, due.patient_index)
       RETURNING lane.patient_index, lane.lease_epoch`,
      TARGET,
      tenant,
      limit,
      owner,
      leaseMs,
    );
    const claimed: Claimed[] = [];
    for (const lane of lanes) {
      const one = await claimOne(context, tenant, lane, at);
      if (one !== null) claimed.push(one);
    }
    return { claimed, examined: lanes.length };
  },
  'lane.begin': async (context, { fence, jobSeq, attemptId, requestDigest, intents, chart, mode, leaseMs, at }) => {
    const { db } = context;
    const row = await holdJob(context, fence, jobSeq);
    if (row === null || row === 'lost') return 'lost';
    // Since the claim the link may have gone to somebody else: then nothing of it may go out.
    if (
      row['kind'] === 'deliver' &&
      mode === 'write' &&
      !(await isLinkedTo(context, fence, row['user_index'] as Uint8Array | null))
    )
      return 'lost';
    if ((await enterChart(context, fence, chart, leaseMs)) === 'busy') return 'busy';
    if (row['kind'] === 'deliver') await startSending(context, fence.tenant, deliveryOf(row), jobSeq, at);
    await db.run(
      'INSERT INTO attempt (tenant, id, job_seq, lease_epoch, request_digest, started_at, intents) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      fence.tenant,
      attemptId,
      jobSeq,
      fence.epoch,
      Buffer.from(requestDigest, 'hex'),
      at.getTime(),
      Buffer.from(intents),
    );
    await db.run(
      'UPDATE job SET attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, $1) WHERE seq = $2',
      at.getTime(),
      jobSeq,
    );
    return 'begun';
  },
  'lane.finish': finish,
  ...acts,
  'lane.renew': async (context, { tenant, owner, leaseMs, held }) => {
    const rows = await context.db.all(
      `UPDATE lane SET lease_until = clock_timestamp() + $1::int * interval '1 millisecond' FROM unnest($4::bytea[], $5::bigint[]) AS h (patient_index, lease_epoch)
       WHERE lane.tenant = $2 AND lane.target = $3 AND lane.patient_index = h.patient_index AND lane.lease_owner = $6 AND lane.lease_epoch = h.lease_epoch
         AND lane.lease_until > now() RETURNING lane.patient_index, lane.lease_epoch`,
      leaseMs,
      tenant,
      TARGET,
      held.map(({ patient }) => Buffer.from(patient)),
      held.map(({ epoch }) => epoch),
      owner,
    );
    const kept = new Set(rows.map((row) => `${hexOf(row['patient_index'])} ${String(row['lease_epoch'])}`));
    return held.map(({ patient, epoch }) => kept.has(`${hexOf(patient)} ${epoch}`));
  },
  'lane.free': async ({ db }, { tenant }) => {
    // A lane that somebody is at just now is given its next look by whoever is.
    await db.run(
      `UPDATE lane SET next_at = now() WHERE (tenant, target, patient_index) IN (
         SELECT tenant, target, patient_index FROM lane WHERE tenant = $1 AND target = $2 AND next_at > now() FOR UPDATE SKIP LOCKED)`,
      tenant,
      TARGET,
    );
    return 0;
  },
  'lane.pause': async (context, { tenant, at, actor, requestId, state }) => {
    await context.db.run(
      `INSERT INTO target (tenant, target, paused_at, paused_by) VALUES ($1, $2, $3, $4)
       ON CONFLICT (tenant, target) DO UPDATE SET paused_at = excluded.paused_at, paused_by = excluded.paused_by`,
      tenant,
      TARGET,
      state === 'paused' ? at.getTime() : null,
      state === 'paused' ? actor : null,
    );
    if (state === 'running') await retryRetractions(context, tenant);
    await appendPostgres(context, [
      { at, type: 'admin', tenant, requestId, action: 'U', outcome: '0', actor, to: state, why: 'target' },
    ]);
    return null;
  },
  'lane.reforward': reforward,
};
