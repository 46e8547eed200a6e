import { confirmedLinkSqlite } from '../identity/index.ts';
import { moveSqlite } from '../inbox/index.ts';
import type { SqliteContext, SqliteOperations } from '../store/index.ts';
import { makeLaneChanges, type LaneChanges } from './enqueue/adjust.ts';
import { TARGET } from './enqueue/commands.ts';
import { changeLanesSqlite, enqueueSqlite } from './enqueue/jobs-sqlite.ts';
import type { Claimed, Fence, LaneWrites } from './commands.ts';
import { forwardedMove, NEWEST_OF_DOCUMENT, OF_SAME_USER, type ForwardAct, type Row } from './rows.ts';

function forwardOne(context: SqliteContext, lanes: LaneChanges, row: Row, patient: Uint8Array, act: ForwardAct): void {
  moveSqlite(context, forwardedMove(row, act));
  enqueueSqlite(context, lanes, act.tenant, 'deliver', patient, [Number(row['seq'])]);
}

export const reforward: SqliteOperations<LaneWrites>['lane.reforward'] = (context, { which, after, limit, ...act }) => {
  const { db } = context;
  const { tenant } = act;
  const rows = db.all(
    `SELECT d.seq, d.id, d.user_index, d.document_index FROM delivery d JOIN delivery_body b USING (seq) JOIN document g ON g.tenant = d.tenant AND g.document_index = d.document_index AND g.seq = d.seq
     WHERE d.tenant = ? AND d.state = 'delivered' ${which === 'all' ? '' : "AND d.reason = 'left-out'"} AND d.seq > ? AND d.user_index IS NOT NULL ORDER BY d.seq LIMIT ?`,
    tenant,
    after,
    limit,
  );
  const lanes = makeLaneChanges();
  let count = 0;
  for (const row of rows) {
    const link = confirmedLinkSqlite(context, tenant, row['user_index'] as Uint8Array);
    // Only what stands in the chart of the linked patient: what an earlier link wrote elsewhere is somebody else's.
    const stands =
      link !== null &&
      db.get(
        'SELECT 1 AS stands FROM written_resource WHERE tenant = ? AND target = ? AND document_index = ? AND patient_index = ? AND retracted_at IS NULL LIMIT 1',
        tenant,
        TARGET,
        row['document_index'] as Uint8Array,
        link.mrnIndex,
      ) !== undefined;
    if (!stands) continue;
    forwardOne(context, lanes, row, link.mrnIndex, act);
    count += 1;
  }
  changeLanesSqlite(context, tenant, lanes);
  return { count, last: Number(rows.at(-1)?.['seq'] ?? after) };
};

/**
 * The alerts of these days that the user of a delivery has in a chart: which measurements they refer to has changed.
 */
export function forwardAlerts(
  context: SqliteContext,
  { tenant, patient }: Fence,
  days: readonly string[],
  delivery: Claimed['delivery'],
  at: Date,
): void {
  const lanes = makeLaneChanges();
  for (const day of days)
    for (const row of context.db.all(
      `SELECT DISTINCT d.seq, d.id FROM written_resource w INDEXED BY written_alerts ${NEWEST_OF_DOCUMENT}
       WHERE w.tenant = ? AND w.target = ? AND w.patient_index = ? AND w.summary_group = 'alerts' AND w.chart_day = ? AND w.retracted_at IS NULL AND d.state = 'delivered' AND ${OF_SAME_USER} AND o.seq = ?)`,
      tenant,
      TARGET,
      patient,
      day,
      delivery.seq,
    ))
      forwardOne(context, lanes, row, patient, { tenant, at, actor: 'gateway', requestId: delivery.requestId });
  changeLanesSqlite(context, tenant, lanes);
}
