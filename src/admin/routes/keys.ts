import { ok } from '../../kernel/index.ts';
import type { DataKeys, KeptResealing } from '../../store/index.ts';
import { iso } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';

/** `none`: nothing older than the key that seals, and nothing was ever changed. */
function shown({ sealing, older, last }: DataKeys) {
  if (last === null) return { state: 'none' as const, sealing, older };
  const { state, from, startedAtMs, atMs, table, rows, rowsInAll, resealed, left, scrubbed } = last;
  // A newer change than the last one may be due.
  const isNew = state === 'done' && older.length > 0;
  return {
    state: isNew ? ('none' as const) : state,
    sealing,
    older,
    last: { from, startedAt: iso(startedAtMs), at: iso(atMs), table, rows, rowsInAll, resealed, left, scrubbed },
  };
}

/** The data key: which one seals, which others are still needed, and how far their retirement is. */
export const makeDataKeyRoutes = (deps: { readonly resealing: KeptResealing }): AdminRoute[] => [
  defineRoute('keys.data', async () => {
    const keys = await deps.resealing.keys();
    return keys.ok ? ok(shown(keys.value)) : keys;
  }),
  defineRoute('keys.rotateData', async (_input, { record }) => {
    const recorded = await record({ action: 'U', outcome: '0' });
    if (!recorded.ok) return recorded;
    const keys = await deps.resealing.rotate();
    return keys.ok ? ok(shown(keys.value)) : keys;
  }),
];
