import { confirmedLink } from '../../identity/index.ts';
import { move } from '../../inbox/index.ts';
import {
  all,
  among,
  FOR_UPDATE_OF_FREE,
  fragment,
  get,
  words,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import { makeLaneChanges, type LaneChanges } from '../enqueue/adjust.ts';
import { TARGET } from '../enqueue/commands.ts';
import { changeLanes, enqueue } from '../enqueue/commands/jobs.ts';
import type { Claimed, Fence, LaneAct, LaneWrites } from '../commands.ts';
import { forwardedMove, type Row } from '../rows.ts';
import { BY_ALERTS, FOR_UPDATE_OF_DELIVERIES, ofSameUser } from './parts.ts';

function* forwardOne(
  context: CommandContext,
  lanes: LaneChanges,
  row: Row,
  patient: Uint8Array,
  act: LaneAct,
): Program<void> {
  yield* move(context, [forwardedMove(row, act)]);
  yield* enqueue(lanes, act.tenant, 'deliver', patient, [Number(row['seq'])]);
}

/**
 * The patient in whose chart a delivery stands and whom its user is linked to: what an earlier link wrote elsewhere is
 * somebody else's.
 */
function* standsWith(tenant: string, row: Row): Program<Uint8Array | null> {
  const link = yield* confirmedLink(tenant, row['user_index'] as Uint8Array);
  if (link === null) return null;
  const stands = yield* get`
    SELECT 1 AS stands FROM written_resource
    WHERE tenant = ${tenant} AND target = ${TARGET} AND document_index = ${row['document_index'] as Uint8Array}
      AND patient_index = ${link.mrnIndex} AND retracted_at IS NULL LIMIT 1`;
  return stands === undefined ? null : link.mrnIndex;
}

const WHICH = { all: words(''), 'left-out': words(`AND d.reason = 'left-out'`) } as const;

type Reforward = LaneWrites['lane.reforward'];

export function* reforward(
  context: CommandContext,
  { which, after, limit, ...act }: Reforward['args'],
): Program<Reforward['out']> {
  const { tenant } = act;
  const rows = yield* all`
    SELECT d.seq, d.id, d.user_index, d.document_index FROM delivery d JOIN delivery_body b USING (seq)
    JOIN document g ON g.tenant = d.tenant AND g.document_index = d.document_index AND g.seq = d.seq
    WHERE d.tenant = ${tenant} AND d.state = 'delivered' ${WHICH[which]} AND d.seq > ${after}
      AND d.user_index IS NOT NULL
    ORDER BY d.seq LIMIT ${limit} ${FOR_UPDATE_OF_DELIVERIES}`;
  const lanes = makeLaneChanges();
  let count = 0;
  for (const row of rows) {
    const patient = yield* standsWith(tenant, row);
    if (patient === null) continue;
    yield* forwardOne(context, lanes, row, patient, act);
    count += 1;
  }
  yield* changeLanes(tenant, lanes);
  return { count, last: Number(rows.at(-1)?.['seq'] ?? after) };
}

/**
 * The alerts of these days that the user of a delivery has in a chart: which measurements they refer to has changed.
 * Only of the newest delivery of their document, whose body is still there.
 */
export function* forwardAlerts(
  context: CommandContext,
  { tenant, patient }: Fence,
  days: readonly string[],
  delivery: Claimed['delivery'],
  at: Date,
): Program<void> {
  // Whoever holds one of them brings it into the lane itself, or out of it.
  const rows = yield* all`
    SELECT d.seq, d.id FROM delivery d
    WHERE d.state = 'delivered' AND d.seq IN (
      SELECT g.seq FROM written_resource w ${BY_ALERTS}
      JOIN document g ON g.tenant = w.tenant AND g.document_index = w.document_index
      JOIN delivery_body y ON y.seq = g.seq
      WHERE w.tenant = ${tenant} AND w.target = ${TARGET} AND w.patient_index = ${patient}
        AND w.summary_group = 'alerts' AND w.chart_day ${among('text', days)} AND w.retracted_at IS NULL
        AND ${ofSameUser(fragment`o.seq = ${delivery.seq}`)})
    ORDER BY d.seq ${FOR_UPDATE_OF_FREE}`;
  const lanes = makeLaneChanges();
  for (const row of rows)
    yield* forwardOne(context, lanes, row, patient, { tenant, at, actor: 'gateway', requestId: delivery.requestId });
  yield* changeLanes(tenant, lanes);
}
