import { confirmedLinkPostgres } from '../../identity/index.ts';
import type { PostgresContext, PostgresOperations } from '../../store/index.ts';
import { TARGET } from '../commands.ts';
import { approvedPlans } from '../lane/act-postgres.ts';
import { HEAD } from '../lane/rows.ts';
import type { ShadowReads, ShadowTotals, ShadowWaiting } from './commands.ts';
import {
  duePostgres,
  EVALUATED,
  LISTED_EVALUATION,
  numberOrNull,
  toListedEvaluation,
  toLoaded,
  toOutcome,
  toPending,
  toResource,
  toStopped,
  toWaiting,
} from './rows.ts';

export const waitingPostgres = async ({ db }: PostgresContext, tenant: string): Promise<ShadowWaiting> =>
  toWaiting(
    await db.all(
      `SELECT kind, count(*) AS n FROM job WHERE tenant = $1 AND target = $2 AND state = 'queued' GROUP BY kind`,
      tenant,
      TARGET,
    ),
  );

const sinceOf = async ({ db }: PostgresContext, tenant: string): Promise<number | null> =>
  numberOrNull(
    (await db.get('SELECT shadow_since FROM target WHERE tenant = $1 AND target = $2', tenant, TARGET))?.['shadow_since'],
  );

async function waitingOf(context: PostgresContext, tenant: string): Promise<ShadowTotals['waiting']> {
  const { db } = context;
  const lanes = await db.get('SELECT count(*) AS n FROM lane WHERE tenant = $1 AND target = $2 AND pending > 0', tenant, TARGET);
  const oldest = await db.get(
    `SELECT received_at FROM delivery WHERE seq = (SELECT min(delivery_seq) FROM job WHERE tenant = $1 AND target = $2 AND state = 'queued')`,
    tenant,
    TARGET,
  );
  return {
    ...(await waitingPostgres(context, tenant)),
    lanes: Number(lanes?.['n']),
    oldestAt: numberOrNull(oldest?.['received_at']),
  };
}

export const reads: PostgresOperations<ShadowReads> = {
  'shadow.state': async (context, { tenant }) => {
    const since = await sinceOf(context, tenant);
    return { since, waiting: since === null ? 0 : (await waitingPostgres(context, tenant)).total };
  },
  'shadow.pending': async ({ db }, { tenant, at, basis, after, limit }) =>
    toPending(
      await db.all(
        `SELECT j.patient_index, j.delivery_seq, j.seq, CASE WHEN r.job_seq IS NULL OR (${duePostgres('r', '$1')}
             AND (r.basis IS NULL OR r.basis <> $2 OR r.kind = 'not-yet')) THEN 1 ELSE 0 END AS is_due
         FROM job j LEFT JOIN shadow_result r ON r.job_seq = j.seq
         WHERE j.tenant = $3 AND j.target = $4 AND j.state = 'queued' AND (j.patient_index, j.delivery_seq, j.seq) > ($5, $6, $7)
         ORDER BY j.patient_index, j.delivery_seq, j.seq LIMIT $8`,
        at.getTime(),
        basis,
        tenant,
        TARGET,
        after?.patient ?? Buffer.alloc(0),
        after?.deliverySeq ?? 0,
        after?.jobSeq ?? 0,
        limit,
      ),
      limit,
    ),
  'shadow.load': async (context, { tenant, jobSeq }) => {
    const { db, vault } = context;
    const row = await db.get(
      `SELECT h.*, k.patient_index FROM (${HEAD} WHERE j.seq = $1 AND j.tenant = $2 AND j.state = 'queued') h JOIN job k ON k.seq = $1`,
      jobSeq,
      tenant,
    );
    if (row === undefined) return null;
    const [user, patient] = [row['user_index'] as Uint8Array | null, row['patient_index'] as Uint8Array];
    const link = user === null ? null : await confirmedLinkPostgres(context, tenant, user);
    const linked =
      user === null
        ? undefined
        : await db.get(
            'SELECT id, mrn_sealed FROM link WHERE tenant = $1 AND user_index = $2 AND mrn_index = $3 ORDER BY seq DESC LIMIT 1',
            tenant,
            user,
            patient,
          );
    const isConfirmed = link !== null && Buffer.compare(link.mrnIndex, patient) === 0;
    const plans = Number(row['is_approved']) === 1 ? await approvedPlans(context, Number(row['delivery_seq'])) : [];
    return toLoaded(row, { isConfirmed, linked }, plans, vault);
  },
  'shadow.report': async (context, { tenant, basis }) => {
    const { db } = context;
    const since = await sinceOf(context, tenant);
    const waiting = await waitingOf(context, tenant);
    const evaluated = await db.get(
      `SELECT count(*) AS n FROM ${EVALUATED} WHERE r.tenant = $1 AND r.target = $2 AND r.basis = $3 AND r.kind <> 'not-yet'`,
      tenant,
      TARGET,
      basis,
    );
    const outcomes = await db.all(
      `SELECT o.kind, o.reason, o.fault_code, o.n, d.id AS example FROM (SELECT r.kind, r.reason, r.fault_code, count(*) AS n, min(r.delivery_seq) AS first
         FROM ${EVALUATED} WHERE r.tenant = $1 AND r.target = $2 AND r.kind IS NOT NULL GROUP BY r.kind, r.reason, r.fault_code) o JOIN delivery d ON d.seq = o.first ORDER BY o.n DESC, o.kind, o.reason`,
      tenant,
      TARGET,
    );
    const resources = await db.all(
      `SELECT i.resource_type, i.change, count(DISTINCT i.item_index) AS n FROM ${EVALUATED} JOIN shadow_item i ON i.job_seq = r.job_seq
       WHERE r.tenant = $1 AND r.target = $2 AND r.kind IN ('write','nothing-to-write') GROUP BY i.resource_type, i.change ORDER BY i.resource_type, i.change`,
      tenant,
      TARGET,
    );
    const patients = await db.get(
      `SELECT count(DISTINCT j.patient_index) AS n FROM ${EVALUATED} WHERE r.tenant = $1 AND r.target = $2 AND r.kind = 'write' AND r.reason = 'new-patient'`,
      tenant,
      TARGET,
    );
    const stopped =
      since === null
        ? []
        : await db.all(
            `SELECT o.state, o.reason, o.n, d.id AS example FROM (SELECT state, reason, count(*) AS n, min(seq) AS first FROM delivery
               WHERE tenant = $1 AND state IN ('parked','quarantined') AND state_at >= $2 GROUP BY state, reason) o JOIN delivery d ON d.seq = o.first ORDER BY o.state, o.n DESC, o.reason`,
            tenant,
            since,
          );
    return {
      since,
      waiting,
      evaluated: Number(evaluated?.['n']),
      outcomes: outcomes.map(toOutcome),
      resources: resources.map(toResource),
      newPatients: Number(patients?.['n']),
      stopped: stopped.map(toStopped),
    };
  },
  'shadow.list': async ({ db }, { tenant, kind, reason, before, limit }) =>
    (
      await db.all(
        `SELECT ${LISTED_EVALUATION} WHERE r.tenant = $1 AND r.target = $2 AND r.kind IS NOT NULL AND ($3::text IS NULL OR r.kind = $3)
           AND ($4::text IS NULL OR r.reason = $4 OR r.fault_code = $4) AND ($5::bigint IS NULL OR r.job_seq < $5::bigint) ORDER BY r.job_seq DESC LIMIT $6`,
        tenant,
        TARGET,
        kind,
        reason,
        before,
        limit,
      )
    ).map(toListedEvaluation),
};
