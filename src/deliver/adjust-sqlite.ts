import { appendSqlite } from '../audit/index.ts';
import {
  confirmedLinkSqlite,
  markUserSqlite,
  replacedPatientsSqlite,
  revokedPatientsSqlite,
  type HeldUser,
  type LinkAct,
  type LinkHead,
} from '../identity/index.ts';
import { moveSqlite } from '../inbox/index.ts';
import type { SqliteContext } from '../store/index.ts';
import {
  auditOfAdjustment,
  chooseVersion,
  makeLaneChanges,
  moveOf,
  NOTHING,
  orderTasks,
  sum,
  toVersion,
  type Counts,
  type LaneChanges,
  type Row,
  type Task,
} from './adjust.ts';
import { TARGET, type Adjusted } from './commands.ts';
import { cancelSqlite, changeLanesSqlite, enqueueSqlite } from './jobs-sqlite.ts';

/** Without a link nothing of the user may go out. */
function park(context: SqliteContext, act: LinkAct, user: HeldUser, limit: number, lanes: LaneChanges): [Counts, boolean] {
  const rows = context.db.all(
    `SELECT seq, id FROM delivery WHERE tenant = ? AND user_index = ? AND state IN ('queued','parked') AND state = 'queued' ORDER BY seq LIMIT ?`,
    act.tenant,
    user.index,
    limit,
  );
  for (const row of rows) {
    cancelSqlite(context, lanes, [Number(row['seq'])]);
    moveSqlite(context, moveOf(act, Number(row['seq']), String(row['id']), 'queued', 'parked', 'unlinked'));
  }
  return [{ ...NOTHING, parked: rows.length }, rows.length < limit];
}

/** Documents of a user of which something stands in these charts, and which nobody is taking out of them yet. */
const writtenIn = ({ db }: SqliteContext, act: LinkAct, user: HeldUser, patients: readonly Uint8Array[], limit: number): Row[] =>
  patients.flatMap((patient) =>
    db.all(
      `SELECT g.seq, w.document_index, w.patient_index FROM written_resource w
       JOIN delivery d ON d.seq = w.delivery_seq JOIN document g ON g.tenant = w.tenant AND g.document_index = w.document_index
       WHERE w.tenant = ?1 AND w.target = ?2 AND w.patient_index = ?3 AND w.retracted_at IS NULL AND d.user_index = ?4
         AND NOT EXISTS (SELECT 1 FROM delivery o JOIN job r ON r.delivery_seq = o.seq WHERE o.tenant = w.tenant
           AND o.document_index = w.document_index AND r.kind = 'retract' AND r.state = 'queued' AND r.patient_index = w.patient_index)
         AND NOT EXISTS (SELECT 1 FROM delivery s JOIN job k ON k.delivery_seq = s.seq WHERE s.tenant = w.tenant AND s.document_index = w.document_index AND s.state IN ('sending','unknown')
           AND k.kind = 'deliver' AND k.state = 'queued' AND k.patient_index = w.patient_index)
       GROUP BY g.seq, w.document_index, w.patient_index ORDER BY g.seq LIMIT ?5`,
      act.tenant,
      TARGET,
      patient,
      user.index,
      limit,
    ),
  );

/** The link was revoked, and what was charted through it is to go with it. What is being sent follows when it is done. */
function withdraw(context: SqliteContext, act: LinkAct, user: HeldUser, limit: number, lanes: LaneChanges): [Counts, boolean] {
  const rows = writtenIn(context, act, user, revokedPatientsSqlite(context, act.tenant, user.index), limit);
  for (const row of rows)
    enqueueSqlite(context, lanes, act.tenant, 'retract', row['patient_index'] as Uint8Array, [Number(row['seq'])], 'revoked');
  return [{ ...NOTHING, retracting: rows.length }, rows.length < limit];
}

