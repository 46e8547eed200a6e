import type { PostgresOperations } from '../store/index.ts';
import type { IdentityReads, IdentityWrites } from './commands.ts';
import { decideChange } from './decide-change.ts';
import { indexOf, mrnIndexOf, SHOWN, toHead, toLive, toShown } from './rows.ts';

export const writes: PostgresOperations<IdentityWrites> = {};

export const reads: PostgresOperations<IdentityReads> = {
  'identity.list': async ({ db, vault }, f) => {
    const rows = await db.all(
      `SELECT ${SHOWN} FROM link WHERE tenant = $1 AND ($2::text IS NULL OR status = $2::text) AND ($3::bytea IS NULL OR user_index = $3::bytea)
         AND ($4::bytea IS NULL OR mrn_index = $4::bytea) AND ($5::bigint IS NULL OR seq < $5::bigint) ORDER BY seq DESC LIMIT $6`,
      f.tenant,
      f.status,
      f.user === null ? null : indexOf(vault, f.user),
      f.patient === null ? null : mrnIndexOf(vault, f.patient),
      f.before,
      f.limit,
    );
    return rows.map((row) => toShown(row, vault));
  },
  'identity.is-unsettled': async ({ db, vault }, { tenant, user }) =>
    (await db.get(
      'SELECT 1 AS one FROM source_user WHERE tenant = $1 AND user_index = $2 AND unsettled_at IS NOT NULL',
      tenant,
      indexOf(vault, user),
    )) !== undefined,
  'identity.is-linked': async ({ db, vault }, { tenant, patients }) =>
    (await db.get(
      `SELECT 1 AS one FROM link WHERE tenant = $1 AND mrn_index = ANY($2::bytea[]) AND status = 'confirmed' LIMIT 1`,
      tenant,
      patients.map((patient) => mrnIndexOf(vault, patient)),
    )) !== undefined,
  'identity.foresee': async ({ db, vault }, { tenant, wanted }) => {
    const indexes = wanted.map((one) => indexOf(vault, one));
    const rows = await db.all(
      `SELECT seq, id, status, mrn_index, user_index FROM link WHERE tenant = $1 AND user_index = ANY($2::bytea[]) AND status <> 'revoked'`,
      tenant,
      indexes,
    );
    const byUser = Map.groupBy(rows, (row) => Buffer.from(row['user_index'] as Uint8Array).toString('hex'));
    return wanted.map((one, i) => {
      const live = (byUser.get(indexes[i]?.toString('hex') ?? '') ?? []).map(toHead);
      return decideChange(toLive(live, mrnIndexOf(vault, one)), one.status).change;
    });
  },
};
