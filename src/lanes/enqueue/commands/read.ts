import { confirmedLink, openUser } from '../../../identity/index.ts';
import { all, allOf, among, fragment, get, userIndex, words, type Programs } from '../../../store/index.ts';
import { toCharting } from '../charting.ts';
import { TARGET, type DeliverReads } from '../commands.ts';
import { toUnmapped, UNMAPPED_COLUMNS } from '../unmapped.ts';

const COLUMNS = words(UNMAPPED_COLUMNS);

export const reads: Programs<DeliverReads> = {
  *'deliver.unmapped'({ vault }, { tenant, before, limit }) {
    const conditions = [fragment`tenant = ${tenant}`, ...(before === null ? [] : [fragment`seq < ${before}`])];
    const rows =
      yield* all`SELECT ${COLUMNS} FROM unmapped WHERE ${allOf(conditions)} ORDER BY seq DESC LIMIT ${limit}`;
    return rows.map((row) => toUnmapped(row, vault));
  },
  *'deliver.words'({ vault }, { tenant, ids }) {
    const rows = yield* all`
      SELECT ${COLUMNS} FROM unmapped WHERE tenant = ${tenant} AND word_index ${among('bytea', ids)}`;
    return rows.map((row) => toUnmapped(row, vault));
  },
  *'deliver.charting'({ vault }, { tenant, user: { client, user } }) {
    const index = userIndex(vault, client, user);
    const link = yield* confirmedLink(tenant, index);
    const waiting = yield* get`
      SELECT count(*) AS count FROM delivery
      WHERE tenant = ${tenant} AND user_index = ${index} AND state IN ('queued','sending','unknown')`;
    const charted =
      link === null
        ? []
        : yield* all`
            SELECT w.entries FROM written_document w JOIN delivery d ON d.seq = w.delivery_seq
            WHERE w.tenant = ${tenant} AND w.target = ${TARGET} AND w.patient_index = ${link.mrnIndex}
              AND w.standing > 0 AND d.user_index = ${index}`;
    return toCharting(link, charted, waiting);
  },
  *'deliver.unsettled'({ vault }, { tenant, limit }) {
    const rows = yield* all`
      SELECT user_index, user_sealed FROM source_user
      WHERE tenant = ${tenant} AND unsettled_at IS NOT NULL ORDER BY unsettled_at LIMIT ${limit}`;
    return rows.map((row) => openUser(vault, row));
  },
};
