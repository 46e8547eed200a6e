import { appendPostgres } from '../audit/index.ts';
import type { PostgresContext, PostgresOperations } from '../store/index.ts';
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

const KEYS = `SELECT name, key_sealed, made_at FROM auth_key WHERE tenant = $1 AND starts_with(name, $2)
  ORDER BY made_at DESC, name DESC`;
const FOUND = 'SELECT id_index, payload_sealed, consumed_at FROM auth_record WHERE tenant = $1 AND kind = $2';

/** What another writer is at is left to it. */
const sweep = ({ db }: PostgresContext, atMs: number) =>
  db.run(
    `DELETE FROM auth_record WHERE (tenant, kind, id_index) IN
       (SELECT tenant, kind, id_index FROM auth_record WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    atMs,
    SWEEP_MAX,
  );

async function clientOf({ db, vault }: PostgresContext, tenant: string, id: string) {
  // Whoever asks may name anything, and PostgreSQL knows no NUL.
  if (id.includes('\0')) return null;
  const row = await db.get('SELECT id, client_sealed FROM auth_client WHERE tenant = $1 AND id = $2', tenant, id);
  return row === undefined ? null : toClient(vault, row);
}

export const writes: PostgresOperations<AuthWrites> = {
  'auth.put': async (context, put) => {
    const { db, vault } = context;
    await sweep(context, put.at.getTime());
    const row = toRecordRow(vault, put);
    const { changes } = await db.run(
      `INSERT INTO auth_record (tenant, kind, id_index, payload_sealed, grant_index, uid_index, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant, kind, id_index) ${
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
  'auth.consume': async ({ db, vault }, { tenant, kind, id, at }) => {
    const index = idIndex(vault, kind, id);
    const { changes } = await db.run(
      'UPDATE auth_record SET consumed_at = $1 WHERE tenant = $2 AND kind = $3 AND id_index = $4 AND consumed_at IS NULL',
      at.getTime(),
      tenant,
      kind,
      index,
    );
    if (changes === 1) return 'consumed';
    await db.run(
      `DELETE FROM auth_record WHERE tenant = $1 AND grant_index =
         (SELECT grant_index FROM auth_record WHERE tenant = $1 AND kind = $2 AND id_index = $3)`,
      tenant,
      kind,
      index,
    );
    return 'repeated';
  },
  'auth.take': async ({ db, vault }, { tenant, kind, id, at }) => {
    const row = await db.get(
      `DELETE FROM auth_record WHERE tenant = $1 AND kind = $2 AND id_index = $3 AND expires_at > $4
       RETURNING id_index, payload_sealed, consumed_at`,
      tenant,
      kind,
      idIndex(vault, kind, id),
      at.getTime(),
    );
    return toRecord(vault, kind, row);
  },
  'auth.remove': async ({ db, vault }, { tenant, kind, id }) => {
    await db.run(
      'DELETE FROM auth_record WHERE tenant = $1 AND kind = $2 AND id_index = $3',
      tenant,
      kind,
      idIndex(vault, kind, id),
    );
    return null;
  },
  'auth.remove-of-grant': async ({ db, vault }, { tenant, kind, grantId }) => {
    await db.run(
      'DELETE FROM auth_record WHERE tenant = $1 AND kind = $2 AND grant_index = $3',
      tenant,
      kind,
      grantIndex(vault, grantId),
    );
    return null;
  },
  'auth.add-client': async (context, { client, audit }) => {
    const { db, vault } = context;
    const added = await db.get(
      'INSERT INTO auth_client (tenant, id, client_sealed, made_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING 1 AS n',
      audit.tenant,
      client.id,
      sealClient(vault, client),
      audit.at.getTime(),
    );
    if (added === undefined) return 'id-taken';
    await db.run(
      'INSERT INTO auth_origin (tenant, origin, client_id) SELECT $1, origin, $2 FROM unnest($3::text[]) AS origin',
      audit.tenant,
      client.id,
      client.origins,
    );
    await appendPostgres(context, [audit]);
    return 'added';
  },
  'auth.remove-client': async (context, { id, audit }) => {
    const { db } = context;
    await db.run('DELETE FROM auth_origin WHERE tenant = $1 AND client_id = $2', audit.tenant, id);
    const { changes } = await db.run('DELETE FROM auth_client WHERE tenant = $1 AND id = $2', audit.tenant, id);
    await appendPostgres(context, [changes === 1 ? audit : { ...audit, outcome: '4' }]);
    return changes === 1 ? 'removed' : 'not-found';
  },
  'auth.add-account': async (context, { account, audit }) => {
    const { db, vault } = context;
    const { changes } = await db.run(
      'INSERT INTO auth_account (tenant, id, name_index, account_sealed, made_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING',
      audit.tenant,
      account.id,
      nameIndex(vault, account.username),
      sealAccount(vault, account),
      audit.at.getTime(),
    );
    await appendPostgres(context, [changes === 1 ? audit : { ...audit, outcome: '4' }]);
    return changes === 1 ? 'added' : 'name-taken';
  },
  'auth.remove-account': async (context, { id, audit }) => {
    const { changes } = await context.db.run('DELETE FROM auth_account WHERE tenant = $1 AND id = $2', audit.tenant, id);
    await appendPostgres(context, [changes === 1 ? audit : { ...audit, outcome: '4' }]);
    return changes === 1 ? 'removed' : 'not-found';
  },
  'auth.sign-in': async (context, { name, isRight, audit }) => {
    const { db, vault } = context;
    const row = await db.get(
      'SELECT id, failures FROM auth_account WHERE tenant = $1 AND name_index = $2 FOR UPDATE',
      audit.tenant,
      nameIndex(vault, name),
    );
    if (row === undefined) {
      await appendPostgres(context, [{ ...audit, outcome: '8', why: 'unknown-name' }]);
      return { state: 'refused' };
    }
    const actor = String(row['id']);
    const failures = isRight ? 0 : Number(row['failures']) + 1;
    await db.run('UPDATE auth_account SET failures = $1 WHERE tenant = $2 AND id = $3', failures, audit.tenant, actor);
    await appendPostgres(context, [
      { ...audit, actor, ...(isRight ? { outcome: '0' } : { outcome: '8', why: 'wrong-password' }) },
    ]);
    return isRight ? { state: 'signed-in', accountId: actor } : { state: 'refused' };
  },
  'auth.keep-key': async ({ db, vault }, { tenant, name, value, at }) => {
    await db.run(
      'INSERT INTO auth_key (tenant, name, key_sealed, made_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
      tenant,
      name,
      sealKey(vault, name, value),
      at.getTime(),
    );
    const row = await db.get('SELECT key_sealed FROM auth_key WHERE tenant = $1 AND name = $2', tenant, name);
    if (row === undefined) throw new Error('the key is gone');
    return toKey(vault, name, row);
  },
  'auth.rotate-key': async (context, { prefix, name, value, keptMs, spent, audit }) => {
    const { db, vault } = context;
    const atMs = audit.at.getTime();
    const [newest] = await db.all(KEYS, audit.tenant, prefix);
    const madeAt = Math.max(atMs, Number(newest?.['made_at'] ?? 0) + 1);
    await db.run(
      'INSERT INTO auth_key (tenant, name, key_sealed, made_at) VALUES ($1, $2, $3, $4)',
      audit.tenant,
      name,
      sealKey(vault, name, value),
      madeAt,
    );
    for (const old of [...outlived(await db.all(KEYS, audit.tenant, prefix), atMs, keptMs), ...spent])
      await db.run('DELETE FROM auth_key WHERE tenant = $1 AND name = $2', audit.tenant, old);
    await appendPostgres(context, [audit]);
    return null;
  },
};

export const reads: PostgresOperations<AuthReads> = {
  'auth.find': async ({ db, vault }, { tenant, kind, id, at }) =>
    toRecord(
      vault,
      kind,
      await db.get(`${FOUND} AND id_index = $3 AND expires_at > $4`, tenant, kind, idIndex(vault, kind, id), at.getTime()),
    ),
  'auth.find-by-uid': async ({ db, vault }, { tenant, kind, uid, at }) =>
    toRecord(
      vault,
      kind,
      await db.get(`${FOUND} AND uid_index = $3 AND expires_at > $4`, tenant, kind, uidIndex(vault, uid), at.getTime()),
    ),
  'auth.token': async (context, { tenant, token, at }) => {
    const { db, vault } = context;
    for (const kind of ['AccessToken', 'ClientCredentials'] as const) {
      const row = await db.get(
        `${FOUND} AND id_index = $3 AND expires_at > $4`,
        tenant,
        kind,
        idIndex(vault, kind, token),
        at.getTime(),
      );
      const found = toRecord(vault, kind, row);
      if (row === undefined || found === null) continue;
      const { clientId, grantId, accountId } = dependsOn(found.payload);
      const client = await clientOf(context, tenant, clientId);
      const grant =
        grantId === null ||
        (await db.get(
          `${FOUND} AND id_index = $3 AND expires_at > $4`,
          tenant,
          'Grant',
          idIndex(vault, 'Grant', grantId),
          at.getTime(),
        ));
      const account =
        accountId === null ||
        (await db.get('SELECT 1 AS one FROM auth_account WHERE tenant = $1 AND id = $2', tenant, accountId));
      return client !== null && grant !== undefined && account !== undefined
        ? { kind, tokenId: tokenIdOf(row), payload: found.payload, client }
        : null;
    }
    return null;
  },
  'auth.client': (context, { tenant, id }) => clientOf(context, tenant, id),
  'auth.clients': async ({ db, vault }, { tenant }) =>
    (await db.all('SELECT id, client_sealed FROM auth_client WHERE tenant = $1 ORDER BY made_at, id', tenant)).map((row) =>
      toClient(vault, row),
    ),
  'auth.is-origin': async ({ db }, { tenant, origin }) =>
    (await db.get('SELECT 1 AS one FROM auth_origin WHERE tenant = $1 AND origin = $2 LIMIT 1', tenant, origin)) !== undefined,
  'auth.account': async ({ db, vault }, { tenant, id }) => {
    const row = await db.get('SELECT id, account_sealed, failures FROM auth_account WHERE tenant = $1 AND id = $2', tenant, id);
    return row === undefined ? null : toShownAccount(vault, row);
  },
  'auth.account-by-name': async ({ db, vault }, { tenant, name }) => {
    const row = await db.get(
      'SELECT id, account_sealed, failures FROM auth_account WHERE tenant = $1 AND name_index = $2',
      tenant,
      nameIndex(vault, name),
    );
    return row === undefined ? null : toStoredAccount(vault, row);
  },
  'auth.accounts': async ({ db, vault }, { tenant }) =>
    (await db.all('SELECT id, account_sealed, failures FROM auth_account WHERE tenant = $1 ORDER BY made_at, id', tenant)).map(
      (row) => toShownAccount(vault, row),
    ),
  'auth.key': async ({ db, vault }, { tenant, name }) => {
    const row = await db.get('SELECT key_sealed FROM auth_key WHERE tenant = $1 AND name = $2', tenant, name);
    return row === undefined ? null : toKey(vault, name, row);
  },
  'auth.keys': async ({ db, vault }, { tenant, prefix }) =>
    (await db.all(KEYS, tenant, prefix)).map((row) => toKeptKey(vault, row)),
};
