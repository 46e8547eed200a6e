import { isErasedSqlite, type SqliteContext, type SqliteOperations } from '../store/index.ts';
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

function seeUser({ db, vault }: SqliteContext, tenant: string, user: SourceUser): Buffer {
  const index = indexOf(vault, user);
  db.run(
    'INSERT INTO enrolled_user (tenant, user_index, user_sealed, late) VALUES (?, ?, ?, 0) ON CONFLICT (tenant, user_index) DO NOTHING',
    tenant,
    index,
    sealUser(vault, index, user),
  );
  return index;
}

export const writes: SqliteOperations<EnrolWrites> = {
  'enrol.claim': ({ db, vault }, { tenant, user, instead, ...patient }) => {
    const index = patientIndexOf(vault, patient);
    const row = db.get('SELECT user_sealed FROM enrolled_patient WHERE tenant = ? AND mrn_index = ?', tenant, index);
    const held = row === undefined ? null : openClaim(vault, index, row['user_sealed']);
    if (held !== null && !isSameUser(held, instead)) return held;
    db.run(
      `INSERT INTO enrolled_patient (tenant, mrn_index, user_sealed) VALUES (?1, ?2, ?3)
       ON CONFLICT (tenant, mrn_index) DO UPDATE SET user_sealed = ?3`,
      tenant,
      index,
      sealClaim(vault, index, user),
    );
    return user;
  },
  'enrol.news': (context, { tenant, user, at, heardAt, news }) => {
    if (isErasedSqlite(context, tenant, indexOf(context.vault, user))) return null;
    const { db, vault } = context;
    const index = seeUser(context, tenant, user);
    const [atMs, heardMs] = [at.getTime(), heardAt.getTime()];
    const before = db.get(
      'SELECT state, asked_at, changed_at FROM source_connection WHERE tenant = ? AND user_index = ? AND data_source = ?',
      tenant,
      index,
      news.dataSource,
    );
    const { state, askedAt, changedAt } = decideConnection(withoutAhead(toKept(before), atMs, heardMs), news, atMs);
    db.run(
      `INSERT INTO source_connection (tenant, user_index, data_source, state, asked_at, changed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
       ON CONFLICT (tenant, user_index, data_source) DO UPDATE SET state = ?4, asked_at = ?5, changed_at = ?6`,
      tenant,
      index,
      news.dataSource,
      state,
      askedAt,
      changedAt,
    );
    const failure = sealFailure(vault, index, news.dataSource, news.failure);
    if (failure !== null)
      db.run(
        `UPDATE source_connection SET failed_at = ?4, failure_sealed = ?5
         WHERE tenant = ?1 AND user_index = ?2 AND data_source = ?3 AND (failed_at IS NULL OR failed_at NOT BETWEEN ?4 + 1 AND ?6)`,
        tenant,
        index,
        news.dataSource,
        atMs,
        failure,
        heardMs,
      );
    if (news.state === 'connected' && state === 'connected')
      db.run(
        'UPDATE enrolled_user SET revoked_at = NULL WHERE tenant = ? AND user_index = ? AND revoked_at NOT BETWEEN ? + 1 AND ?',
        tenant,
        index,
        atMs,
        heardMs,
      );
    return null;
  },
  'enrol.revoke': (context, { tenant, user, at }) => {
    const index = seeUser(context, tenant, user);
    const atMs = at.getTime();
    context.db.run('UPDATE enrolled_user SET revoked_at = ?, late = 0 WHERE tenant = ? AND user_index = ?', atMs, tenant, index);
    context.db.run(
      `UPDATE source_connection SET state = 'revoked', changed_at = max(changed_at, ?) WHERE tenant = ? AND user_index = ? AND state <> 'revoked'`,
      atMs,
      tenant,
      index,
    );
    return null;
  },
  'enrol.request': (context, { tenant, user, at, id, kind, mrn }) => {
    const index = seeUser(context, tenant, user);
    context.db.run(
      `INSERT INTO source_request (tenant, user_index, id, kind, asked_at, mrn_sealed) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
       ON CONFLICT (tenant, user_index, id) DO UPDATE SET asked_at = ?5, mrn_sealed = ?6`,
      tenant,
      index,
      id,
      kind,
      at.getTime(),
      sealMrn(context.vault, index, id, mrn),
    );
    return null;
  },
  'enrol.arrive': (context, { tenant, user, at, id, kind, deliveryId }) => {
    if (isErasedSqlite(context, tenant, indexOf(context.vault, user))) return null;
    const index = seeUser(context, tenant, user);
    context.db.run(
      `INSERT INTO source_request (tenant, user_index, id, kind, asked_at, delivery_id, arrived_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?5)
       ON CONFLICT (tenant, user_index, id) DO UPDATE SET delivery_id = coalesce(delivery_id, ?6), arrived_at = coalesce(arrived_at, ?5)`,
      tenant,
      index,
      id,
      kind,
      at.getTime(),
      deliveryId,
    );
    return null;
  },
  'enrol.late': ({ db, vault }, { tenant, user }) => {
    db.run(
      'UPDATE enrolled_user SET late = late + 1 WHERE tenant = ? AND user_index = ? AND revoked_at IS NOT NULL',
      tenant,
      indexOf(vault, user),
    );
    return null;
  },
  'enrol.erase': ({ db, vault }, { tenant, user, claims }) => {
    const index = indexOf(vault, user);
    for (const table of ENROL_TABLES) db.run(`DELETE FROM ${table} WHERE tenant = ? AND user_index = ?`, tenant, index);
    for (const claim of claims) db.run('DELETE FROM enrolled_patient WHERE tenant = ? AND mrn_index = ?', tenant, claim);
    return null;
  },
};

