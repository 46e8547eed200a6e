import { all, get, words, type Programs } from '../../store/index.ts';
import type { AuthReads } from '../commands.ts';
import { nameIndex, subjectIndex, toKeptKey, toRegisteredClient, toShownAccount, toStoredAccount } from '../rows.ts';
import { find, findByUid, findClient, findStanding, findToken } from './find.ts';
import { listGrants } from './grants.ts';
import { keyOf, keysOf } from './rotate-key.ts';

const ACCOUNT = words('id, account_sealed, failures, disabled_at, unlocked_at');
const CLIENT = words('id, client_sealed, disabled_at');

export const reads: Programs<AuthReads> = {
  'auth.find': find,
  'auth.find-by-uid': findByUid,
  'auth.token': findToken,
  'auth.standing': findStanding,
  'auth.client': (context, { tenant, id }) => findClient(context, tenant, id),
  *'auth.clients'({ vault }, { tenant }) {
    const rows = yield* all`SELECT ${CLIENT} FROM auth_client WHERE tenant = ${tenant} ORDER BY made_at, id`;
    return rows.map((row) => toRegisteredClient(vault, row));
  },
  *'auth.registered-client'({ vault }, { tenant, id }) {
    const row = yield* get`SELECT ${CLIENT} FROM auth_client WHERE tenant = ${tenant} AND id = ${id}`;
    return row === undefined ? null : toRegisteredClient(vault, row);
  },
  *'auth.is-origin'(_, { tenant, origin }) {
    const row = yield* get`
      SELECT 1 AS one FROM auth_origin AS o JOIN auth_client AS c ON c.tenant = o.tenant AND c.id = o.client_id
      WHERE o.tenant = ${tenant} AND o.origin = ${origin} AND c.disabled_at IS NULL LIMIT 1`;
    return row !== undefined;
  },
  *'auth.account'({ vault }, { tenant, id }) {
    const row = yield* get`
      SELECT ${ACCOUNT} FROM auth_account WHERE tenant = ${tenant} AND id = ${id} AND disabled_at IS NULL`;
    return row === undefined ? null : toShownAccount(vault, row);
  },
  *'auth.account-by-name'({ vault }, { tenant, name }) {
    const row = yield* get`
      SELECT ${ACCOUNT} FROM auth_account
      WHERE tenant = ${tenant} AND name_index = ${nameIndex(vault, name)} AND disabled_at IS NULL`;
    return row === undefined ? null : toStoredAccount(vault, row);
  },
  *'auth.account-by-subject'({ vault }, { tenant, issuer, subject }) {
    const row = yield* get`
      SELECT ${ACCOUNT} FROM auth_account
      WHERE tenant = ${tenant} AND name_index = ${subjectIndex(vault, issuer, subject)}`;
    return row === undefined ? null : toStoredAccount(vault, row);
  },
  *'auth.stored-account'({ vault }, { tenant, id }) {
    const row = yield* get`
      SELECT ${ACCOUNT} FROM auth_account WHERE tenant = ${tenant} AND id = ${id} AND disabled_at IS NULL`;
    return row === undefined ? null : toStoredAccount(vault, row);
  },
  *'auth.accounts'({ vault }, { tenant }) {
    const rows = yield* all`SELECT ${ACCOUNT} FROM auth_account WHERE tenant = ${tenant} ORDER BY made_at, id`;
    return rows.map((row) => toShownAccount(vault, row));
  },
  'auth.grants': listGrants,
  'auth.key': (context, { tenant, name }) => keyOf(context, tenant, name),
  *'auth.keys'({ vault }, { tenant, prefix }) {
    return (yield* keysOf(tenant, prefix)).map((row) => toKeptKey(vault, row));
  },
};
