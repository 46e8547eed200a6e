import type { CommandContext } from '../../commands.ts';
import { runEach, type Program } from '../../sql/statement.ts';
import { oldValues, pageOf, sealAnew, updateOf, walkedOf, type Walk, type Walked } from '../sealed-table.ts';

export function* walk({ vault }: CommandContext, page: Walk): Program<Walked> {
  const rows = yield* pageOf(page);
  const anew = sealAnew(page, rows, vault);
  yield* runEach(anew.map((value) => updateOf(page.of, value)));
  return walkedOf(page, rows, anew.length);
}

export function* count({ vault }: CommandContext, page: Walk): Program<Walked> {
  const rows = yield* pageOf(page);
  return walkedOf(page, rows, oldValues(page, rows, vault).length);
}
