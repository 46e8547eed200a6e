import { appendPostgres } from '../audit/index.ts';
import type { PostgresContext, PostgresOperations } from '../store/index.ts';
import { TARGET } from './enqueue/commands.ts';
import type { Fence, Finish, LaneWrites } from './commands.ts';
import { chartIndex, fromHex, GAP_MS, JUMP_MS, nameBytes, plansOf, sealId, sealSides } from './rows.ts';

export const approvedPlans = async ({ db }: PostgresContext, deliverySeq: number): Promise<string[]> =>
  plansOf(
    await db.all(
      'SELECT plan_digest FROM job WHERE delivery_seq = $1 AND approved_at IS NOT NULL AND plan_digest IS NOT NULL',
      deliverySeq,
    ),
  );

/**
 * Renews the lease for a write to this chart, unless another lane is at the same chart: after a merge two MRNs lead to
 * one.
 */
export async function enterChart(
  { db, vault }: PostgresContext,
  { tenant, patient }: Fence,
  chart: string | null,
  leaseMs: number,
): Promise<'entered' | 'busy'> {
  // Two that enter at once do not see each other's rows. Whoever comes second does not wait for the lock: in a batch of
  // commands, two that wait for each other's charts would stand still.
  const index = chart === null ? null : chartIndex(vault, chart);
  if (index !== null) {
    const alone = await db.get(
      'SELECT pg_try_advisory_xact_lock($1::bigint) AS alone',
      index.readBigInt64BE(0).toString(),
    );
    if (alone?.['alone'] !== true) return 'busy';
  }
  const { changes } = await db.run(
    `UPDATE lane SET lease_until = clock_timestamp() + $1::int * interval '1 millisecond', chart_index = coalesce($2::bytea, chart_index), chart_epoch = lease_epoch
     WHERE tenant = $3 AND target = $4 AND patient_index = $5
       AND NOT EXISTS (SELECT 1 FROM lane o WHERE o.tenant = $3 AND o.target = $4 AND o.chart_index = coalesce($2::bytea, lane.chart_index)
         AND o.patient_index <> $5 AND o.chart_epoch = o.lease_epoch AND o.lease_until > now())`,
    leaseMs,
    index,
    tenant,
    TARGET,
    patient,
  );
  return changes === 1 ? 'entered' : 'busy';
}

export async function keepForeign(
  { db, vault }: PostgresContext,
  tenant: string,
  deliverySeq: number,
  at: Date,
  foreign: NonNullable<Finish['foreign']>,
): Promise<void> {
  await db.run(
    'DELETE FROM foreign_change WHERE tenant = $1 AND target = $2 AND delivery_seq = $3',
    tenant,
    TARGET,
    deliverySeq,
  );
  for (const one of foreign === 'settled' ? [] : foreign)
    await db.run(
      'INSERT INTO foreign_change (tenant, target, delivery_seq, name, resource_type, resource_id_sealed, version_id, seen_at, fingerprint, sides_sealed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
      tenant,
      TARGET,
      deliverySeq,
      nameBytes(one.name),
      one.resourceType,
      sealId(vault, 'foreign_change', one),
      one.versionId,
      at.getTime(),
      fromHex(one.fingerprint),
      sealSides(vault, one),
    );
}

/**
 * The clock of the database was set back at least so far. What was due before is due now; what was to wait waits no
 * longer than was decided, and a lease no longer than a lease lasts.
 */
async function rewind({ db }: PostgresContext, tenant: string, byMs: number, leaseMs: number): Promise<void> {
  await db.run(
    `UPDATE lane SET lease_until = least(lease_until, clock_timestamp() + $1::bigint * interval '1 millisecond'),
       next_at = CASE WHEN next_at > now() THEN greatest(now(), next_at - $2::bigint * interval '1 millisecond') ELSE next_at END
     WHERE tenant = $3 AND target = $4 AND (next_at > now() OR lease_until > now())`,
    leaseMs,
    byMs,
    tenant,
    TARGET,
  );
}

