import { confirmedLinkSqlite } from '../../identity/index.ts';
import type { SqliteContext, SqliteOperations } from '../../store/index.ts';
import { TARGET } from '../commands.ts';
import { approvedPlans } from '../lane/act-sqlite.ts';
import { HEAD } from '../lane/rows.ts';
import type { ShadowReads, ShadowTotals, ShadowWaiting } from './commands.ts';
import {
  dueSqlite,
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

export const waitingSqlite = ({ db }: SqliteContext, tenant: string): ShadowWaiting =>
  toWaiting(
    db.all(
      `SELECT kind, count(*) AS n FROM job WHERE tenant = ? AND target = ? AND state = 'queued' GROUP BY kind`,
      tenant,
      TARGET,
    ),
  );

const sinceOf = ({ db }: SqliteContext, tenant: string): number | null =>
  numberOrNull(db.get('SELECT shadow_since FROM target WHERE tenant = ? AND target = ?', tenant, TARGET)?.['shadow_since']);

function waitingOf(context: SqliteContext, tenant: string): ShadowTotals['waiting'] {
  const { db } = context;
  const lanes = db.get('SELECT count(*) AS n FROM lane WHERE tenant = ? AND target = ? AND pending > 0', tenant, TARGET);
  const oldest = db.get(
    `SELECT received_at FROM delivery WHERE seq = (SELECT min(delivery_seq) FROM job WHERE tenant = ? AND target = ? AND state = 'queued')`,
    tenant,
    TARGET,
  );
  return {
    ...waitingSqlite(context, tenant),
    lanes: Number(lanes?.['n']),
    oldestAt: numberOrNull(oldest?.['received_at']),
  };
}

export const reads: SqliteOperations<ShadowReads> = {
  'shadow.state': (context, { tenant }) => {
    const since = sinceOf(context, tenant);
    return { since, waiting: since === null ? 0 : waitingSqlite(context, tenant).total };
  },
  'shadow.pending': ({ db }, { tenant, at, basis, after, limit }) =>
    toPending(
      db.all(
        `SELECT j.patient_index, j.delivery_seq, j.seq, CASE WHEN r.job_seq IS NULL OR (${dueSqlite('?1')}
             AND (r.basis IS NULL OR r.basis <> ?2 OR r.kind = 'not-yet')) THEN 1 ELSE 0 END AS is_due
         FROM job j LEFT JOIN shadow_result r ON r.job_seq = j.seq
         WHERE j.tenant = ?3 AND j.target = ?4 AND j.state = 'queued' AND (j.patient_index, j.delivery_seq, j.seq) > (?5, ?6, ?7)
         ORDER BY j.patient_index, j.delivery_seq, j.seq LIMIT ?8`,
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
  'shadow.load': (context, { tenant, jobSeq }) => {
    const { db, vault } = context;
    const row = db.get(
      `SELECT h.*, k.patient_index FROM (${HEAD} WHERE j.seq = ?1 AND j.tenant = ?2 AND j.state = 'queued') h JOIN job k ON k.seq = ?1`,
      jobSeq,
      tenant,
    );
    if (row === undefined) return null;
    const [user, patient] = [row['user_index'] as Uint8Array | null, row['patient_index'] as Uint8Array];
    const link = user === null ? null : confirmedLinkSqlite(context, tenant, user);
    const linked =
      user === null
        ? undefined
        : db.get(
            'SELECT id, mrn_sealed FROM link WHERE tenant = ? AND user_index = ? AND mrn_index = ? ORDER BY seq DESC LIMIT 1',
            tenant,
            user,
            patient,
          );
    const isConfirmed = link !== null && Buffer.compare(link.mrnIndex, patient) === 0;
    const plans = Number(row['is_approved']) === 1 ? approvedPlans(context, Number(row['delivery_seq'])) : [];
    return toLoaded(row, { isConfirmed, linked }, plans, vault);
  },
  'shadow.report': (context, { tenant, basis }) => {
    const { db } = context;
    const since = sinceOf(context, tenant);
    const waiting = waitingOf(context, tenant);
    const evaluated = db.get(
      `SELECT count(*) AS n FROM ${EVALUATED} WHERE r.tenant = ?1 AND r.target = ?2 AND r.basis = ?3 AND r.kind <> 'not-yet'`,
      tenant,
      TARGET,
      basis,
    );
    const outcomes = db.all(
      `SELECT o.kind, o.reason, o.fault_code, o.n, d.id AS example FROM (SELECT r.kind, r.reason, r.fault_code, count(*) AS n, min(r.delivery_seq) AS first
         FROM ${EVALUATED} WHERE r.tenant = ? AND r.target = ? AND r.kind IS NOT NULL GROUP BY r.kind, r.reason, r.fault_code) o JOIN delivery d ON d.seq = o.first ORDER BY o.n DESC, o.kind, o.reason`,
      tenant,
      TARGET,
    );
    const resources = db.all(
      `SELECT i.resource_type, i.change, count(DISTINCT i.item_index) AS n FROM ${EVALUATED} JOIN shadow_item i ON i.job_seq = r.job_seq
       WHERE r.tenant = ? AND r.target = ? AND r.kind IN ('write','nothing-to-write') GROUP BY i.resource_type, i.change ORDER BY i.resource_type, i.change`,
      tenant,
      TARGET,
    );
    const patients = db.get(
      `SELECT count(DISTINCT j.patient_index) AS n FROM ${EVALUATED} WHERE r.tenant = ? AND r.target = ? AND r.kind = 'write' AND r.reason = 'new-patient'`,
      tenant,
      TARGET,
    );
    const stopped =
      since === null
        ? []
        : db.all(
            `SELECT o.state, o.reason, o.n, d.id AS example FROM (SELECT state, reason, count(*) AS n, min(seq) AS first FROM delivery
               WHERE tenant = ? AND state IN ('parked','quarantined') AND state_at >= ? GROUP BY state, reason) o JOIN delivery d ON d.seq = o.first ORDER BY o.state, o.n DESC, o.reason`,
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
  'shadow.list': ({ db }, { tenant, kind, reason, before, limit }) =>
    db
      .all(
        `SELECT ${LISTED_EVALUATION} WHERE r.tenant = ?1 AND r.target = ?2 AND r.kind IS NOT NULL AND (?3 IS NULL OR r.kind = ?3)
           AND (?4 IS NULL OR r.reason = ?4 OR r.fault_code = ?4) AND (?5 IS NULL OR r.job_seq < ?5) ORDER BY r.job_seq DESC LIMIT ?6`,
        tenant,
        TARGET,
        kind,
        reason,
        before,
        limit,
      )
      .map(toListedEvaluation),
};
