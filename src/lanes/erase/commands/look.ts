import { get, userIndex, type CommandContext, type Program } from '../../../store/index.ts';
import type { EraseReads } from '../commands.ts';
import { isKnownBy, ofUser, TABLES, type Counted } from '../tables.ts';
import { count, countLiveLinks, countMoving } from './find.ts';

type Look = EraseReads['erase.look'];

export function* look(
  { vault }: CommandContext,
  { tenant, user: { client, user } }: Look['args'],
): Program<Look['out']> {
  const owner = { tenant, index: userIndex(vault, client, user) };
  const counts: Counted[] = [];
  for (const { table, what, held, left, why } of TABLES)
    counts.push({ table, what, held: yield* count(held?.(owner)), left: yield* count(left?.(owner)), why });
  const at = (yield* get`SELECT erased_at FROM user_key WHERE ${ofUser(owner)}`)?.['erased_at'];
  const erasedAt = typeof at === 'number' ? at : null;
  return {
    isKnown: isKnownBy(counts, erasedAt),
    erasedAt,
    links: yield* countLiveLinks(owner),
    moving: yield* countMoving(owner),
    counts,
  };
}
