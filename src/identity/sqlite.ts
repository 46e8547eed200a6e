import type { SqliteOperations } from '../store/index.ts';
import type { IdentityReads, IdentityWrites } from './commands.ts';
import { decideChange } from './decide-change.ts';
import { indexOf, mrnIndexOf, SHOWN, toHead, toLive, toShown } from './rows.ts';

type Cell = string | number | Uint8Array;

export const writes: SqliteOperations<IdentityWrites> = {};

export const reads: SqliteOperations<IdentityReads> = {
  'identity.list': ({ db, vault }, f) => {
    const conditions: [string, Cell][] = [
      ['tenant = ?', f.tenant],
      ...(f.status === null ? [] : [['status = ?', f.status] as [string, Cell]]),
      ...(f.user === null ? [] : [['user_index = ?', indexOf(vault, f.user)] as [string, Cell]]),
      ...(f.patient === null ? [] : [['mrn_index = ?', mrnIndexOf(vault, f.patient)] as [string, Cell]]),
      ...(f.before === null ? [] : [['seq < ?', f.before] as [string, Cell]]),
    ];
    const where = conditions.map(([sql]) => sql).join(' AND ');
    return db
      .all(`SELECT ${SHOWN} FROM link WHERE ${where} ORDER BY seq DESC LIMIT ?`, ...conditions.map(([, value]) => value), f.limit)
      .map((row) => toShown(row, vault));
  },
  'identity.is-unsettled': ({ db, vault }, { tenant, user }) =>
    db.get(
      'SELECT 1 AS one FROM source_user WHERE tenant = ? AND user_index = ? AND unsettled_at IS NOT NULL',
      tenant,
      indexOf(vault, user),
    ) !== undefined,
  'identity.is-linked': ({ db, vault }, { tenant, patients }) =>
    patients.some(
      (patient) =>
        db.get(
          `SELECT 1 AS one FROM link WHERE tenant = ? AND mrn_index = ? AND status = 'confirmed' LIMIT 1`,
          tenant,
          mrnIndexOf(vault, patient),
        ) !== undefined,
    ),
  'identity.foresee': ({ db, vault }, { tenant, wanted }) =>
    wanted.map((one) => {
      const rows = db.all(
        `SELECT seq, id, status, mrn_index FROM link WHERE tenant = ? AND user_index = ? AND status <> 'revoked'`,
        tenant,
        indexOf(vault, one),
      );
      return decideChange(toLive(rows.map(toHead), mrnIndexOf(vault, one)), one.status).change;
    }),
};
