import { appendSqlite } from '../audit/index.ts';
import type { SqliteContext, SqliteOperations } from '../store/index.ts';
import type { AuthReads, AuthWrites } from './commands.ts';
import {
  dependsOn,
  grantIndex,
  idIndex,
  nameIndex,
  outlived,
  sealAccount,
  sealClient,
  sealKey,
  SWEEP_MAX,
  toClient,
  toKeptKey,
  toKey,
  tokenIdOf,
  toRecord,
  toRecordRow,
  toShownAccount,
  toStoredAccount,
  uidIndex,
} from './rows.ts';

const KEYS = `SELECT name, key_sealed, made_at FROM auth_key WHERE tenant = ?1 AND substr(name, 1, length(?2)) = ?2
  ORDER BY made_at DESC, name DESC`;
const FOUND = 'SELECT id_index, payload_sealed, consumed_at FROM auth_record WHERE tenant = ?';

function sweep({ db }: SqliteContext, atMs: number): void {
  db.run(
    `DELETE FROM auth_record WHERE (tenant, kind, id_index) IN
       (SELECT tenant, kind, id_index FROM auth_record WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    atMs,
    SWEEP_MAX,
  );
}

const clientOf = ({ db, vault }: SqliteContext, tenant: string, id: string) => {
  const row = db.get('SELECT id, client_sealed FROM auth_client WHERE tenant = ? AND id = ?', tenant, id);
  return row === undefined ? null : toClient(vault, row);
};

export const writes: SqliteOperations<AuthWrites> = {
  'auth.put': (context, put) => {
    const { db, vault } = context;
    sweep(context, put.at.getTime());
    const row = toRecordRow(vault, put);
    const { changes } = db.run(
      `INSERT INTO auth_record (tenant, kind, id_index, payload_sealed, grant_index, uid_index, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (tenant, kind, id_index) ${
         put.as === 'first'
           ? 'DO NOTHING'
           : `DO UPDATE SET payload_sealed = excluded.payload_sealed, grant_index = excluded.grant_index,
                uid_index = excluded.uid_index, expires_at = excluded.expires_at`
       }`,
      put.tenant,
      put.kind,
      row.index,
      row.sealed,
      row.grant,
      row.uid,
      row.expiresAt,
    );
    return changes === 1 ? 'stored' : 'already-there';
  },
  'auth.consume': ({ db, vault }, { tenant, kind, id, at }) => {
    const index = idIndex(vault, kind, id);
    const { changes } = db.run(
      'UPDATE auth_record SET consumed_at = ? WHERE tenant = ? AND kind = ? AND id_index = ? AND consumed_at IS NULL',
      at.getTime(),
      tenant,
      kind,
      index,
    );
    if (changes === 1) return 'consumed';
    db.run(
      `DELETE FROM auth_record WHERE tenant = ?1 AND grant_index =
         (SELECT grant_index FROM auth_record WHERE tenant = ?1 AND kind = ?2 AND id_index = ?3)`,
      tenant,
      kind,
      index,
    );
    return 'repeated';
  },
  'auth.take': ({ db, vault }, { tenant, kind, id, at }) => {
    const row = db.get(
      `DELETE FROM auth_record WHERE tenant = ? AND kind = ? AND id_index = ? AND expires_at > ?
       RETURNING id_index, payload_sealed, consumed_at`,
      tenant,
      kind,
      idIndex(vault, kind, id),
      at.getTime(),
    );
    return toRecord(vault, kind, row);
  },
  'auth.remove': ({ db, vault }, { tenant, kind, id }) => {
    db.run('DELETE FROM auth_record WHERE tenant = ? AND kind = ? AND id_index = ?', tenant, kind, idIndex(vault, kind, id));
    return null;
  },
  'auth.remove-of-grant': ({ db, vault }, { tenant, kind, grantId }) => {
    db.run('DELETE FROM auth_record WHERE tenant = ? AND kind = ? AND grant_index = ?', tenant, kind, grantIndex(vault, grantId));
    return null;
  },
  'auth.add-client': (context, { client, audit }) => {
    const { db, vault } = context;
    if (db.get('SELECT 1 FROM auth_client WHERE tenant = ? AND id = ?', audit.tenant, client.id) !== undefined) return 'id-taken';
    db.run(
      'INSERT INTO auth_client (tenant, id, client_sealed, made_at) VALUES (?, ?, ?, ?)',
      audit.tenant,
      client.id,
      sealClient(vault, client),
      audit.at.getTime(),
    );
    for (const origin of client.origins)
      db.run('INSERT INTO auth_origin (tenant, origin, client_id) VALUES (?, ?, ?)', audit.tenant, origin, client.id);
    appendSqlite(context, audit);
    return 'added';
  },
  'auth.remove-client': (context, { id, audit }) => {
    const { db } = context;
    db.run('DELETE FROM auth_origin WHERE tenant = ? AND client_id = ?', audit.tenant, id);
    const { changes } = db.run('DELETE FROM auth_client WHERE tenant = ? AND id = ?', audit.tenant, id);
    appendSqlite(context, changes === 1 ? audit : { ...audit, outcome: '4' });
    return changes === 1 ? 'removed' : 'not-found';
  },
  'auth.add-account': (context, { account, audit }) => {
    const { db, vault } = context;
    const { changes } = db.run(
      'INSERT INTO auth_account (tenant, id, name_index, account_sealed, made_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      audit.tenant,
      account.id,
      nameIndex(vault, account.username),
      sealAccount(vault, account),
      audit.at.getTime(),
    );
    appendSqlite(context, changes === 1 ? audit : { ...audit, outcome: '4' });
    return changes === 1 ? 'added' : 'name-taken';
  },
  'auth.remove-account': (context, { id, audit }) => {
    const { changes } = context.db.run('DELETE FROM auth_account WHERE tenant = ? AND id = ?', audit.tenant, id);
    appendSqlite(context, changes === 1 ? audit : { ...audit, outcome: '4' });
    return changes === 1 ? 'removed' : 'not-found';
  },
  'auth.sign-in': (context, { name, isRight, audit }) => {
    const { db, vault } = context;
    const row = db.get(
      'SELECT id, failures FROM auth_account WHERE tenant = ? AND name_index = ?',
      audit.tenant,
      nameIndex(vault, name),
    );
    if (row === undefined) {
      appendSqlite(context, { ...audit, outcome: '8', why: 'unknown-name' });
      return { state: 'refused' };
    }
    const actor = String(row['id']);
    const failures = isRight ? 0 : Number(row['failures']) + 1;
    db.run('UPDATE auth_account SET failures = ? WHERE tenant = ? AND id = ?', failures, audit.tenant, actor);
    appendSqlite(context, { ...audit, actor, ...(isRight ? { outcome: '0' } : { outcome: '8', why: 'wrong-password' }) });
    return isRight ? { state: 'signed-in', accountId: actor } : { state: 'refused' };
  },
  'auth.keep-key': ({ db, vault }, { tenant, name, value, at }) => {
    db.run(
      'INSERT INTO auth_key (tenant, name, key_sealed, made_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
      tenant,
      name,
      sealKey(vault, name, value),
      at.getTime(),
    );
    const row = db.get('SELECT key_sealed FROM auth_key WHERE tenant = ? AND name = ?', tenant, name);
    if (row === undefined) throw new Error('the key is gone');
    return toKey(vault, name, row);
  },
  'auth.rotate-key': (context, { prefix, name, value, keptMs, spent, audit }) => {
    const { db, vault } = context;
    const atMs = audit.at.getTime();
    const [newest] = db.all(KEYS, audit.tenant, prefix);
    const madeAt = Math.max(atMs, Number(newest?.['made_at'] ?? 0) + 1);
    db.run(
      'INSERT INTO auth_key (tenant, name, key_sealed, made_at) VALUES (?, ?, ?, ?)',
      audit.tenant,
      name,
      sealKey(vault, name, value),
      madeAt,
    );
    for (const old of [...outlived(db.all(KEYS, audit.tenant, prefix), atMs, keptMs), ...spent])
      db.run('DELETE FROM auth_key WHERE tenant = ? AND name = ?', audit.tenant, old);
    appendSqlite(context, audit);
    return null;
  },
};

export const reads: SqliteOperations<AuthReads> = {
  'auth.find': ({ db, vault }, { tenant, kind, id, at }) =>
    toRecord(
      vault,
      kind,
      db.get(`${FOUND} AND kind = ? AND id_index = ? AND expires_at > ?`, tenant, kind, idIndex(vault, kind, id), at.getTime()),
    ),
  'auth.find-by-uid': ({ db, vault }, { tenant, kind, uid, at }) =>
    toRecord(
      vault,
      kind,
      db.get(`${FOUND} AND kind = ? AND uid_index = ? AND expires_at > ?`, tenant, kind, uidIndex(vault, uid), at.getTime()),
    ),
  'auth.token': (context, { tenant, token, at }) => {
    const { db, vault } = context;
    for (const kind of ['AccessToken', 'ClientCredentials'] as const) {
      const row = db.get(
        `${FOUND} AND kind = ? AND id_index = ? AND expires_at > ?`,
        tenant,
        kind,
        idIndex(vault, kind, token),
        at.getTime(),
      );
      const found = toRecord(vault, kind, row);
      if (row === undefined || found === null) continue;
      const { clientId, grantId, accountId } = dependsOn(found.payload);
      const client = clientOf(context, tenant, clientId);
      const hasGrant =
        grantId === null ||
        db.get(
          `SELECT 1 AS one FROM auth_record WHERE tenant = ? AND kind = 'Grant' AND id_index = ? AND expires_at > ?`,
          tenant,
          idIndex(vault, 'Grant', grantId),
          at.getTime(),
        ) !== undefined;
      const hasAccount =
        accountId === null ||
        db.get('SELECT 1 AS one FROM auth_account WHERE tenant = ? AND id = ?', tenant, accountId) !== undefined;
      return client !== null && hasGrant && hasAccount ? { kind, tokenId: tokenIdOf(row), payload: found.payload, client } : null;
    }
    return null;
  },
  'auth.client': (context, { tenant, id }) => clientOf(context, tenant, id),
  'auth.clients': ({ db, vault }, { tenant }) =>
    db
      .all('SELECT id, client_sealed FROM auth_client WHERE tenant = ? ORDER BY made_at, id', tenant)
      .map((row) => toClient(vault, row)),
  'auth.is-origin': ({ db }, { tenant, origin }) =>
    db.get('SELECT 1 AS one FROM auth_origin WHERE tenant = ? AND origin = ? LIMIT 1', tenant, origin) !== undefined,
  'auth.account': ({ db, vault }, { tenant, id }) => {
    const row = db.get('SELECT id, account_sealed, failures FROM auth_account WHERE tenant = ? AND id = ?', tenant, id);
    return row === undefined ? null : toShownAccount(vault, row);
  },
  'auth.account-by-name': ({ db, vault }, { tenant, name }) => {
    const row = db.get(
      'SELECT id, account_sealed, failures FROM auth_account WHERE tenant = ? AND name_index = ?',
      tenant,
      nameIndex(vault, name),
    );
    return row === undefined ? null : toStoredAccount(vault, row);
  },
  'auth.accounts': ({ db, vault }, { tenant }) =>
    db
      .all('SELECT id, account_sealed, failures FROM auth_account WHERE tenant = ? ORDER BY made_at, id', tenant)
      .map((row) => toShownAccount(vault, row)),
  'auth.key': ({ db, vault }, { tenant, name }) => {
    const row = db.get('SELECT key_sealed FROM auth_key WHERE tenant = ? AND name = ?', tenant, name);
    return row === undefined ? null : toKey(vault, name, row);
  },
  'auth.keys': ({ db, vault }, { tenant, prefix }) => db.all(KEYS, tenant, prefix).map((row) => toKeptKey(vault, row)),
};
