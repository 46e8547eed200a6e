import { appendSqlite } from '../../audit/index.ts';
import type { SqliteContext, SqliteOperations } from '../../store/index.ts';
import { TARGET } from '../commands.ts';
import type { ShadowItem, ShadowWrites } from './commands.ts';
import { waitingSqlite } from './read-sqlite.ts';
import { auditOfEnter, auditOfLeave, countsOf, dueSqlite, isConfirmed, itemIndex, numberOrNull } from './rows.ts';

export { reads } from './read-sqlite.ts';

function report({ db }: SqliteContext, tenant: string, waiting: number, at: Date): void {
  db.run(
    'UPDATE target SET reported_waiting = ?, reported_at = ? WHERE tenant = ? AND target = ? AND shadow_since IS NOT NULL',
    waiting,
    at.getTime(),
    tenant,
    TARGET,
  );
}

function putItems({ db, vault }: SqliteContext, jobSeq: number, items: readonly ShadowItem[]): void {
  db.run('DELETE FROM shadow_item WHERE job_seq = ?', jobSeq);
  for (const item of items)
    db.run(
      'INSERT INTO shadow_item (job_seq, item_index, resource_type, change) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
      jobSeq,
      itemIndex(vault, item),
      item.resourceType,
      item.change,
    );
}

export const writes: SqliteOperations<ShadowWrites> = {
  'shadow.enter': (context, args) => {
    const { db } = context;
    const { tenant, at } = args;
    const before = numberOrNull(
      db.get('SELECT shadow_since FROM target WHERE tenant = ? AND target = ?', tenant, TARGET)?.['shadow_since'],
    );
    if (before !== null) return { since: before, change: 'already' };
    db.run(
      `INSERT INTO target (tenant, target, shadow_since) VALUES (?1, ?2, ?3)
       ON CONFLICT (tenant, target) DO UPDATE SET shadow_since = excluded.shadow_since, reported_waiting = NULL, reported_at = NULL`,
      tenant,
      TARGET,
      at.getTime(),
    );
    appendSqlite(context, auditOfEnter(args));
    return { since: at.getTime(), change: 'entered' };
  },
  'shadow.leave': (context, args) => {
    const { db } = context;
    const { tenant, at, confirm } = args;
    const target = db.get(
      'SELECT shadow_since, reported_waiting, reported_at FROM target WHERE tenant = ? AND target = ?',
      tenant,
      TARGET,
    );
    const { total: waiting } = waitingSqlite(context, tenant);
    if (numberOrNull(target?.['shadow_since']) === null) return { outcome: 'not-held', waiting };
    const outcome = isConfirmed(confirm, waiting, target, at) ? 'left' : 'unconfirmed';
    if (outcome === 'left') db.run('UPDATE target SET shadow_since = NULL WHERE tenant = ? AND target = ?', tenant, TARGET);
    else report(context, tenant, waiting, at);
    appendSqlite(context, auditOfLeave(args, waiting, outcome));
    return { outcome, waiting };
  },
  'shadow.reported': (context, { tenant, waiting, at }) => {
    report(context, tenant, waiting, at);
    return null;
  },
  'shadow.take': ({ db }, { tenant, at, owner, leaseMs, basis, jobSeqs }) =>
    jobSeqs.filter(
      (seq) =>
        db.run(
          `INSERT INTO shadow_result (job_seq, tenant, target, delivery_seq, taken_by, taken_until)
           SELECT seq, tenant, target, delivery_seq, ?1, ?2 FROM job WHERE seq = ?3 AND tenant = ?4 AND target = ?5 AND state = 'queued'
           ON CONFLICT (job_seq) DO UPDATE SET taken_by = excluded.taken_by, taken_until = excluded.taken_until
             WHERE ${dueSqlite('?6')} AND (basis IS NULL OR basis <> ?7 OR kind = 'not-yet')`,
          owner,
          at.getTime() + leaseMs,
          seq,
          tenant,
          TARGET,
          at.getTime(),
          basis,
        ).changes === 1,
    ),
  'shadow.put': (context, { at, owner, jobSeq, basis, evaluation, dueAt }) => {
    const { kind, reason, faultCode, items } = evaluation;
    const { changes } = context.db.run(
      `UPDATE shadow_result SET kind = ?1, reason = ?2, fault_code = ?3, counts = ?4, basis = ?5, evaluated_at = ?6, due_at = ?7, taken_by = NULL, taken_until = 0
       WHERE job_seq = ?8 AND taken_by = ?9 AND EXISTS (SELECT 1 FROM job j WHERE j.seq = ?8 AND j.state = 'queued')`,
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
    putItems(context, jobSeq, items);
    return 'stored';
  },
  'shadow.again': ({ db }, { tenant, kind, reason, after, limit }) => {
    const seqs = db
      .all(
        `UPDATE shadow_result SET basis = NULL, due_at = 0 WHERE job_seq IN (SELECT job_seq FROM shadow_result WHERE tenant = ?1 AND target = ?2 AND kind IS NOT NULL AND job_seq > ?3
           AND (?4 IS NULL OR kind = ?4) AND (?5 IS NULL OR reason = ?5 OR fault_code = ?5) ORDER BY job_seq LIMIT ?6) RETURNING job_seq`,
        tenant,
        TARGET,
        after,
        kind,
        reason,
        limit,
      )
      .map((row) => Number(row['job_seq']));
    return { count: seqs.length, last: Math.max(after, ...seqs) };
  },
  'shadow.sweep': ({ db }, { tenant, limit }) => {
    const rows = db.all(
      `SELECT job_seq FROM shadow_result r WHERE tenant = ?1 AND target = ?2 AND (NOT EXISTS (SELECT 1 FROM job j WHERE j.seq = r.job_seq AND j.state = 'queued')
         OR NOT EXISTS (SELECT 1 FROM target t WHERE t.tenant = ?1 AND t.target = ?2 AND t.shadow_since IS NOT NULL)) LIMIT ?3`,
      tenant,
      TARGET,
      limit,
    );
    for (const row of rows) {
      const seq = Number(row['job_seq']);
      db.run('DELETE FROM shadow_item WHERE job_seq = ?', seq);
      db.run('DELETE FROM shadow_result WHERE job_seq = ?', seq);
    }
    return rows.length;
  },
};
