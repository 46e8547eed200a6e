import { appendPostgres } from '../audit/index.ts';
import {
  confirmedLinkPostgres,
  markUserPostgres,
  replacedPatientsPostgres,
  revokedPatientsPostgres,
  type HeldUser,
  type LinkAct,
  type LinkHead,
} from '../identity/index.ts';
import { movePostgres, type Move } from '../inbox/index.ts';
import type { PostgresContext } from '../store/index.ts';
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
  type Version,
} from './adjust.ts';
import { TARGET, type Adjusted } from './commands.ts';
import { cancelPostgres, changeLanesPostgres, enqueuePostgres } from './jobs-postgres.ts';

/** Without a link nothing of the user may go out. */
async function park(
  context: PostgresContext,
  act: LinkAct,
  user: HeldUser,
  limit: number,
  lanes: LaneChanges,
): Promise<[Counts, boolean]> {
  const rows = await context.db.all(
    `SELECT seq, id FROM delivery WHERE tenant = $1 AND user_index = $2 AND state = 'queued' ORDER BY seq LIMIT $3 FOR UPDATE`,
    act.tenant,
    user.index,
    limit,
  );
  await movePostgres(
    context,
    rows.map((row) => moveOf(act, Number(row['seq']), String(row['id']), 'queued', 'parked', 'unlinked')),
  );
  await cancelPostgres(
    context,
    lanes,
    rows.map((row) => Number(row['seq'])),
  );
  return [{ ...NOTHING, parked: rows.length }, rows.length < limit];
}

/** Documents of a user of which something stands in these charts, and which nobody is taking out of them yet. */
const writtenIn = (
  { db }: PostgresContext,
  act: LinkAct,
  user: HeldUser,
  patients: readonly Uint8Array[],
  limit: number,
): Promise<Row[]> =>
  db.all(
    `SELECT g.seq, w.document_index, w.patient_index FROM written_resource w
     JOIN delivery d ON d.seq = w.delivery_seq JOIN document g ON g.tenant = w.tenant AND g.document_index = w.document_index
     WHERE w.tenant = $1 AND w.target = $2 AND w.patient_index = ANY($3::bytea[]) AND w.retracted_at IS NULL AND d.user_index = $4
       AND NOT EXISTS (SELECT 1 FROM delivery o JOIN job r ON r.delivery_seq = o.seq WHERE o.tenant = w.tenant
         AND o.document_index = w.document_index AND r.kind = 'retract' AND r.state = 'queued' AND r.patient_index = w.patient_index)
         AND NOT EXISTS (SELECT 1 FROM delivery s JOIN job k ON k.delivery_seq = s.seq WHERE s.tenant = w.tenant AND s.document_index = w.document_index AND s.state IN ('sending','unknown')
           AND k.kind = 'deliver' AND k.state = 'queued' AND k.patient_index = w.patient_index)
     GROUP BY g.seq, w.document_index, w.patient_index ORDER BY g.seq LIMIT $5`,
    act.tenant,
    TARGET,
    patients,
    user.index,
    limit,
  );

/** The link was revoked, and what was charted through it is to go with it. What is being sent follows when it is done. */
async function withdraw(
  context: PostgresContext,
  act: LinkAct,
  user: HeldUser,
  limit: number,
  lanes: LaneChanges,
): Promise<[Counts, boolean]> {
  const rows = await writtenIn(context, act, user, await revokedPatientsPostgres(context, act.tenant, user.index), limit);
  for (const row of rows)
    await enqueuePostgres(
      context,
      lanes,
      act.tenant,
      'retract',
      row['patient_index'] as Uint8Array,
      [Number(row['seq'])],
      'revoked',
    );
  return [{ ...NOTHING, retracting: rows.length }, rows.length < limit];
}

