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
import type { LedgerEntry } from '../ledger-document.ts';
import { forwardedMove, hexOf, type Row } from '../rows.ts';
import { around, entriesOf, inChart, onShelves, type LedgerChart } from './ledger.ts';
import { FOR_UPDATE_OF_DELIVERIES, ofSameUser } from './parts.ts';

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
    SELECT 1 AS stands FROM written_document
    WHERE tenant = ${tenant} AND target = ${TARGET} AND document_index = ${row['document_index'] as Uint8Array}
      AND patient_index = ${link.mrnIndex} AND standing > 0`;
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

/** Documents in whose rows an alert of one of these days stands, of the user of a delivery. */
function* withAlerts(
  context: CommandContext,
  chart: LedgerChart,
  days: readonly string[],
  delivery: Claimed['delivery'],
): Program<readonly string[]> {
  const rows = yield* all`
    SELECT w.document_index, w.entries, w.ids_sealed FROM written_document w
    WHERE ${inChart(chart)} AND w.alerts > 0 AND ${onShelves(chart, days.flatMap(around))}
      AND ${ofSameUser(fragment`o.seq = ${delivery.seq}`)}`;
  const isMeant = ({ group, chartDay, retractedAt }: LedgerEntry): boolean =>
    group === 'alerts' && retractedAt === null && chartDay !== null && days.includes(chartDay);
  const documents: string[] = [];
  for (const row of rows)
    if ((yield* entriesOf(context, chart, row)).some(isMeant))
      documents.push(hexOf(row['document_index'] as Uint8Array));
  return documents;
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
  const documents = yield* withAlerts(context, { tenant, patient }, days, delivery);
  if (documents.length === 0) return;
  // Whoever holds one of them brings it into the lane itself, or out of it.
  const rows = yield* all`
    SELECT d.seq, d.id FROM delivery d
    WHERE d.state = 'delivered' AND d.seq IN (
      SELECT g.seq FROM document g JOIN delivery_body y ON y.seq = g.seq
      WHERE g.tenant = ${tenant} AND g.document_index ${among('bytea', documents)})
    ORDER BY d.seq ${FOR_UPDATE_OF_FREE}`;
  const lanes = makeLaneChanges();
  for (const row of rows)
    yield* forwardOne(context, lanes, row, patient, { tenant, at, actor: 'gateway', requestId: delivery.requestId });
  yield* changeLanes(tenant, lanes);
}
