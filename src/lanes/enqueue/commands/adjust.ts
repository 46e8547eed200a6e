import { append } from '../../../audit/index.ts';
import {
  confirmedLink,
  markUser,
  replacedPatients,
  revokedPatients,
  type LockedUser,
  type LinkAct,
  type LinkHead,
} from '../../../identity/index.ts';
import { move, type Move } from '../../../inbox/index.ts';
import { all, FOR_UPDATE, get, part, type CommandContext, type Program } from '../../../store/index.ts';
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
} from '../adjust.ts';
import { FOR_UPDATE_OF_DELIVERIES } from '../../commands/parts.ts';
import { TARGET, type Adjusted } from '../commands.ts';
import { cancel, changeLanes, enqueue } from './jobs.ts';

/** SQLite looks into the index of what waits only where the condition of that index stands in the statement itself. */
const AMONG_WAITING = part(`AND d.state IN ('queued','parked')`, '');

/** Without a link nothing of the user may go out. */
function* park(
  context: CommandContext,
  act: LinkAct,
  user: LockedUser,
  limit: number,
  lanes: LaneChanges,
): Program<[Counts, boolean]> {
  const rows = yield* all`
    SELECT seq, id FROM delivery d
    WHERE tenant = ${act.tenant} AND user_index = ${user.index} ${AMONG_WAITING} AND state = 'queued'
    ORDER BY seq LIMIT ${limit} ${FOR_UPDATE}`;
  yield* move(
    context,
    rows.map((row) => moveOf(act, Number(row['seq']), String(row['id']), 'queued', 'parked', 'unlinked')),
  );
  yield* cancel(
    lanes,
    rows.map((row) => Number(row['seq'])),
  );
  return [{ ...NOTHING, parked: rows.length }, rows.length < limit];
}

/** The oldest documents of a user of which something stands in these charts, and which nobody takes out of them yet. */
function* writtenIn(
  act: LinkAct,
  user: LockedUser,
  patients: readonly Uint8Array[],
  limit: number,
): Program<readonly Row[]> {
  const found: Row[] = [];
  for (const patient of patients)
    found.push(
      ...(yield* all`
        SELECT g.seq, w.document_index, w.patient_index
        FROM written_document w JOIN delivery d ON d.seq = w.delivery_seq
        JOIN document g ON g.tenant = w.tenant AND g.document_index = w.document_index
        WHERE w.tenant = ${act.tenant} AND w.target = ${TARGET} AND w.patient_index = ${patient}
          AND w.standing > 0 AND d.user_index = ${user.index}
          AND NOT EXISTS (SELECT 1 FROM delivery o JOIN job r ON r.delivery_seq = o.seq
            WHERE o.tenant = w.tenant AND o.document_index = w.document_index
              AND r.kind = 'retract' AND r.state = 'queued' AND r.patient_index = w.patient_index)
          AND NOT EXISTS (SELECT 1 FROM delivery s JOIN job k ON k.delivery_seq = s.seq
            WHERE s.tenant = w.tenant AND s.document_index = w.document_index AND s.state IN ('sending','unknown')
              AND k.kind = 'deliver' AND k.state = 'queued' AND k.patient_index = w.patient_index)
        ORDER BY g.seq LIMIT ${limit}`),
    );
  return found.toSorted((a, b) => Number(a['seq']) - Number(b['seq'])).slice(0, limit);
}

/**
 * The link was revoked, and what was charted through it is to go with it. What is being sent follows when it is done.
 */
function* withdraw(act: LinkAct, user: LockedUser, limit: number, lanes: LaneChanges): Program<[Counts, boolean]> {
  const rows = yield* writtenIn(act, user, yield* revokedPatients(act.tenant, user.index), limit);
  for (const row of rows)
    yield* enqueue(lanes, act.tenant, 'retract', row['patient_index'] as Uint8Array, [Number(row['seq'])], 'revoked');
  return [{ ...NOTHING, retracting: rows.length }, rows.length < limit];
}

