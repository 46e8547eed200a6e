import { confirmedLink } from '../../../identity/index.ts';
import {
  all,
  allOf,
  fragment,
  get,
  words,
  type CommandContext,
  type Program,
  type Programs,
} from '../../../store/index.ts';
import { TARGET, HEAD, plansOf } from '../../../lanes/index.ts';
import type { ShadowReads } from '../commands.ts';
import { LISTED_EVALUATION, toListedEvaluation, toLoaded, toPending } from '../rows.ts';
import { isDue } from './due.ts';
import { evaluatedAs } from './evaluate.ts';
import { report, sinceOf } from './report.ts';
import { countWaiting } from './waiting.ts';

const [LISTED, RESULT] = [words(LISTED_EVALUATION), words('r')];

type Load = ShadowReads['shadow.load'];

function* load({ vault }: CommandContext, { tenant, jobSeq }: Load['args']): Program<Load['out']> {
  const row = yield* get`
    SELECT h.*, k.patient_index
    FROM (${HEAD} WHERE j.seq = ${jobSeq} AND j.tenant = ${tenant} AND j.state = 'queued') h
    JOIN job k ON k.seq = ${jobSeq}`;
  if (row === undefined) return null;
  const [user, patient] = [row['user_index'] as Uint8Array | null, row['patient_index'] as Uint8Array];
  const confirmed = user === null ? null : yield* confirmedLink(tenant, user);
  const linked =
    user === null
      ? undefined
      : yield* get`
          SELECT id, mrn_sealed FROM link
          WHERE tenant = ${tenant} AND user_index = ${user} AND mrn_index = ${patient} ORDER BY seq DESC LIMIT 1`;
  const isConfirmed = confirmed !== null && Buffer.compare(confirmed.mrnIndex, patient) === 0;
  const plans =
    Number(row['is_approved']) === 0
      ? []
      : yield* all`
          SELECT plan_digest FROM job
          WHERE delivery_seq = ${Number(row['delivery_seq'])} AND approved_at IS NOT NULL AND plan_digest IS NOT NULL`;
  return toLoaded(row, { isConfirmed, linked }, plansOf(plans), vault);
}

export const reads: Programs<ShadowReads> = {
  *'shadow.state'(_, { tenant }) {
    const since = yield* sinceOf(tenant);
    return { since, waiting: since === null ? 0 : (yield* countWaiting(tenant)).total };
  },
  *'shadow.pending'(_, { tenant, at, basis, after, limit }) {
    const { patient, deliverySeq, jobSeq } = after ?? { patient: new Uint8Array(), deliverySeq: 0, jobSeq: 0 };
    const rows = yield* all`
      SELECT j.patient_index, j.delivery_seq, j.seq,
        CASE WHEN r.job_seq IS NULL OR (${isDue(RESULT, at, basis)}) THEN 1 ELSE 0 END AS is_due
      FROM job j LEFT JOIN shadow_result r ON r.job_seq = j.seq
      WHERE j.tenant = ${tenant} AND j.target = ${TARGET} AND j.state = 'queued'
        AND (j.patient_index, j.delivery_seq, j.seq) > (${patient}, ${deliverySeq}, ${jobSeq})
      ORDER BY j.patient_index, j.delivery_seq, j.seq LIMIT ${limit}`;
    return toPending(rows, limit);
  },
  'shadow.load': load,
  'shadow.report': report,
  *'shadow.list'(_, { tenant, kind, reason, before, limit }) {
    const conditions = [
      ...evaluatedAs(tenant, kind, reason),
      ...(before === null ? [] : [fragment`r.job_seq < ${before}`]),
    ];
    const rows = yield* all`SELECT ${LISTED} WHERE ${allOf(conditions)} ORDER BY r.job_seq DESC LIMIT ${limit}`;
    return rows.map(toListedEvaluation);
  },
};
