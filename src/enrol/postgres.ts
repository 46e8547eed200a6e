import { isErasedPostgres, type PostgresContext, type PostgresOperations } from '../store/index.ts';
import type { SourceUser } from '../identity/index.ts';
import { ENROL_TABLES, type EnrolReads, type EnrolWrites } from './commands.ts';
import { decideConnection, withoutAhead } from './decide-connection.ts';
import {
  claimsOf,
  CONNECTION,
  indexOf,
  isSameUser,
  openClaim,
  openMrn,
  openUser,
  patientIndexOf,
  readTime,
  REQUEST,
  sealClaim,
  sealFailure,
  sealMrn,
  sealUser,
  toConnection,
  toKept,
  toRequest,
} from './rows.ts';

/** Makes sure of the user's row and holds it: what is decided about a user is decided by one at a time. */
async function holdUser({ db, vault }: PostgresContext, tenant: string, user: SourceUser): Promise<Buffer> {
  const index = indexOf(vault, user);
  await db.run(
    'INSERT INTO enrolled_user (tenant, user_index, user_sealed, late) VALUES ($1, $2, $3, 0) ON CONFLICT (tenant, user_index) DO NOTHING',
    tenant,
    index,
    sealUser(vault, index, user),
  );
  await db.get('SELECT 1 AS one FROM enrolled_user WHERE tenant = $1 AND user_index = $2 FOR UPDATE', tenant, index);
  return index;
}

export const writes: PostgresOperations<EnrolWrites> = {
  'enrol.claim': async ({ db, vault }, { tenant, user, instead, ...patient }) => {
    const index = patientIndexOf(vault, patient);
    // Waits for whoever is about to put one down.
    await db.run(
      'INSERT INTO enrolled_patient (tenant, mrn_index, user_sealed) VALUES ($1, $2, $3) ON CONFLICT (tenant, mrn_index) DO NOTHING',
      tenant,
      index,
      sealClaim(vault, index, user),
    );
    const row = await db.get(
      'SELECT user_sealed FROM enrolled_patient WHERE tenant = $1 AND mrn_index = $2 FOR UPDATE',
      tenant,
      index,
    );
    const held = openClaim(vault, index, row?.['user_sealed']);
    if (!isSameUser(held, instead)) return held;
    await db.run(
      'UPDATE enrolled_patient SET user_sealed = $3 WHERE tenant = $1 AND mrn_index = $2',
      tenant,
      index,
      sealClaim(vault, index, user),
    );
    return user;
  },
  'enrol.news': async (context, { tenant, user, at, heardAt, news }) => {
    if (await isErasedPostgres(context, tenant, indexOf(context.vault, user))) return null;
    const { db, vault } = context;
    const index = await holdUser(context, tenant, user);
    const [atMs, heardMs] = [at.getTime(), heardAt.getTime()];
    const before = await db.get(
      'SELECT state, asked_at, changed_at FROM source_connection WHERE tenant = $1 AND user_index = $2 AND data_source = $3',
      tenant,
      index,
      news.dataSource,
    );
    const { state, askedAt, changedAt } = decideConnection(withoutAhead(toKept(before), atMs, heardMs), news, atMs);
    await db.run(
      `INSERT INTO source_connection (tenant, user_index, data_source, state, asked_at, changed_at) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (tenant, user_index, data_source) DO UPDATE SET state = excluded.state, asked_at = excluded.asked_at, changed_at = excluded.changed_at`,
      tenant,
      index,
      news.dataSource,
      state,
      askedAt,
      changedAt,
    );
    const failure = sealFailure(vault, index, news.dataSource, news.failure);
    if (failure !== null)
      await db.run(
        `UPDATE source_connection SET failed_at = $4::bigint, failure_sealed = $5
         WHERE tenant = $1 AND user_index = $2 AND data_source = $3 AND (failed_at IS NULL OR failed_at NOT BETWEEN $4::bigint + 1 AND $6::bigint)`,
        tenant,
        index,
        news.dataSource,
        atMs,
        failure,
        heardMs,
      );
    if (news.state === 'connected' && state === 'connected')
      await db.run(
        'UPDATE enrolled_user SET revoked_at = NULL WHERE tenant = $1 AND user_index = $2 AND revoked_at NOT BETWEEN $3::bigint + 1 AND $4::bigint',
        tenant,
        index,
        atMs,
        heardMs,
      );
    return null;
  },
  'enrol.revoke': async (context, { tenant, user, at }) => {
    const index = await holdUser(context, tenant, user);
    const atMs = at.getTime();
    await context.db.run(
      'UPDATE enrolled_user SET revoked_at = $1::bigint, late = 0 WHERE tenant = $2 AND user_index = $3',
      atMs,
      tenant,
      index,
    );
    await context.db.run(
      `UPDATE source_connection SET state = 'revoked', changed_at = greatest(changed_at, $1::bigint) WHERE tenant = $2 AND user_index = $3 AND state <> 'revoked'`,
      atMs,
      tenant,
      index,
    );
    return null;
  },
  'enrol.request': async (context, { tenant, user, at, id, kind, mrn }) => {
    const index = await holdUser(context, tenant, user);
    await context.db.run(
      `INSERT INTO source_request (tenant, user_index, id, kind, asked_at, mrn_sealed) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (tenant, user_index, id) DO UPDATE SET asked_at = excluded.asked_at, mrn_sealed = excluded.mrn_sealed`,
      tenant,
      index,
      id,
      kind,
      at.getTime(),
      sealMrn(context.vault, index, id, mrn),
    );
    return null;
  },
  'enrol.arrive': async (context, { tenant, user, at, id, kind, deliveryId }) => {
    if (await isErasedPostgres(context, tenant, indexOf(context.vault, user))) return null;
    const index = await holdUser(context, tenant, user);
    await context.db.run(
      `INSERT INTO source_request (tenant, user_index, id, kind, asked_at, delivery_id, arrived_at) VALUES ($1, $2, $3, $4, $5::bigint, $6, $5::bigint)
       ON CONFLICT (tenant, user_index, id) DO UPDATE SET delivery_id = coalesce(source_request.delivery_id, excluded.delivery_id),
         arrived_at = coalesce(source_request.arrived_at, excluded.arrived_at)`,
      tenant,
      index,
      id,
      kind,
      at.getTime(),
      deliveryId,
    );
    return null;
  },
  'enrol.late': async ({ db, vault }, { tenant, user }) => {
    await db.run(
      'UPDATE enrolled_user SET late = late + 1 WHERE tenant = $1 AND user_index = $2 AND revoked_at IS NOT NULL',
      tenant,
      indexOf(vault, user),
    );
    return null;
  },
  'enrol.erase': async ({ db, vault }, { tenant, user, claims }) => {
    const index = indexOf(vault, user);
    for (const table of ENROL_TABLES) await db.run(`DELETE FROM ${table} WHERE tenant = $1 AND user_index = $2`, tenant, index);
    for (const claim of claims) await db.run('DELETE FROM enrolled_patient WHERE tenant = $1 AND mrn_index = $2', tenant, claim);
    return null;
  },
};

