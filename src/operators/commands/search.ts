import { append } from '../../audit/index.ts';
import { get, run, type CommandContext, type Program } from '../../store/index.ts';
import type { OperatorWrites } from '../commands.ts';
import { sealSearch, searchNameIndex } from '../rows.ts';

type Save = OperatorWrites['operator.save-search'];

export function* saveSearch(
  context: CommandContext,
  { search, operatorId, most, audit }: Save['args'],
): Program<Save['out']> {
  const { vault } = context;
  const { tenant } = audit;
  const name = searchNameIndex(vault, operatorId, search.name);
  yield* run`
    DELETE FROM operator_search WHERE tenant = ${tenant} AND operator_id = ${operatorId} AND name_index = ${name}`;
  const row = yield* get`
    SELECT count(*) AS n FROM operator_search WHERE tenant = ${tenant} AND operator_id = ${operatorId}`;
  if (Number(row?.['n']) >= most) {
    yield* append(context, [{ ...audit, outcome: '4' }]);
    return 'too-many';
  }
  yield* run`
    INSERT INTO operator_search (tenant, id, operator_id, name_index, search_sealed, made_at)
    VALUES (${tenant}, ${search.id}, ${operatorId}, ${name}, ${sealSearch(vault, search)}, ${audit.at.getTime()})`;
  yield* append(context, [audit]);
  return 'saved';
}

type Remove = OperatorWrites['operator.remove-search'];

export function* removeSearch(
  context: CommandContext,
  { id, operatorId, audit }: Remove['args'],
): Program<Remove['out']> {
  const removed = yield* run`
    DELETE FROM operator_search WHERE tenant = ${audit.tenant} AND id = ${id} AND operator_id = ${operatorId}`;
  yield* append(context, [removed === 1 ? audit : { ...audit, outcome: '4' }]);
  return removed === 1 ? 'removed' : 'not-found';
}
