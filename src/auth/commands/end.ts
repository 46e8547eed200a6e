import { append } from '../../audit/index.ts';
import { get, run, words, type CommandContext, type Program } from '../../store/index.ts';
import type { AuthWrites } from '../commands.ts';
import { idOfGrant } from '../rows.ts';

const OWNER = { client: words('client_id'), account: words('account_id') } as const;

/** Everything that was given out to an app or a person: grants with their tokens and codes, sessions, own tokens. */
export function* endAllOf(tenant: string, of: keyof typeof OWNER, id: string): Program<void> {
  yield* run`
    DELETE FROM auth_record WHERE tenant = ${tenant} AND grant_index IN (
      SELECT grant_index FROM auth_record
      WHERE tenant = ${tenant} AND ${OWNER[of]} = ${id} AND grant_index IS NOT NULL)`;
  yield* run`DELETE FROM auth_record WHERE tenant = ${tenant} AND ${OWNER[of]} = ${id}`;
}

type EndGrant = AuthWrites['auth.end-grant'];

export function* endGrant(
  context: CommandContext,
  { id, accountId, audit }: EndGrant['args'],
): Program<EndGrant['out']> {
  const { tenant } = audit;
  const { kind, index } = idOfGrant(id);
  const row = yield* get`
    SELECT grant_index, client_id, account_id FROM auth_record
    WHERE tenant = ${tenant} AND kind = ${kind} AND id_index = ${index}`;
  if (row === undefined || (accountId !== null && row['account_id'] !== accountId)) {
    yield* append(context, [{ ...audit, outcome: '4' }]);
    return 'not-found';
  }
  const family = row['grant_index'] as Uint8Array | null;
  yield* kind === 'Grant' && family !== null
    ? run`DELETE FROM auth_record WHERE tenant = ${tenant} AND grant_index = ${family}`
    : run`DELETE FROM auth_record WHERE tenant = ${tenant} AND kind = ${kind} AND id_index = ${index}`;
  const client = row['client_id'];
  yield* append(context, [{ ...audit, ...(typeof client === 'string' ? { client } : {}) }]);
  return 'ended';
}