export const reads: PostgresOperations<EnrolReads> = {
  'enrol.show': async ({ db, vault }, { tenant, user, limit }) => {
    const index = indexOf(vault, user);
    const known = await db.get('SELECT revoked_at, late FROM enrolled_user WHERE tenant = $1 AND user_index = $2', tenant, index);
    const connections = await db.all(
      `SELECT ${CONNECTION} FROM source_connection WHERE tenant = $1 AND user_index = $2 ORDER BY data_source`,
      tenant,
      index,
    );
    const requests = await db.all(
      `SELECT ${REQUEST} FROM source_request WHERE tenant = $1 AND user_index = $2 ORDER BY asked_at DESC, id LIMIT $3`,
      tenant,
      index,
      limit,
    );
    return {
      connections: connections.map((row) => toConnection(row, vault)),
      requests: requests.map(toRequest),
      revokedAt: readTime(known?.['revoked_at']),
      late: Number(known?.['late'] ?? 0),
    };
  },
  'enrol.held': async ({ db, vault }, { tenant, user }) => {
    const index = indexOf(vault, user);
    const held = { enrolled_user: 0, source_connection: 0, source_request: 0 };
    for (const table of ENROL_TABLES) {
      const row = await db.get(`SELECT count(*) AS n FROM ${table} WHERE tenant = $1 AND user_index = $2`, tenant, index);
      held[table] = Number(row?.['n']);
    }
    const rows = await db.all('SELECT mrn_index, user_sealed FROM enrolled_patient WHERE tenant = $1', tenant);
    return { held, claims: claimsOf(vault, rows, user) };
  },
  'enrol.revoked': async ({ db, vault }, { tenant, limit }) => {
    const rows = await db.all(
      'SELECT user_index, user_sealed FROM enrolled_user WHERE tenant = $1 AND revoked_at IS NOT NULL ORDER BY revoked_at DESC LIMIT $2',
      tenant,
      limit,
    );
    return rows.map((row) => openUser(vault, row));
  },
  'enrol.overdue': async ({ db, vault }, { tenant, before, limit }) => {
    const rows = await db.all(
      `SELECT ${REQUEST} FROM source_request WHERE tenant = $1 AND delivery_id IS NULL AND asked_at <= $2::bigint ORDER BY asked_at, id LIMIT $3`,
      tenant,
      before,
      limit,
    );
    return rows.map((row) => ({ ...toRequest(row), mrn: openMrn(vault, row) }));
  },
};