export const acts: Pick<
  PostgresOperations<LaneWrites>,
  'lane.alive' | 'lane.rewind' | 'lane.learn' | 'lane.forget-sides' | 'lane.approve' | 'lane.decide'
> = {
  'lane.alive': async (context, { tenant, leaseMs }) => {
    const { db } = context;
    // Held before the clock is read, so that a replica that waited for another does not take that for a clock that was
    // set back.
    const before = await db.get(
      'SELECT seen_at FROM target WHERE tenant = $1 AND target = $2 FOR UPDATE',
      tenant,
      TARGET,
    );
    const row = await db.get(
      `INSERT INTO target AS t (tenant, target, seen_at) SELECT $1, $2, moment FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS moment) n
       ON CONFLICT (tenant, target) DO UPDATE SET seen_at = excluded.seen_at,
         known_since = CASE WHEN t.seen_at NOT BETWEEN excluded.seen_at - $3::bigint AND excluded.seen_at + $4::bigint THEN excluded.seen_at ELSE t.known_since END
       RETURNING known_since, seen_at`,
      tenant,
      TARGET,
      GAP_MS,
      JUMP_MS,
    );
    const backMs = Number(before?.['seen_at'] ?? 0) - Number(row?.['seen_at']);
    if (backMs > JUMP_MS) await rewind(context, tenant, backMs, leaseMs);
    return Number(row?.['known_since']);
  },
  'lane.rewind': () => Promise.resolve(null),
  'lane.forget-sides': async ({ db }, { tenant }) =>
    (
      await db.run(
        `UPDATE foreign_change SET sides_sealed = NULL WHERE tenant = $1 AND sides_sealed IS NOT NULL
           AND delivery_seq IN (SELECT seq FROM delivery WHERE state NOT IN ('parked','queued','sending','unknown'))`,
        tenant,
      )
    ).changes,
  'lane.learn': async ({ db }, { tenant, habits }) => {
    await db.run(
      'INSERT INTO target (tenant, target, habits) VALUES ($1, $2, $3) ON CONFLICT (tenant, target) DO UPDATE SET habits = excluded.habits',
      tenant,
      TARGET,
      habits,
    );
    return null;
  },
  'lane.approve': async (context, { tenant, at, actor, requestId, of }) => {
    const { changes } = await context.db.run(
      `UPDATE job SET approved_at = $1 WHERE plan_digest IS NOT NULL AND approved_at IS NULL AND delivery_seq IN (
         SELECT seq FROM delivery WHERE tenant = $2 AND state = 'parked' AND reason IN ('suspicious','ambiguous','identity') AND ($3::text IS NULL OR id = $3) AND ($4::text IS NULL OR reason = $4))
         AND seq = (SELECT max(k.seq) FROM job k WHERE k.delivery_seq = job.delivery_seq AND k.kind = 'deliver')`,
      at.getTime(),
      tenant,
      'id' in of ? of.id : null,
      'id' in of ? null : of.reason,
    );
    if (changes > 0)
      await appendPostgres(context, [
        {
          at,
          type: 'admin',
          tenant,
          requestId,
          action: 'U',
          outcome: '0',
          actor,
          why: 'approve',
          count: changes,
          ...('id' in of ? { deliveryId: of.id } : {}),
        },
      ]);
    return changes;
  },
  'lane.decide': async (context, { tenant, at, actor, requestId, id, decision }) => {
    const { changes } = await context.db.run(
      `UPDATE foreign_change SET decision = $1 WHERE tenant = $2 AND target = $3
         AND delivery_seq = (SELECT seq FROM delivery WHERE tenant = $2 AND id = $4 AND state = 'parked' AND reason = 'conflict')`,
      decision,
      tenant,
      TARGET,
      id,
    );
    if (changes > 0)
      await appendPostgres(context, [
        {
          at,
          type: 'admin',
          tenant,
          requestId,
          action: 'U',
          outcome: '0',
          actor,
          why: decision,
          count: changes,
          deliveryId: id,
        },
      ]);
    return changes;
  },
};
