import { append } from '../../audit/index.ts';
import { all, get, run, typed, type CommandContext, type Program } from '../../store/index.ts';
import type { AuthWrites } from '../commands.ts';
import { outlived, sealKey, toKey, type Row } from '../rows.ts';

/** Those whose names begin so, newest first. */
export const keysOf = (tenant: string, prefix: string): Program<readonly Row[]> => all`
  SELECT name, key_sealed, made_at FROM auth_key
  WHERE tenant = ${tenant} AND substr(name, 1, length(${typed('text', prefix)})) = ${prefix}
  ORDER BY made_at DESC, name DESC`;

export function* keyOf({ vault }: CommandContext, tenant: string, name: string): Program<string | null> {
  const row = yield* get`SELECT key_sealed FROM auth_key WHERE tenant = ${tenant} AND name = ${name}`;
  return row === undefined ? null : toKey(vault, name, row);
}

export function* keepKey(
  context: CommandContext,
  { tenant, name, value, at }: AuthWrites['auth.keep-key']['args'],
): Program<string> {
  yield* run`
    INSERT INTO auth_key (tenant, name, key_sealed, made_at)
    VALUES (${tenant}, ${name}, ${sealKey(context.vault, name, value)}, ${at.getTime()}) ON CONFLICT DO NOTHING`;
  const kept = yield* keyOf(context, tenant, name);
  if (kept === null) throw new Error('the key is gone');
  return kept;
}

export function* rotateKey(
  context: CommandContext,
  { prefix, name, value, keptMs, spent, audit }: AuthWrites['auth.rotate-key']['args'],
): Program<null> {
  const { tenant } = audit;
  const atMs = audit.at.getTime();
  const [newest] = yield* keysOf(tenant, prefix);
  const madeAt = Math.max(atMs, Number(newest?.['made_at'] ?? 0) + 1);
  yield* run`
    INSERT INTO auth_key (tenant, name, key_sealed, made_at)
    VALUES (${tenant}, ${name}, ${sealKey(context.vault, name, value)}, ${madeAt})`;
  for (const old of [...outlived(yield* keysOf(tenant, prefix), atMs, keptMs), ...spent])
    yield* run`DELETE FROM auth_key WHERE tenant = ${tenant} AND name = ${old}`;
  yield* append(context, [audit]);
  return null;
}