function findTasks(context: SqliteContext, act: LinkAct, user: HeldUser, link: LinkHead, limit: number) {
  const { db } = context;
  const written = writtenIn(context, act, user, replacedPatientsSqlite(context, link), limit);
  const queued = db.all(
    `SELECT d.seq, d.id FROM delivery d JOIN job j ON j.delivery_seq = d.seq AND j.kind = 'deliver' AND j.state = 'queued'
     WHERE d.tenant = ? AND d.user_index = ? AND d.state IN ('queued','parked') AND d.state = 'queued' AND j.patient_index <> ? ORDER BY d.seq LIMIT ?`,
    act.tenant,
    user.index,
    link.mrnIndex,
    limit,
  );
  const parked = db.all(
    `SELECT seq, id FROM delivery WHERE tenant = ? AND user_index = ? AND state IN ('queued','parked') AND state = 'parked' AND reason = 'unlinked' ORDER BY seq LIMIT ?`,
    act.tenant,
    user.index,
    limit,
  );
  return orderTasks({ written, queued, parked }, limit);
}

/** Out of the old chart; and into the new one, where the document is not on its way there anyway. */
function retract(
  context: SqliteContext,
  act: LinkAct,
  link: LinkHead,
  task: Task & { kind: 'retract' },
  lanes: LaneChanges,
): Counts {
  const versions = context.db
    .all(
      `SELECT seq, id, state, EXISTS (SELECT 1 FROM delivery_body b WHERE b.seq = d.seq) AS has_body FROM delivery d
       WHERE tenant = ? AND document_index = ? AND state IN ('delivered','queued','sending','unknown') ORDER BY state_at DESC, seq DESC`,
      act.tenant,
      task.document,
    )
    .map(toVersion);
  const version = chooseVersion(versions, task.seq);
  enqueueSqlite(context, lanes, act.tenant, 'retract', task.patient, [version?.seq ?? task.seq]);
  if (version?.state !== 'delivered') return { ...NOTHING, retracting: 1 };
  if (!version.hasBody) return { ...NOTHING, retracting: 1, unrepeatable: 1 };
  moveSqlite(context, moveOf(act, version.seq, version.id, 'delivered', 'queued', 'relink'));
  enqueueSqlite(context, lanes, act.tenant, 'deliver', link.mrnIndex, [version.seq]);
  return { ...NOTHING, retracting: 1, requeued: 1 };
}

function carryOut(context: SqliteContext, act: LinkAct, link: LinkHead, task: Task, lanes: LaneChanges): Counts {
  if (task.kind === 'retract') return retract(context, act, link, task, lanes);
  if (task.kind === 'requeue') cancelSqlite(context, lanes, [task.seq]);
  else moveSqlite(context, moveOf(act, task.seq, task.id, 'parked', 'queued', 'linked'));
  enqueueSqlite(context, lanes, act.tenant, 'deliver', link.mrnIndex, [task.seq]);
  return task.kind === 'requeue' ? { ...NOTHING, requeued: 1 } : { ...NOTHING, released: 1 };
}

/** Brings deliveries of a user, whose row is held, to where its link says: as many as one transaction should. */
export function adjustSqlite(context: SqliteContext, act: LinkAct, user: HeldUser, limit: number): Adjusted {
  const lanes = makeLaneChanges();
  const link = confirmedLinkSqlite(context, act.tenant, user.index);
  let counts: Counts = NOTHING;
  let isSettled: boolean;
  if (link === null) {
    const [parked, isParked] = park(context, act, user, limit, lanes);
    const [withdrawn, isWithdrawn] = withdraw(context, act, user, limit, lanes);
    counts = sum(parked, withdrawn);
    isSettled = isParked && isWithdrawn;
  } else {
    const { tasks, isAll } = findTasks(context, act, user, link, limit);
    for (const task of tasks) counts = sum(counts, carryOut(context, act, link, task, lanes));
    isSettled = isAll;
  }
  changeLanesSqlite(context, act.tenant, lanes);
  markUserSqlite(context, act.tenant, user.index, isSettled ? null : act.at);
  const draft = auditOfAdjustment(act, link, counts);
  if (draft !== null) appendSqlite(context, draft);
  return { ...counts, isSettled };
}