function* findTasks(
  act: LinkAct,
  user: LockedUser,
  link: LinkHead,
  limit: number,
): Program<{ readonly tasks: readonly Task[]; readonly isAll: boolean }> {
  const written = yield* writtenIn(act, user, yield* replacedPatients(link), limit);
  const queued = yield* all`
    SELECT d.seq, d.id
    FROM delivery d JOIN job j ON j.delivery_seq = d.seq AND j.kind = 'deliver' AND j.state = 'queued'
    WHERE d.tenant = ${act.tenant} AND d.user_index = ${user.index} ${AMONG_WAITING} AND d.state = 'queued'
      AND j.patient_index <> ${link.mrnIndex}
    ORDER BY d.seq LIMIT ${limit} ${FOR_UPDATE_OF_DELIVERIES}`;
  const parked = yield* all`
    SELECT seq, id FROM delivery d
    WHERE tenant = ${act.tenant} AND user_index = ${user.index} ${AMONG_WAITING} AND state = 'parked'
    AND reason = 'unlinked'
    ORDER BY seq LIMIT ${limit} ${FOR_UPDATE}`;
  return orderTasks({ written, queued, parked }, limit);
}

/** The row is held before its body is looked for: retention takes bodies only of rows that nobody holds. */
function* findVersion(
  tenant: string,
  task: Task & { kind: 'retract' },
): Program<(Version & { readonly hasBody: boolean }) | null> {
  const rows = yield* all`
    SELECT seq, id, state FROM delivery
    WHERE tenant = ${tenant} AND document_index = ${task.document}
      AND state IN ('delivered','queued','sending','unknown')
    ORDER BY state_at DESC, seq DESC ${FOR_UPDATE}`;
  const version = chooseVersion(rows.map(toVersion), task.seq);
  if (version === null) return null;
  return {
    ...version,
    hasBody: (yield* get`SELECT 1 AS one FROM delivery_body WHERE seq = ${version.seq}`) !== undefined,
  };
}

function* carryOut(
  context: CommandContext,
  act: LinkAct,
  link: LinkHead,
  tasks: readonly Task[],
  lanes: LaneChanges,
): Program<Counts> {
  let counts: Counts = NOTHING;
  const moves: Move[] = [];
  const deliver: number[] = [];
  yield* cancel(
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
    const version = yield* findVersion(act.tenant, task);
    yield* enqueue(lanes, act.tenant, 'retract', task.patient, [version?.seq ?? task.seq]);
    // One document in the charts of two former patients is retracted twice and written once.
    const isNew = version?.state === 'delivered' && !deliver.includes(version.seq);
    const again = isNew && version.hasBody;
    if (again) {
      moves.push(moveOf(act, version.seq, version.id, 'delivered', 'queued', 'relink'));
      deliver.push(version.seq);
    }
    counts = sum(counts, { ...NOTHING, retracting: 1, requeued: again ? 1 : 0, unrepeatable: isNew && !again ? 1 : 0 });
  }
  yield* move(context, moves);
  yield* enqueue(lanes, act.tenant, 'deliver', link.mrnIndex, deliver);
  return counts;
}

/** Brings deliveries of a user, whose row is held, to where its link says: as many as one transaction should. */
export function* adjust(context: CommandContext, act: LinkAct, user: LockedUser, limit: number): Program<Adjusted> {
  const lanes = makeLaneChanges();
  const link = yield* confirmedLink(act.tenant, user.index);
  let counts: Counts = NOTHING;
  let isSettled: boolean;
  if (link === null) {
    const [parked, isParked] = yield* park(context, act, user, limit, lanes);
    const [withdrawn, isWithdrawn] = yield* withdraw(act, user, limit, lanes);
    counts = sum(parked, withdrawn);
    isSettled = isParked && isWithdrawn;
  } else {
    const { tasks, isAll } = yield* findTasks(act, user, link, limit);
    counts = yield* carryOut(context, act, link, tasks, lanes);
    isSettled = isAll;
  }
  yield* changeLanes(act.tenant, lanes);
  yield* markUser(act.tenant, user.index, isSettled ? null : act.at);
  const draft = auditOfAdjustment(act, link, counts);
  if (draft !== null) yield* append(context, [draft]);
  return { ...counts, isSettled };
}
