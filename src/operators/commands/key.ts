import { append } from '../../audit/index.ts';
import { all, run, type CommandContext, type Program } from '../../store/index.ts';
import type { OperatorWrites } from '../commands.ts';
import { sealKey, secretIndex, toKey } from '../rows.ts';

type AddKey = OperatorWrites['operator.add-key'];

export function* addKey(context: CommandContext, { key, secret, audit }: AddKey['args']): Program<AddKey['out']> {
  const { vault } = context;
  const { tenant } = audit;
  const rows =
    yield* all`SELECT id, key_sealed, made_at, expires_at, used_at FROM operator_key WHERE tenant = ${tenant}`;
  if (rows.some((row) => toKey(vault, row).name === key.name)) {
    yield* append(context, [{ ...audit, outcome: '4' }]);
    return 'name-taken';
  }
  yield* run`
    INSERT INTO operator_key (tenant, id, secret_index, key_sealed, made_at, expires_at)
    VALUES (${tenant}, ${key.id}, ${secretIndex(vault, 'key', secret)}, ${sealKey(vault, key)},
      ${audit.at.getTime()}, ${key.expiresAtMs})`;
  yield* append(context, [audit]);
  return 'added';
}

type RemoveKey = OperatorWrites['operator.remove-key'];

export function* removeKey(context: CommandContext, { id, audit }: RemoveKey['args']): Program<RemoveKey['out']> {
  const removed = yield* run`DELETE FROM operator_key WHERE tenant = ${audit.tenant} AND id = ${id}`;
  yield* run`DELETE FROM operator_search WHERE tenant = ${audit.tenant} AND operator_id = ${id}`;
  yield* append(context, [removed === 1 ? audit : { ...audit, outcome: '4' }]);
  return removed === 1 ? 'removed' : 'not-found';
}