async function findTasks(context: PostgresContext, act: LinkAct, user: HeldUser, link: LinkHead, limit: number) {
  const { db } = context;
  const written = await writtenIn(context, act, user, await replacedPatientsPostgres(context, link), limit);
  const queued = await db.all(
    `SELECT d.seq, d.id FROM delivery d JOIN job j ON j.delivery_seq = d.seq AND j.kind = 'deliver' AND j.state = 'queued'
     WHERE d.tenant = $1 AND d.user_index = $2 AND d.state = 'queued' AND j.patient_index <> $3 ORDER BY d.seq LIMIT $4 FOR UPDATE OF d`,
    act.tenant,
    user.index,
    link.mrnIndex,
    limit,
  );
  const parked = await db.all(
    `SELECT seq, id FROM delivery WHERE tenant = $1 AND user_index = $2 AND state = 'parked' AND reason = 'unlinked' ORDER BY seq LIMIT $3 FOR UPDATE`,
    act.tenant,
    user.index,
    limit,
  );
  return orderTasks({ written, queued, parked }, limit);
}

/** The row is held before its body is looked for: retention takes bodies only of rows that nobody holds. */
async function findVersion({ db }: PostgresContext, tenant: string, task: Task & { kind: 'retract' }): Promise<Version | null> {
  const rows = await db.all(
    `SELECT seq, id, state, 0 AS has_body FROM delivery
     WHERE tenant = $1 AND document_index = $2 AND state IN ('delivered','queued','sending','unknown') ORDER BY state_at DESC, seq DESC FOR UPDATE`,
    tenant,
    task.document,
  );
  const version = chooseVersion(rows.map(toVersion), task.seq);
  if (version === null) return null;
  return { ...version, hasBody: (await db.get('SELECT 1 AS one FROM delivery_body WHERE seq = $1', version.seq)) !== undefined };
}

async function carryOut(
  context: PostgresContext,
  act: LinkAct,
  link: LinkHead,
  tasks: readonly Task[],
  lanes: LaneChanges,
): Promise<Counts> {
  let counts: Counts = NOTHING;
  const moves: Move[] = [];
  const deliver: number[] = [];
  await cancelPostgres(
    context,
    lanes,
    tasks.filter(({ kind }) => kind === 'requeue').map(({ seq }) => seq),
  );
  for (const task of tasks) {
    if (task.kind !== 'retract') {
      deliver.push(task.seq);
      if (task.kind === 'release') moves.push(moveOf(act, task.seq, task.id, 'parked', 'queued', 'linked'));
      counts = sum(counts, task.kind === 'requeue' ? { ...NOTHING, requeued: 1 } : { ...NOTHING, released: 1 });
      continue;
    }
    const version = await findVersion(context, act.tenant, task);
    await enqueuePostgres(context, lanes, act.tenant, 'retract', task.patient, [version?.seq ?? task.seq]);
    // One document in the charts of two former patients is retracted twice and written once.
    const isNew = version?.state === 'delivered' && !deliver.includes(version.seq);
    const again = isNew && version.hasBody;
    if (again) {
      moves.push(moveOf(act, version.seq, version.id, 'delivered', 'queued', 'relink'));
      deliver.push(version.seq);
    }
    counts = sum(counts, { ...NOTHING, retracting: 1, requeued: again ? 1 : 0, unrepeatable: isNew && !again ? 1 : 0 });
  }
  await movePostgres(context, moves);
  await enqueuePostgres(context, lanes, act.tenant, 'deliver', link.mrnIndex, deliver);
  return counts;
}

/** Brings deliveries of a user, whose row is held, to where its link says: as many as one transaction should. */
export async function adjustPostgres(context: PostgresContext, act: LinkAct, user: HeldUser, limit: number): Promise<Adjusted> {
  const lanes = makeLaneChanges();
  const link = await confirmedLinkPostgres(context, act.tenant, user.index);
  let counts: Counts = NOTHING;
  let isSettled: boolean;
  if (link === null) {
    const [parked, isParked] = await park(context, act, user, limit, lanes);
    const [withdrawn, isWithdrawn] = await withdraw(context, act, user, limit, lanes);
    counts = sum(parked, withdrawn);
    isSettled = isParked && isWithdrawn;
  } else {
    const { tasks, isAll } = await findTasks(context, act, user, link, limit);
    counts = await carryOut(context, act, link, tasks, lanes);
    isSettled = isAll;
  }
  await changeLanesPostgres(context, act.tenant, lanes);
  await markUserPostgres(context, act.tenant, user.index, isSettled ? null : act.at);
  const draft = auditOfAdjustment(act, link, counts);
  if (draft !== null) await appendPostgres(context, [draft]);
  return { ...counts, isSettled };
}
