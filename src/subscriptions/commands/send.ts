import { append, patientPseudonym } from '../../audit/index.ts';
import {
  all,
  allOf,
  fragment,
  FOR_UPDATE,
  FOR_UPDATE_OF_FREE,
  get,
  listOf,
  rightNowMs,
  run,
  runEach,
  send,
  typed,
  words,
  type CommandContext,
  type Fragment,
  type Program,
} from '../../store/index.ts';
import type { Due, SendLease, SendOutcome, SubscriptionWrites } from '../commands.ts';
import { SUBSCRIPTION, toNumbered, toSubscription, type Row } from '../rows.ts';
import type { NumberedEvent } from '../subscription.ts';

const COLUMNS = words(SUBSCRIPTION);
const IS_SENT_TO = words(`state IN ('requested','active')`);
/** A subscription that is told nothing is looked at so often: its app may have lost what it was made with. */
const LOOK_MS = 3_600_000;

function* eventsBehind(context: CommandContext, seq: number, sent: number, limit: number): Program<NumberedEvent[]> {
  const rows = yield* all`
    SELECT subscription_seq, first_number, last_number, at, patient_index, items_sealed FROM subscription_event
    WHERE subscription_seq = ${seq} AND last_number > ${sent} ORDER BY last_number LIMIT ${limit}`;
  return rows
    .flatMap((row) => toNumbered(context.vault, row))
    .filter(({ number }) => number > sent)
    .slice(0, limit);
}

type Claim = SubscriptionWrites['subscription.claim'];

export function* claim(
  context: CommandContext,
  { tenant, owner, at, leaseMs, limit, without, ofOneApp }: Claim['args'],
): Program<Claim['out']> {
  const conditions: Fragment[] = [
    fragment`tenant = ${tenant} AND ${IS_SENT_TO} AND next_at <= ${at.getTime()}`,
    fragment`lease_until <= ${rightNowMs(at)}`,
    ...(without.length === 0 ? [] : [fragment`client_id NOT IN (${listOf(without)})`]),
  ];
  const found = yield* all`
    SELECT ${COLUMNS} FROM subscription WHERE ${allOf(conditions)} ORDER BY next_at LIMIT ${limit} ${FOR_UPDATE_OF_FREE}`;
  const underWay = new Map(ofOneApp?.underWay);
  const rows = found.filter((row) => {
    const clientId = String(row['client_id']);
    const n = (underWay.get(clientId) ?? 0) + 1;
    if (n > (ofOneApp?.most ?? Infinity)) return false;
    underWay.set(clientId, n);
    return true;
  });
  yield* runEach(
    rows.map(
      (row) => fragment`
        UPDATE subscription SET lease_owner = ${owner}, lease_epoch = lease_epoch + 1,
          lease_until = ${rightNowMs(at)} + ${typed('bigint', leaseMs)}
        WHERE seq = ${Number(row['seq'])}`,
    ),
  );
  const due: Due[] = [];
  for (const row of rows) {
    const subscription = toSubscription(context.vault, row);
    const { seq, state, sentNumber, lastNumber, settings } = subscription;
    const isBehind = state === 'active' && lastNumber > sentNumber;
    due.push({
      lease: { tenant, owner, seq, epoch: Number(row['lease_epoch']) + 1 },
      subscription,
      events: isBehind ? yield* eventsBehind(context, seq, sentNumber, settings.countMax) : [],
    });
  }
  return due;
}

const isHeld = ({ tenant, owner, seq, epoch }: SendLease): Fragment =>
  fragment`seq = ${seq} AND tenant = ${tenant} AND lease_owner = ${owner} AND lease_epoch = ${epoch}`;

type Record = SubscriptionWrites['subscription.record'];

export function* record(context: CommandContext, { tenant, at, records }: Record['args']): Program<Record['out']> {
  yield* append(
    context,
    records.map(({ patient, draft }) => ({
      ...draft,
      at,
      tenant,
      ...(patient === null ? {} : { patientHash: patientPseudonym(context.vault, Buffer.from(patient, 'hex')) }),
    })),
  );
  return null;
}

type Begin = SubscriptionWrites['subscription.begin'];

export function* begin(context: CommandContext, { lease, at, records }: Begin['args']): Program<Begin['out']> {
  const row = yield* get`
    SELECT 1 AS held FROM subscription
    WHERE ${isHeld(lease)} AND ${IS_SENT_TO} AND lease_until > ${rightNowMs(at)} ${FOR_UPDATE}`;
  if (row === undefined) return 'lost';
  yield* record(context, { tenant: lease.tenant, at, records });
  return 'begun';
}

