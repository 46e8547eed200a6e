import { appendPostgres } from '../../audit/index.ts';
import type { PostgresContext, PostgresOperations } from '../../store/index.ts';
import { TARGET } from '../commands.ts';
import type { ShadowItem, ShadowWrites } from './commands.ts';
import { waitingPostgres } from './read-postgres.ts';
import { auditOfEnter, auditOfLeave, countsOf, duePostgres, isConfirmed, itemIndex, numberOrNull } from './rows.ts';

export { reads } from './read-postgres.ts';

async function report({ db }: PostgresContext, tenant: string, waiting: number, at: Date): Promise<void> {
  await db.run(
    'UPDATE target SET reported_waiting = $1, reported_at = $2 WHERE tenant = $3 AND target = $4 AND shadow_since IS NOT NULL',
    waiting,
    at.getTime(),
    tenant,
    TARGET,
  );
}

async function putItems({ db, vault }: PostgresContext, jobSeq: number, items: readonly ShadowItem[]): Promise<void> {
  await db.run('DELETE FROM shadow_item WHERE job_seq = $1', jobSeq);
  if (items.length === 0) return;
  await db.run(
    `INSERT INTO shadow_item (job_seq, item_index, resource_type, change) SELECT $1, i, t, c FROM unnest($2::bytea[], $3::text[], $4::text[]) AS given (i, t, c)
     ON CONFLICT DO NOTHING`,
    jobSeq,
    items.map((item) => itemIndex(vault, item)),
    items.map(({ resourceType }) => resourceType),
    items.map(({ change }) => change),
  );
}

export const writes: PostgresOperations<ShadowWrites> = {
  'shadow.enter': async (context, args) => {
    const { db } = context;
    const { tenant, at } = args;
    // The row is made first, so that replicas that start together take turns at it.
    await db.run('INSERT INTO target (tenant, target) VALUES ($1, $2) ON CONFLICT DO NOTHING', tenant, TARGET);
    const row = await db.get('SELECT shadow_since FROM target WHERE tenant = $1 AND target = $2 FOR UPDATE', tenant, TARGET);
    const before = numberOrNull(row?.['shadow_since']);
    if (before !== null) return { since: before, change: 'already' };
    await db.run(
      'UPDATE target SET shadow_since = $3, reported_waiting = NULL, reported_at = NULL WHERE tenant = $1 AND target = $2',
      tenant,
      TARGET,
      at.getTime(),
    );
    await appendPostgres(context, [auditOfEnter(args)]);
    return { since: at.getTime(), change: 'entered' };
  },
  'shadow.leave': async (context, args) => {
    const { db } = context;
    const { tenant, at, confirm } = args;
    const target = await db.get(
      'SELECT shadow_since, reported_waiting, reported_at FROM target WHERE tenant = $1 AND target = $2 FOR UPDATE',
      tenant,
      TARGET,
    );
    const { total: waiting } = await waitingPostgres(context, tenant);
    if (numberOrNull(target?.['shadow_since']) === null) return { outcome: 'not-held', waiting };
    const outcome = isConfirmed(confirm, waiting, target, at) ? 'left' : 'unconfirmed';
    if (outcome === 'left')
      await db.run('UPDATE target SET shadow_since = NULL WHERE tenant = $1 AND target = $2', tenant, TARGET);
    else await report(context, tenant, waiting, at);
    await appendPostgres(context, [auditOfLeave(args, waiting, outcome)]);
    return { outcome, waiting };
  },
  'shadow.reported': async (context, { tenant, waiting, at }) => {
    await report(context, tenant, waiting, at);
    return null;
  },
  'shadow.take': async ({ db }, { tenant, at, owner, leaseMs, basis, jobSeqs }) => {
    const rows = await db.all(
      `INSERT INTO shadow_result (job_seq, tenant, target, delivery_seq, taken_by, taken_until)
       SELECT seq, tenant, target, delivery_seq, $1, now() + $2::int * interval '1 millisecond' FROM job
         WHERE seq = ANY($3::bigint[]) AND tenant = $4 AND target = $5 AND state = 'queued' ORDER BY seq
       ON CONFLICT (job_seq) DO UPDATE SET taken_by = excluded.taken_by, taken_until = excluded.taken_until
         WHERE ${duePostgres('shadow_result', '$6')}
           AND (shadow_result.basis IS NULL OR shadow_result.basis <> $7 OR shadow_result.kind = 'not-yet')
       RETURNING job_seq`,
      owner,
      leaseMs,
      jobSeqs,
      tenant,
      TARGET,
      at.getTime(),
      basis,
    );
    return rows.map((row) => Number(row['job_seq']));
  },
  'shadow.put': async (context, { at, owner, jobSeq, basis, evaluation, dueAt }) => {
    const { kind, reason, faultCode, items } = evaluation;
    const { changes } = await context.db.run(
      `UPDATE shadow_result SET kind = $1, reason = $2, fault_code = $3, counts = $4, basis = $5, evaluated_at = $6, due_at = $7, taken_by = NULL, taken_until = '-infinity'
       WHERE job_seq = $8 AND taken_by = $9 AND EXISTS (SELECT 1 FROM job j WHERE j.seq = $8 AND j.state = 'queued')`,
      kind,
      reason,
      faultCode,
      JSON.stringify(countsOf(items)),
      basis,
      at.getTime(),
      dueAt?.getTime() ?? 0,
      jobSeq,
      owner,
    );
    if (changes === 0) return 'gone';
    await putItems(context, jobSeq, items);
    return 'stored';
  },
  'shadow.again': async ({ db }, { tenant, kind, reason, after, limit }) => {
    const rows = await db.all(
      `UPDATE shadow_result SET basis = NULL, due_at = 0 WHERE job_seq IN (SELECT job_seq FROM shadow_result WHERE tenant = $1 AND target = $2 AND kind IS NOT NULL AND job_seq > $3
         AND ($4::text IS NULL OR kind = $4) AND ($5::text IS NULL OR reason = $5 OR fault_code = $5) ORDER BY job_seq LIMIT $6 FOR UPDATE) RETURNING job_seq`,
      tenant,
      TARGET,
      after,
      kind,
      reason,
      limit,
    );
    return { count: rows.length, last: Math.max(after, ...rows.map((row) => Number(row['job_seq']))) };
  },
  'shadow.sweep': async ({ db }, { tenant, limit }) => {
    const rows = await db.all(
      `SELECT job_seq FROM shadow_result r WHERE tenant = $1 AND target = $2 AND (NOT EXISTS (SELECT 1 FROM job j WHERE j.seq = r.job_seq AND j.state = 'queued')
         OR NOT EXISTS (SELECT 1 FROM target t WHERE t.tenant = $1 AND t.target = $2 AND t.shadow_since IS NOT NULL)) ORDER BY job_seq LIMIT $3 FOR UPDATE SKIP LOCKED`,
      tenant,
      TARGET,
      limit,
    );
    const seqs = rows.map((row) => Number(row['job_seq']));
    await db.run('DELETE FROM shadow_item WHERE job_seq = ANY($1::bigint[])', seqs);
    await db.run('DELETE FROM shadow_result WHERE job_seq = ANY($1::bigint[])', seqs);
    return seqs.length;
  },
};
