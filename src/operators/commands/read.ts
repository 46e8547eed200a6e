import { all, get, part, words, type Programs } from '../../store/index.ts';
import type { OperatorReads } from '../commands.ts';
import { nameIndex, secretIndex, toFactor, toKey, toOperator, toSearch, toSession } from '../rows.ts';

const KINDS = part('group_concat(DISTINCT f.kind)', `string_agg(DISTINCT f.kind, ',')`);
const ACCOUNT = words('a.id, a.account_sealed, a.roles, a.state, a.made_at, a.signed_in_at');
const SESSION = words(`s.id AS session_id, s.operator_id, s.session_sealed, s.stage, s.factor, s.wrong_tries,
  s.made_at AS session_made_at, s.seen_at, s.proved_at, s.expires_at`);
const KEY = words('id, key_sealed, made_at, expires_at, used_at');

export const reads: Programs<OperatorReads> = {
  *'operator.session'({ vault }, { tenant, secret }) {
    const row = yield* get`
      SELECT ${ACCOUNT}, ${SESSION},
        (SELECT ${KINDS} FROM operator_factor f WHERE f.tenant = a.tenant AND f.operator_id = a.id) AS factors
      FROM operator_session s JOIN operator_account a ON a.tenant = s.tenant AND a.id = s.operator_id
      WHERE s.tenant = ${tenant} AND s.secret_index = ${secretIndex(vault, 'session', secret)}`;
    return row === undefined ? null : { session: toSession(vault, row), operator: toOperator(vault, row) };
  },
  *'operator.by-name'({ vault }, { tenant, name }) {
    const row = yield* get`
      SELECT ${ACCOUNT},
        (SELECT ${KINDS} FROM operator_factor f WHERE f.tenant = a.tenant AND f.operator_id = a.id) AS factors
      FROM operator_account a WHERE a.tenant = ${tenant} AND a.name_index = ${nameIndex(vault, name)}`;
    return row === undefined ? null : toOperator(vault, row);
  },
  *'operator.one'({ vault }, { tenant, id }) {
    const row = yield* get`
      SELECT ${ACCOUNT},
        (SELECT ${KINDS} FROM operator_factor f WHERE f.tenant = a.tenant AND f.operator_id = a.id) AS factors
      FROM operator_account a WHERE a.tenant = ${tenant} AND a.id = ${id}`;
    return row === undefined ? null : toOperator(vault, row);
  },
  *'operator.all'({ vault }, { tenant }) {
    const rows = yield* all`
      SELECT ${ACCOUNT},
        (SELECT ${KINDS} FROM operator_factor f WHERE f.tenant = a.tenant AND f.operator_id = a.id) AS factors
      FROM operator_account a WHERE a.tenant = ${tenant} ORDER BY a.made_at, a.id`;
    return rows.map((row) => toOperator(vault, row));
  },
  *'operator.sessions'({ vault }, { tenant, operatorId, atMs }) {
    const rows =
      operatorId === null
        ? yield* all`
            SELECT ${SESSION} FROM operator_session s
            WHERE s.tenant = ${tenant} AND s.expires_at > ${atMs} ORDER BY s.made_at, s.id`
        : yield* all`
            SELECT ${SESSION} FROM operator_session s
            WHERE s.tenant = ${tenant} AND s.operator_id = ${operatorId} AND s.expires_at > ${atMs}
            ORDER BY s.made_at, s.id`;
    return rows.map((row) => toSession(vault, row));
  },
  *'operator.factors'({ vault }, { tenant, operatorId }) {
    const rows = yield* all`
      SELECT id, operator_id, kind, factor_sealed, counter, made_at, used_at FROM operator_factor
      WHERE tenant = ${tenant} AND operator_id = ${operatorId} ORDER BY made_at, id`;
    return rows.map((row) => toFactor(vault, row));
  },
  *'operator.link'({ vault }, { tenant, secret, atMs }) {
    const row = yield* get`
      SELECT ${ACCOUNT} FROM operator_link l
      JOIN operator_account a ON a.tenant = l.tenant AND a.id = l.operator_id
      WHERE l.tenant = ${tenant} AND l.secret_index = ${secretIndex(vault, 'link', secret)} AND l.expires_at > ${atMs}`;
    return row === undefined ? null : toOperator(vault, row);
  },
  *'operator.key'({ vault }, { tenant, secret }) {
    const row = yield* get`
      SELECT ${KEY} FROM operator_key
      WHERE tenant = ${tenant} AND secret_index = ${secretIndex(vault, 'key', secret)}`;
    return row === undefined ? null : toKey(vault, row);
  },
  *'operator.searches'({ vault }, { tenant, operatorId }) {
    const rows = yield* all`
      SELECT id, search_sealed, made_at FROM operator_search
      WHERE tenant = ${tenant} AND operator_id = ${operatorId}`;
    return rows.map((row) => toSearch(vault, row)).sort((a, b) => a.name.localeCompare(b.name));
  },
  *'operator.keys'({ vault }, { tenant }) {
    const rows = yield* all`SELECT ${KEY} FROM operator_key WHERE tenant = ${tenant} ORDER BY made_at, id`;
    return rows.map((row) => toKey(vault, row));
  },
};
