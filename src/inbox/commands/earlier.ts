import { get, words, type CommandContext, type Program } from '../../store/index.ts';
import type { InboxReads } from '../commands.ts';
import type { State } from '../state.ts';

/** So many of the newest deliveries of a document are looked at. */
const TO_LOOK = words('LIMIT 1000');

type Earlier = InboxReads['inbox.earlier'];

/**
 * By the number that the source gave, since versions may come in any order; of equal numbers by arrival. What was never
 * taken (a duplicate, what is quarantined or was given up) is no version to compare with.
 */
export function* earlier(_: CommandContext, { tenant, id }: Earlier['args']): Program<Earlier['out']> {
  const row = yield* get`
    SELECT id, received_at, state, version FROM (
      SELECT v.seq, v.id, v.received_at, v.state, coalesce(v.document_version, 0) AS version,
        o.seq AS own_seq, coalesce(o.document_version, 0) AS own_version
      FROM delivery o JOIN delivery v ON v.tenant = o.tenant AND v.document_index = o.document_index
      WHERE o.tenant = ${tenant} AND o.id = ${id} ORDER BY v.seq DESC ${TO_LOOK}) AS versions
    WHERE state NOT IN ('duplicate','quarantined','discarded')
      AND (version < own_version OR (version = own_version AND seq < own_seq))
    ORDER BY version DESC, seq DESC LIMIT 1`;
  if (row === undefined) return null;
  return {
    id: String(row['id']),
    receivedAt: Number(row['received_at']),
    state: row['state'] as State,
    documentVersion: Number(row['version']),
  };
}
