import { appendSqlite } from '../audit/index.ts';
import type { SqliteContext, SqliteOperations } from '../store/index.ts';
import { TARGET } from './enqueue/commands.ts';
import type { Fence, Finish, LaneWrites } from './commands.ts';
import { chartIndex, fromHex, GAP_MS, JUMP_MS, nameBytes, plansOf, sealId, sealSides } from './rows.ts';

export const approvedPlans = ({ db }: SqliteContext, deliverySeq: number): string[] =>
  plansOf(
    db.all(
      'SELECT plan_digest FROM job WHERE delivery_seq = ? AND approved_at IS NOT NULL AND plan_digest IS NOT NULL',
      deliverySeq,
    ),
  );

/**
 * Renews the lease for a write to this chart, unless another lane is at the same chart: after a merge two MRNs lead to
 * one.
 */
export function enterChart(
  { db, vault }: SqliteContext,
  { tenant, patient }: Fence,
  chart: string | null,
  at: Date,
  leaseMs: number,
): 'entered' | 'busy' {
  const { changes } = db.run(
    `UPDATE lane SET lease_until = ?1, chart_index = coalesce(?2, chart_index), chart_epoch = lease_epoch WHERE tenant = ?3 AND target = ?4 AND patient_index = ?5
       AND NOT EXISTS (SELECT 1 FROM lane o WHERE o.tenant = ?3 AND o.target = ?4 AND o.chart_index = coalesce(?2, lane.chart_index)
         AND o.patient_index <> ?5 AND o.chart_epoch = o.lease_epoch AND o.lease_until > ?6)`,
    at.getTime() + leaseMs,
    chart === null ? null : chartIndex(vault, chart),
    tenant,
    TARGET,
    patient,
    at.getTime(),
  );
  return changes === 1 ? 'entered' : 'busy';
}

export function keepForeign(
  { db, vault }: SqliteContext,
  tenant: string,
  deliverySeq: number,
  at: Date,
  foreign: NonNullable<Finish['foreign']>,
): void {
  db.run(
    'DELETE FROM foreign_change WHERE tenant = ? AND target = ? AND delivery_seq = ?',
    tenant,
    TARGET,
    deliverySeq,
  );
  for (const one of foreign === 'settled' ? [] : foreign)
    db.run(
      'INSERT INTO foreign_change (tenant, target, delivery_seq, name, resource_type, resource_id_sealed, version_id, fingerprint, sides_sealed, seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      tenant,
      TARGET,
      deliverySeq,
      nameBytes(one.name),
      one.resourceType,
      sealId(vault, 'foreign_change', one),
      one.versionId,
      fromHex(one.fingerprint),
      sealSides(vault, one),
      at.getTime(),
    );
}

export const acts: Pick<
  SqliteOperations<LaneWrites>,
  'lane.alive' | 'lane.rewind' | 'lane.learn' | 'lane.forget-sides' | 'lane.approve' | 'lane.decide'
> = {
  'lane.alive': ({ db }, { tenant, at }) =>
    Number(
      db.get(
        `INSERT INTO target (tenant, target, seen_at) VALUES (?1, ?2, ?3)
         ON CONFLICT (tenant, target) DO UPDATE SET seen_at = excluded.seen_at,
           known_since = CASE WHEN target.seen_at NOT BETWEEN ?3 - ?4 AND ?3 + ?5 THEN ?3 ELSE target.known_since END
         RETURNING known_since`,
        tenant,
        TARGET,
        at.getTime(),
        GAP_MS,
        JUMP_MS,
      )?.['known_since'],
    ),
  'lane.rewind': ({ db }, { tenant, at, byMs, leaseMs }) => {
    // What was due before is due now; what was to wait still waits as long.
    db.run(
      `UPDATE lane SET lease_until = min(lease_until, ?1 + ?3), next_at = CASE WHEN next_at > ?1 THEN max(?1, next_at - ?2) ELSE next_at END
       WHERE tenant = ?4 AND target = ?5`,
      at.getTime(),
      byMs,
      leaseMs,
      tenant,
      TARGET,
    );
    return null;
  },
  'lane.forget-sides': ({ db }, { tenant }) =>
    db.run(
      `UPDATE foreign_change SET sides_sealed = NULL WHERE tenant = ? AND sides_sealed IS NOT NULL
           AND delivery_seq IN (SELECT seq FROM delivery WHERE state NOT IN ('parked','queued','sending','unknown'))`,
      tenant,
    ).changes,
  'lane.learn': ({ db }, { tenant, habits }) => {
    db.run(
      'INSERT INTO target (tenant, target, habits) VALUES (?, ?, ?) ON CONFLICT (tenant, target) DO UPDATE SET habits = excluded.habits',
      tenant,
      TARGET,
      habits,
    );
    return null;
  },
  'lane.approve': (context, { tenant, at, actor, requestId, of }) => {
    const { changes } = context.db.run(
      `UPDATE job SET approved_at = ?1 WHERE plan_digest IS NOT NULL AND approved_at IS NULL AND delivery_seq IN (
         SELECT seq FROM delivery WHERE tenant = ?2 AND state = 'parked' AND reason IN ('suspicious','ambiguous','identity') AND (?3 IS NULL OR id = ?3) AND (?4 IS NULL OR reason = ?4))
         AND seq = (SELECT max(k.seq) FROM job k WHERE k.delivery_seq = job.delivery_seq AND k.kind = 'deliver')`,
      at.getTime(),
      tenant,
      'id' in of ? of.id : null,
      'id' in of ? null : of.reason,
    );
    if (changes > 0)
      appendSqlite(context, {
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
      });
    return changes;
  },
  'lane.decide': (context, { tenant, at, actor, requestId, id, decision }) => {
    const { changes } = context.db.run(
      `UPDATE foreign_change SET decision = ?1 WHERE tenant = ?2 AND target = ?3
         AND delivery_seq = (SELECT seq FROM delivery WHERE tenant = ?2 AND id = ?4 AND state = 'parked' AND reason = 'conflict')`,
      decision,
      tenant,
      TARGET,
      id,
    );
    if (changes > 0)
      appendSqlite(context, {
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
      });
    return changes;
  },
};
