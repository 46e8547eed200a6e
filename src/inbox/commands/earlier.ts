import { get, type CommandContext, type Program } from '../../store/index.ts';
import type { InboxReads } from '../commands.ts';
import type { State } from '../state.ts';

/** So many of the newest deliveries of a document are looked at. */
const LOOK = 1_000;

type Earlier = InboxReads['inbox.earlier'];

/**
 * By the number that the source gave, since versions may come in any order; of equal numbers by arrival. What was never
 * taken (a duplicate, what is quarantined or was given up) is no version to compare with.
 */
export function* earlier(_: CommandContext, { tenant, id }: Earlier['args']): Program<Earlier['out']> {
  const own = yield* get`
    SELECT seq, document_index, document_version FROM delivery WHERE tenant = ${tenant} AND id = ${id}`;
  const document = (own?.['document_index'] ?? null) as Uint8Array | null;
  if (own === undefined || document === null) return null;
  const [version, seq] = [Number(own['document_version'] ?? 0), Number(own['seq'])];
  const row = yield* get`
    SELECT id, received_at, state, document_version FROM (
      SELECT seq, id, received_at, state, coalesce(document_version, 0) AS document_version FROM delivery
      WHERE tenant = ${tenant} AND document_index = ${document} ORDER BY seq DESC LIMIT ${LOOK}) AS versions
    WHERE state NOT IN ('duplicate','quarantined','discarded')
      AND (document_version < ${version} OR (document_version = ${version} AND seq < ${seq}))
    ORDER BY document_version DESC, seq DESC LIMIT 1`;
  if (row === undefined) return null;
  return {
    id: String(row['id']),
    receivedAt: Number(row['received_at']),
    state: row['state'] as State,
    documentVersion: Number(row['document_version']),
  };
}
