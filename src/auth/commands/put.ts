import { FOR_UPDATE_OF_FREE, run, words, type CommandContext, type Program } from '../../store/index.ts';
import type { AuthWrites } from '../commands.ts';
import { SWEEP_MAX, toRecordRow } from '../rows.ts';

/** Rows that another writer holds are skipped. */
function* sweep(atMs: number): Program<void> {
  yield* run`
    DELETE FROM auth_record WHERE (tenant, kind, id_index) IN (
      SELECT tenant, kind, id_index FROM auth_record
      WHERE expires_at <= ${atMs} ORDER BY expires_at LIMIT ${SWEEP_MAX} ${FOR_UPDATE_OF_FREE})`;
}

const IF_THERE = {
  first: words('DO NOTHING'),
  replacement: words(`DO UPDATE SET payload_sealed = excluded.payload_sealed, grant_index = excluded.grant_index,
    uid_index = excluded.uid_index, expires_at = excluded.expires_at, client_id = excluded.client_id,
    account_id = excluded.account_id, used_at = excluded.made_at`),
} as const;

type Put = AuthWrites['auth.put'];

export function* put({ vault }: CommandContext, record: Put['args']): Program<Put['out']> {
  yield* sweep(record.at.getTime());
  const { index, sealed, grant, uid, expiresAt, client, account } = toRecordRow(vault, record);
  const stored = yield* run`
    INSERT INTO auth_record
      (tenant, kind, id_index, payload_sealed, grant_index, uid_index, expires_at, client_id, account_id, made_at)
    VALUES (${record.tenant}, ${record.kind}, ${index}, ${sealed}, ${grant}, ${uid}, ${expiresAt},
      ${client}, ${account}, ${record.at.getTime()})
    ON CONFLICT (tenant, kind, id_index) ${IF_THERE[record.as]}`;
  return stored === 1 ? 'stored' : 'already-there';
}
