import { all, allOf, fragment, get, words, type Programs } from '../../store/index.ts';
import type { IdentityReads, IdentityWrites, LinkChange } from '../commands.ts';
import { decideChange } from '../decide-change.ts';
import { indexOf, mrnIndexOf, SHOWN, toLive, toShown } from '../rows.ts';
import { liveLinks } from './links.ts';

const SHOWN_COLUMNS = words(SHOWN);

/** Links are changed by the commands of `deliver`, in one transaction with what that moves. */
export const writes: Programs<IdentityWrites> = {};

export const reads: Programs<IdentityReads> = {
  *'identity.list'({ vault }, f) {
    const conditions = [
      fragment`tenant = ${f.tenant}`,
      ...(f.status === null ? [] : [fragment`status = ${f.status}`]),
      ...(f.user === null ? [] : [fragment`user_index = ${indexOf(vault, f.user)}`]),
      ...(f.patient === null ? [] : [fragment`mrn_index = ${mrnIndexOf(vault, f.patient)}`]),
      ...(f.before === null ? [] : [fragment`seq < ${f.before}`]),
    ];
    const rows = yield* all`SELECT ${SHOWN_COLUMNS} FROM link WHERE ${allOf(conditions)} ORDER BY seq DESC LIMIT ${f.limit}`;
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
  *'identity.foresee'({ vault }, { tenant, wanted }) {
    const changes: LinkChange[] = [];
    for (const one of wanted) {
      const live = yield* liveLinks(tenant, indexOf(vault, one));
      changes.push(decideChange(toLive(live, mrnIndexOf(vault, one)), one.status).change);
    }
    return changes;
  },
};