/** What of the row an outcome changes, beside the lease. */
function changeOf(outcome: SendOutcome, row: Row, at: Date, heartbeatMs: number | null): Fragment {
  const nowMs = at.getTime();
  const endAt = row['end_at'] === null ? Infinity : Number(row['end_at']);
  const idleAt = Math.min(nowMs + (heartbeatMs ?? LOOK_MS), nowMs + LOOK_MS, endAt);
  const good = fragment`failures = 0, failing_since = NULL, because = NULL`;
  switch (outcome.kind) {
    case 'greeted':
      return fragment`state = 'active', ${good}, sent_at = ${nowMs}, changed_at = ${nowMs},
        next_at = CASE WHEN last_number > sent_number THEN ${typed('bigint', nowMs)} ELSE ${typed('bigint', idleAt)} END`;
    case 'sent':
      return fragment`sent_number = ${outcome.upTo}, ${good}, sent_at = ${nowMs}, next_at = CASE
        WHEN last_number > ${typed('bigint', outcome.upTo)} THEN ${typed('bigint', nowMs)}
        ELSE ${typed('bigint', idleAt)} END`;
    case 'idle':
      return fragment`next_at = CASE WHEN last_number > sent_number THEN ${typed('bigint', nowMs)}
        ELSE ${typed('bigint', idleAt)} END`;
    case 'failed':
      return outcome.retryAt === null
        ? fragment`state = 'error', because = ${outcome.because}, failures = failures + 1, changed_at = ${nowMs}`
        : fragment`failures = failures + 1, failing_since = coalesce(failing_since, ${typed('bigint', nowMs)}),
            because = ${outcome.because}, next_at = ${Math.min(outcome.retryAt, Math.max(endAt, nowMs))}`;
    case 'off':
      return fragment`state = 'off', because = ${outcome.because}, changed_at = ${nowMs}`;
  }
}

type Settle = SubscriptionWrites['subscription.settle'];

export function* settle(context: CommandContext, { lease, at, outcome }: Settle['args']): Program<Settle['out']> {
  const row = yield* get`SELECT ${COLUMNS} FROM subscription WHERE ${isHeld(lease)} AND ${IS_SENT_TO} ${FOR_UPDATE}`;
  if (row === undefined) return 'lost';
  const { heartbeatMs } = toSubscription(context.vault, row).settings;
  const after = yield* get`
    UPDATE subscription SET ${changeOf(outcome, row, at, heartbeatMs)}, lease_owner = NULL, lease_until = 0
    WHERE ${isHeld(lease)} RETURNING state, next_at`;
  const isMore =
    (after?.['state'] === 'active' || after?.['state'] === 'requested') && Number(after['next_at']) <= at.getTime();
  return isMore ? 'more' : 'done';
}

type Free = SubscriptionWrites['subscription.free'];

/** On PostgreSQL somebody else may be sending; there a lease runs out by itself. */
export function* free({ engine }: CommandContext, { tenant }: Free['args']): Program<Free['out']> {
  if (engine === 'sqlite')
    yield* send`UPDATE subscription SET lease_owner = NULL, lease_until = 0 WHERE tenant = ${tenant} AND lease_until > 0`;
  return null;
}

type Forget = SubscriptionWrites['subscription.forget'];

export function* forget(_: CommandContext, { tenant, at, before, limit }: Forget['args']): Program<Forget['out']> {
  const cutOff = before.getTime();
  const gone = yield* run`
    DELETE FROM subscription_event WHERE (subscription_seq, last_number) IN (
      SELECT subscription_seq, last_number FROM subscription_event
      WHERE tenant = ${tenant} AND at < ${cutOff} LIMIT ${limit})`;
  yield* run`
    UPDATE subscription SET state = 'off', because = 'abandoned', changed_at = ${at.getTime()}
    WHERE tenant = ${tenant} AND state = 'error' AND changed_at < ${cutOff}`;
  yield* run`
    UPDATE subscription SET state = 'off', because = 'ended', changed_at = ${at.getTime()}
    WHERE tenant = ${tenant} AND state <> 'off' AND end_at < ${at.getTime()}`;
  yield* run`DELETE FROM subscription WHERE tenant = ${tenant} AND state = 'off' AND changed_at < ${cutOff}`;
  return gone;
}
