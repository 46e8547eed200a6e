import {
  all,
  allOf,
  among,
  FOR_UPDATE,
  FOR_UPDATE_OF_FREE,
  fragment,
  insert,
  LONG_AGO,
  MILLISECONDS,
  now,
  part,
  rowsOf,
  run,
  typed,
  words,
  type CommandContext,
  type Fragment,
  type Program,
} from '../../../store/index.ts';
import { TARGET } from '../../../lanes/index.ts';
import type { ShadowKind, ShadowWrites } from '../commands.ts';
import { countsOf, itemIndex } from '../rows.ts';
import { isDue } from './due.ts';

const RESULT = words('shadow_result');
/** By their places: SQLite would rather walk along all lanes. */
const BY_PLACE = part('NOT INDEXED', '');

type Take = ShadowWrites['shadow.take'];

export function* take(
  _: CommandContext,
  { tenant, at, owner, leaseMs, basis, jobSeqs }: Take['args'],
): Program<Take['out']> {
  const rows = yield* all`
    INSERT INTO shadow_result (job_seq, tenant, target, delivery_seq, taken_by, taken_until)
    SELECT seq, tenant, target, delivery_seq, ${typed('text', owner)},
      ${now(at)} + ${typed('int', leaseMs)}${MILLISECONDS}
    FROM job ${BY_PLACE}
    WHERE seq ${among('bigint', jobSeqs)} AND tenant = ${tenant} AND target = ${TARGET} AND state = 'queued'
    ORDER BY seq
    ON CONFLICT (job_seq) DO UPDATE SET taken_by = excluded.taken_by, taken_until = excluded.taken_until
      WHERE ${isDue(RESULT, at, basis)}
    RETURNING job_seq`;
  const taken = new Set(rows.map((row) => Number(row['job_seq'])));
  return jobSeqs.filter((seq) => taken.has(seq));
}

const SHADOW_ITEM = rowsOf(
  'shadow_item',
  { job_seq: 'bigint', item_index: 'bytea', resource_type: 'text', change: 'text' },
  'ON CONFLICT DO NOTHING',
);

type Put = ShadowWrites['shadow.put'];

export function* put(
  { vault }: CommandContext,
  { at, owner, jobSeq, basis, evaluation, dueAt }: Put['args'],
): Program<Put['out']> {
  const { kind, reason, faultCode, items } = evaluation;
  const changed = yield* run`
    UPDATE shadow_result SET kind = ${kind}, reason = ${reason}, fault_code = ${faultCode},
      counts = ${JSON.stringify(countsOf(items))}, basis = ${basis}, evaluated_at = ${at.getTime()},
      due_at = ${dueAt?.getTime() ?? 0}, taken_by = NULL, taken_until = ${LONG_AGO}
    WHERE job_seq = ${jobSeq} AND taken_by = ${owner}
      AND EXISTS (SELECT 1 FROM job j WHERE j.seq = ${jobSeq} AND j.state = 'queued')`;
  if (changed === 0) return 'gone';
  yield* run`DELETE FROM shadow_item WHERE job_seq = ${jobSeq}`;
  yield* insert(
    SHADOW_ITEM,
    items.map((item) => ({
      job_seq: jobSeq,
      item_index: itemIndex(vault, item),
      resource_type: item.resourceType,
      change: item.change,
    })),
  );
  return 'stored';
}

/** Rows `r` of `shadow_result` that were evaluated: of this kind, and for this reason or fault. */
export const evaluatedAs = (tenant: string, kind: ShadowKind | null, reason: string | null): readonly Fragment[] => [
  fragment`r.tenant = ${tenant} AND r.target = ${TARGET} AND r.kind IS NOT NULL`,
  ...(kind === null ? [] : [fragment`r.kind = ${kind}`]),
  ...(reason === null ? [] : [fragment`(r.reason = ${reason} OR r.fault_code = ${reason})`]),
];

type Again = ShadowWrites['shadow.again'];

export function* again(
  _: CommandContext,
  { tenant, kind, reason, after, limit }: Again['args'],
): Program<Again['out']> {
  const rows = yield* all`
    UPDATE shadow_result SET basis = NULL, due_at = 0 WHERE job_seq IN (
      SELECT r.job_seq FROM shadow_result r
      WHERE ${allOf([...evaluatedAs(tenant, kind, reason), fragment`r.job_seq > ${after}`])}
      ORDER BY r.job_seq LIMIT ${limit} ${FOR_UPDATE})
    RETURNING job_seq`;
  return { count: rows.length, last: Math.max(after, ...rows.map((row) => Number(row['job_seq']))) };
}

/** Only where rows are locked does their order matter; SQLite stops at the first that it finds. */
const IN_ORDER = part('', 'ORDER BY job_seq');

type Sweep = ShadowWrites['shadow.sweep'];

export function* sweep(_: CommandContext, { tenant, limit }: Sweep['args']): Program<Sweep['out']> {
  const rows = yield* all`
    SELECT job_seq FROM shadow_result r
    WHERE tenant = ${tenant} AND target = ${TARGET}
      AND (NOT EXISTS (SELECT 1 FROM job j WHERE j.seq = r.job_seq AND j.state = 'queued') OR NOT EXISTS (
        SELECT 1 FROM target t WHERE t.tenant = ${tenant} AND t.target = ${TARGET} AND t.shadow_since IS NOT NULL))
    ${IN_ORDER} LIMIT ${limit} ${FOR_UPDATE_OF_FREE}`;
  const seqs = rows.map((row) => Number(row['job_seq']));
  yield* run`DELETE FROM shadow_item WHERE job_seq ${among('bigint', seqs)}`;
  yield* run`DELETE FROM shadow_result WHERE job_seq ${among('bigint', seqs)}`;
  return seqs.length;
}