export const reads: SqliteOperations<EnrolReads> = {
  'enrol.show': ({ db, vault }, { tenant, user, limit }) => {
    const index = indexOf(vault, user);
    const known = db.get('SELECT revoked_at, late FROM enrolled_user WHERE tenant = ? AND user_index = ?', tenant, index);
    const connections = db.all(
      `SELECT ${CONNECTION} FROM source_connection WHERE tenant = ? AND user_index = ? ORDER BY data_source`,
      tenant,
      index,
    );
    const requests = db.all(
      `SELECT ${REQUEST} FROM source_request WHERE tenant = ? AND user_index = ? ORDER BY asked_at DESC, id LIMIT ?`,
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
  'enrol.held': ({ db, vault }, { tenant, user }) => {
    const index = indexOf(vault, user);
    const held = { enrolled_user: 0, source_connection: 0, source_request: 0 };
    for (const table of ENROL_TABLES) {
      const row = db.get(`SELECT count(*) AS n FROM ${table} WHERE tenant = ? AND user_index = ?`, tenant, index);
      held[table] = Number(row?.['n']);
    }
    const rows = db.all('SELECT mrn_index, user_sealed FROM enrolled_patient WHERE tenant = ?', tenant);
    return { held, claims: claimsOf(vault, rows, user) };
  },
  'enrol.revoked': ({ db, vault }, { tenant, limit }) =>
    db
      .all(
        'SELECT user_index, user_sealed FROM enrolled_user WHERE tenant = ? AND revoked_at IS NOT NULL ORDER BY revoked_at DESC LIMIT ?',
        tenant,
        limit,
      )
      .map((row) => openUser(vault, row)),
  'enrol.overdue': ({ db, vault }, { tenant, before, limit }) =>
    db
      .all(
        `SELECT ${REQUEST} FROM source_request WHERE tenant = ? AND delivery_id IS NULL AND asked_at <= ? ORDER BY asked_at, id LIMIT ?`,
        tenant,
        before,
        limit,
      )
      .map((row) => ({ ...toRequest(row), mrn: openMrn(vault, row) })),
};
