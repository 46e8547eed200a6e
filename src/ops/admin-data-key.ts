import { jsonAnswer, ok, type Result, type Route } from '../kernel/index.ts';
import type { DataKeys, KeptResealing } from '../store/index.ts';
import { adminRoute as admin, iso, queryOf } from './admin-query.ts';
import type { RecordAct, RecordActLater } from './record-act.ts';

/** `none`: nothing older than the key that seals, and nothing was ever changed. */
function shown({ sealing, older, last }: DataKeys) {
  if (last === null) return { state: 'none', sealing, older };
  const { state, from, startedAtMs, atMs, table, rows, rowsInAll, resealed, left, scrubbed } = last;
  // A newer change than the last one may be due.
  const isNew = state === 'done' && older.length > 0;
  return {
    state: isNew ? 'none' : state,
    sealing,
    older,
    last: { from, startedAt: iso(startedAtMs), at: iso(atMs), table, rows, rowsInAll, resealed, left, scrubbed },
  };
}

const answer = (keys: Result<DataKeys>) => (keys.ok ? ok(jsonAnswer(200, shown(keys.value))) : keys);

/** The data key: which one seals, which others are still needed, and how far their retirement is. */
export function makeDataKeyRoutes(deps: {
  readonly resealing: KeptResealing;
  readonly record: RecordAct;
  readonly recordLater: RecordActLater;
}): Route[] {
  return [
    admin('get', '/admin/api/keys/data', async (ask) => {
      const query = queryOf(ask, []);
      if (!query.ok) return query;
      deps.recordLater(ask, 'data-key');
      return answer(await deps.resealing.keys());
    }),
    admin('post', '/admin/api/keys/data/rotate', async (ask) => {
      const query = queryOf(ask, []);
      if (!query.ok) return query;
      const recorded = await deps.record(ask, { action: 'U', outcome: '0', why: 'data-key' });
      return recorded.ok ? answer(await deps.resealing.rotate()) : recorded;
    }),
  ];
}
