import { get, run, type CommandContext, type Program } from '../../store/index.ts';
import type { AuthWrites } from '../commands.ts';
import { idIndex, toRecord } from '../rows.ts';

type Consume = AuthWrites['auth.consume'];

export function* consume(
  { vault }: CommandContext,
  { tenant, kind, id, at }: Consume['args'],
): Program<Consume['out']> {
  const index = idIndex(vault, kind, id);
  const consumed = yield* run`
    UPDATE auth_record SET consumed_at = ${at.getTime()}
    WHERE tenant = ${tenant} AND kind = ${kind} AND id_index = ${index} AND consumed_at IS NULL`;
  if (consumed === 1) return 'consumed';
  yield* run`
    DELETE FROM auth_record WHERE tenant = ${tenant} AND grant_index = (
      SELECT grant_index FROM auth_record WHERE tenant = ${tenant} AND kind = ${kind} AND id_index = ${index})`;
  return 'repeated';
}

type Take = AuthWrites['auth.take'];

export function* take({ vault }: CommandContext, { tenant, kind, id, at }: Take['args']): Program<Take['out']> {
  const row = yield* get`
    DELETE FROM auth_record
    WHERE tenant = ${tenant} AND kind = ${kind} AND id_index = ${idIndex(vault, kind, id)}
      AND expires_at > ${at.getTime()}
    RETURNING id_index, payload_sealed, consumed_at`;
  return toRecord(vault, kind, row);
}
