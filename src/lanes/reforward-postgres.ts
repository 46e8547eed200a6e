import { confirmedLinkPostgres } from '../identity/index.ts';
import { movePostgres } from '../inbox/index.ts';
import type { PostgresContext, PostgresOperations } from '../store/index.ts';
import { makeLaneChanges, type LaneChanges } from './enqueue/adjust.ts';
import { TARGET } from './enqueue/commands.ts';
import { changeLanesPostgres, enqueuePostgres } from './enqueue/jobs-postgres.ts';
import type { Claimed, Fence, LaneWrites } from './commands.ts';
import { forwardedMove, NEWEST_OF_DOCUMENT, OF_SAME_USER, type ForwardAct, type Row } from './rows.ts';

async function forwardOne(
  context: PostgresContext,
  lanes: LaneChanges,
  row: Row,
  patient: Uint8Array,
  act: ForwardAct,
): Promise<void> {
  await movePostgres(context, [forwardedMove(row, act)]);
  await enqueuePostgres(context, lanes, act.tenant, 'deliver', patient, [Number(row['seq'])]);
}

export const reforward: PostgresOperations<LaneWrites>['lane.reforward'] = async (
  context,
  { which, after, limit, ...act },
) => {
  const { tenant } = act;
  const rows = await context.db.all(
    `SELECT d.seq, d.id, d.user_index, d.document_index FROM delivery d JOIN delivery_body b USING (seq) JOIN document g ON g.tenant = d.tenant AND g.document_index = d.document_index AND g.seq = d.seq
     WHERE d.tenant = $1 AND d.state = 'delivered' ${which === 'all' ? '' : "AND d.reason = 'left-out'"} AND d.seq > $2 AND d.user_index IS NOT NULL ORDER BY d.seq LIMIT $3 FOR UPDATE OF d`,
    tenant,
    after,
    limit,
  );
  const lanes = makeLaneChanges();
  let count = 0;
  for (const row of rows) {
    const link = await confirmedLinkPostgres(context, tenant, row['user_index'] as Uint8Array);
    // Only what stands in the chart of the linked patient: what an earlier link wrote elsewhere is somebody else's.
    const stands =
      link !== null &&
      (await context.db.get(
        'SELECT 1 AS stands FROM written_resource WHERE tenant = $1 AND target = $2 AND document_index = $3 AND patient_index = $4 AND retracted_at IS NULL LIMIT 1',
        tenant,
        TARGET,
        row['document_index'],
        link.mrnIndex,
      )) !== undefined;
    if (!stands) continue;
    await forwardOne(context, lanes, row, link.mrnIndex, act);
    count += 1;
  }
  await changeLanesPostgres(context, tenant, lanes);
  return { count, last: Number(rows.at(-1)?.['seq'] ?? after) };
};

/**
 * The alerts of these days that the user of a delivery has in a chart: which measurements they refer to has changed.
 */
export async function forwardAlerts(
  context: PostgresContext,
  { tenant, patient }: Fence,
  days: readonly string[],
  delivery: Claimed['delivery'],
  at: Date,
): Promise<void> {
  // Whoever holds one of them brings it into the lane itself, or out of it.
  const rows = await context.db.all(
    `SELECT d.seq, d.id FROM delivery d WHERE d.state = 'delivered' AND d.seq IN (
       SELECT d.seq FROM written_resource w ${NEWEST_OF_DOCUMENT}
       WHERE w.tenant = $1 AND w.target = $2 AND w.patient_index = $3 AND w.summary_group = 'alerts' AND w.chart_day = ANY($4) AND w.retracted_at IS NULL AND ${OF_SAME_USER} AND o.seq = $5))
     ORDER BY d.seq FOR UPDATE SKIP LOCKED`,
    tenant,
    TARGET,
    patient,
    days,
    delivery.seq,
  );
  const lanes = makeLaneChanges();
  for (const row of rows)
    await forwardOne(context, lanes, row, patient, { tenant, at, actor: 'gateway', requestId: delivery.requestId });
  await changeLanesPostgres(context, tenant, lanes);
}
