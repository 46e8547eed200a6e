import { all, allOf, among, fragment, get, listOf, words, type Programs } from '../../store/index.ts';
import type { IdentityReads, IdentityWrites } from '../commands.ts';
import { decideChange } from '../decide-change.ts';
import { indexOf, mrnIndexOf, openPatient, SHOWN, toHead, toLive, toShown, type Row } from '../rows.ts';
import { listRestricted, restrict, restrictedAmong } from './restrict.ts';

const SHOWN_COLUMNS = words(SHOWN);
/** Spelled as the indexes have it, or the engines would not use them. */
const WITH_STATUS = {
  proposed: fragment`status = 'proposed' AND status IN ('proposed','revoked')`,
  revoked: fragment`status = 'revoked' AND status IN ('proposed','revoked')`,
  confirmed: fragment`status = 'confirmed'`,
} as const;
const userOf = (row: Row): string => Buffer.from(row['user_index'] as Uint8Array).toString('hex');

/** Links are changed by the commands of `deliver`, in one transaction with what that moves. */
export const writes: Programs<IdentityWrites> = { 'identity.restrict': restrict };

export const reads: Programs<IdentityReads> = {
  *'identity.list'({ vault }, f) {
    const conditions = [
      fragment`tenant = ${f.tenant}`,
      ...(f.status === null ? [] : [WITH_STATUS[f.status]]),
      ...(f.user === null ? [] : [fragment`user_index = ${indexOf(vault, f.user)}`]),
      ...(f.patient === null ? [] : [fragment`mrn_index = ${mrnIndexOf(vault, f.patient)}`]),
      ...(f.before === null ? [] : [fragment`seq < ${f.before}`]),
    ];
    const rows =
      yield* all`SELECT ${SHOWN_COLUMNS} FROM link WHERE ${allOf(conditions)} ORDER BY seq DESC LIMIT ${f.limit}`;
    return rows.map((row) => toShown(row, vault));
  },
  *'identity.is-unsettled'({ vault }, { tenant, user }) {
    const row = yield* get`
      SELECT 1 AS one FROM source_user
      WHERE tenant = ${tenant} AND user_index = ${indexOf(vault, user)} AND unsettled_at IS NOT NULL`;
    return row !== undefined;
  },
  *'identity.is-linked'({ vault }, { tenant, patients }) {
    for (const patient of patients) {
      const row = yield* get`
        SELECT 1 AS one FROM link
        WHERE tenant = ${tenant} AND mrn_index = ${mrnIndexOf(vault, patient)} AND status = 'confirmed' LIMIT 1`;
      if (row !== undefined) return true;
    }
    return false;
  },
  *'identity.users-of'({ vault }, { tenant, patient }) {
    const rows = yield* all`
      SELECT user_index FROM link
      WHERE tenant = ${tenant} AND mrn_index = ${mrnIndexOf(vault, patient)} AND status = 'confirmed'`;
    return rows.map(userOf);
  },
  *'identity.patients-of'({ vault }, { tenant, users }) {
    const rows = yield* all`
      SELECT id, user_index, mrn_sealed FROM link
      WHERE tenant = ${tenant} AND user_index ${among('bytea', users)} AND status = 'confirmed'`;
    return rows.map((row) => ({ user: userOf(row), ...openPatient(vault, row) }));
  },
  'identity.restricted-among': restrictedAmong,
  'identity.restricted': listRestricted,
  *'identity.foresee'({ vault }, { tenant, wanted }) {
    if (wanted.length === 0) return [];
    const indexes = wanted.map((one) => indexOf(vault, one));
    const rows = yield* all`
      SELECT seq, id, status, mrn_index, user_index FROM link
      WHERE tenant = ${tenant} AND user_index IN (${listOf(indexes)}) AND status <> 'revoked'`;
    const byUser = Map.groupBy(rows, userOf);
    return wanted.map((one, i) => {
      const live = (byUser.get(indexes[i]?.toString('hex') ?? '') ?? []).map(toHead);
      return decideChange(toLive(live, mrnIndexOf(vault, one)), one.status).change;
    });
  },
};
