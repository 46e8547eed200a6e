import { all, allOf, among, fragment, get, rightNowMs, words, type Programs } from '../../store/index.ts';
import type { SubscriptionReads, SubscriptionWrites } from '../commands.ts';
import { ownerIndex, SUBSCRIPTION, toListed, toNumbered, toStateCounts, toSubscription } from '../rows.ts';
import { fanOut } from './fan-out.ts';
import { add, change, end, remove, rotate } from './own.ts';
import { begin, claim, forget, free, record, settle } from './send.ts';

const COLUMNS = words(SUBSCRIPTION);

export const writes: Programs<SubscriptionWrites> = {
  'subscription.add': add,
  'subscription.change': change,
  'subscription.rotate': rotate,
  'subscription.remove': remove,
  'subscription.end': end,
  'subscription.fan-out': fanOut,
  'subscription.claim': claim,
  'subscription.begin': begin,
  'subscription.record': record,
  'subscription.settle': settle,
  'subscription.free': free,
  'subscription.forget': forget,
};

export const reads: Programs<SubscriptionReads> = {
  *'subscription.look'(_, { tenant, at }) {
    const queued = yield* get`SELECT 1 AS one FROM event WHERE tenant = ${tenant} LIMIT 1`;
    const due = yield* get`
      SELECT 1 AS one FROM subscription
      WHERE tenant = ${tenant} AND state IN ('requested','active') AND next_at <= ${at.getTime()}
        AND lease_until <= ${rightNowMs(at)} LIMIT 1`;
    return { isQueued: queued !== undefined, isDue: due !== undefined };
  },
  *'subscription.get'({ vault }, { tenant, id, owner }) {
    const row = yield* get`
      SELECT ${COLUMNS} FROM subscription
      WHERE tenant = ${tenant} AND id = ${id} AND owner_index = ${ownerIndex(vault, owner)}`;
    return row === undefined ? null : toSubscription(vault, row);
  },
  *'subscription.list-own'({ vault }, { tenant, owner, after, limit }) {
    const rows = yield* all`
      SELECT ${COLUMNS} FROM subscription
      WHERE tenant = ${tenant} AND client_id = ${owner.clientId} AND owner_index = ${ownerIndex(vault, owner)}
        AND seq > ${after} ORDER BY seq LIMIT ${limit}`;
    return rows.map((row) => toSubscription(vault, row));
  },
  *'subscription.events'({ vault }, { tenant, seq, from, to, limit }) {
    const rows = yield* all`
      SELECT subscription_seq, first_number, last_number, at, patient_index, items_sealed FROM subscription_event
      WHERE subscription_seq = ${seq} AND tenant = ${tenant} AND last_number >= ${from} AND first_number <= ${to}
      ORDER BY last_number LIMIT ${limit}`;
    return rows
      .flatMap((row) => toNumbered(vault, row))
      .filter(({ number }) => number >= from && number <= to)
      .slice(0, limit);
  },
  *'subscription.linked'(_, { tenant, patients }) {
    if (patients.length === 0) return [];
    const rows = yield* all`
      SELECT DISTINCT mrn_index FROM link
      WHERE tenant = ${tenant} AND mrn_index ${among('bytea', patients)} AND status = 'confirmed'`;
    return rows.map((row) => Buffer.from(row['mrn_index'] as Uint8Array).toString('hex'));
  },
  *'subscription.list'({ vault }, { tenant, before, limit, state, clientId }) {
    const conditions = [
      fragment`tenant = ${tenant}`,
      ...(before === null ? [] : [fragment`seq < ${before}`]),
      ...(state === null ? [] : [fragment`state = ${state}`]),
      ...(clientId === null ? [] : [fragment`client_id = ${clientId}`]),
    ];
    const rows = yield* all`
      SELECT ${COLUMNS} FROM subscription WHERE ${allOf(conditions)} ORDER BY seq DESC LIMIT ${limit}`;
    return rows.map((row) => toListed(vault, row));
  },
  *'subscription.count'(_, { tenant }) {
    const rows = yield* all`
      SELECT state, count(*) AS n, sum(CASE WHEN failing_since IS NULL THEN 0 ELSE 1 END) AS n_failing
      FROM subscription WHERE tenant = ${tenant} GROUP BY state`;
    return toStateCounts(rows);
  },
  *'subscription.show'({ vault }, { tenant, id }) {
    const row = yield* get`SELECT ${COLUMNS} FROM subscription WHERE tenant = ${tenant} AND id = ${id}`;
    return row === undefined ? null : toListed(vault, row);
  },
};
